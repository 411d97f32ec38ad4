/* SPDX-License-Identifier: Apache-2.0 */
/* tools/compare/weights.c - how often models run their tasks, as campaigns for them have noted. */
#include <jansson.h>
#include <string.h>

#include "base/err.h"
#include "tools/compare/side.h"
#include "tools/source.h"

static bool is_known(const struct side_weight_vec *v, const char *source)
{
	for (int i = 0; i < v->n; i++)
		if (strcmp(v->at[i].source, source) == 0)
			return true;
	return false;
}

/* Whether device ID is one of S. */
static bool has_device(const struct compare_side *s, const struct db_device_vec *devices, int64_t id)
{
	for (int i = 0; i < devices->n; i++)
		if (devices->at[i].id == id)
			return !s->device ||
			       strncmp(devices->at[i].fingerprint, s->device, strlen(s->device)) == 0;
	return false;
}

/* Those of campaign C, which has its search state. What a hone of old kept has none. */
static void take_weights(struct arena *a, const struct db_campaign *c, struct side_weight_vec *out)
{
	json_t *root = c->search ? json_loadb(c->search, c->search_bytes, 0, NULL) : NULL;
	const char *key;
	json_t *value;

	json_object_foreach(json_object_get(root, "weights"), key, value) {
		double weight = json_number_value(value);

		/* tasks of weight 0 are those of storages that the model does not have */
		if (weight > 0)
			vec_push(a, out, (struct side_weight){ c->source, arena_strdup(a, key), weight });
	}
	json_decref(root);
}

int side_read_weights(struct arena *a, struct db *db, const struct compare_side *s, int64_t campaign,
		      struct side_weight_vec *out)
{
	struct db_campaign_vec all;
	struct db_device_vec devices;

	if (db_campaigns(db, a, &all) < 0 || db_devices(db, a, &devices) < 0)
		return -1;
	for (int i = all.n - 1; i >= 0; i--) {
		struct db_campaign c = all.at[i];

		if ((campaign && c.id != campaign) || !source_is_model(c.source) || is_known(out, c.source) ||
		    !has_device(s, &devices, c.device))
			continue;
		if (db_campaign(db, a, c.id, &c) < 0)
			return -1;
		take_weights(a, &c, out);
	}
	return 0;
}
