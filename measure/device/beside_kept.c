/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/beside_kept.c - what was seen of work beside, as files in the user's cache folder. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/hash.h"
#include "measure/device/beside.h"

/* Devices and lists of cores. */
enum { MOST_KEPT = 16 };
/* A night's campaign looks once, too. */
enum { KEPT_S = 12 * 3600 };

const char *beside_place(struct arena *a, const struct device *d, const char *cpus)
{
	const char *cache = dir_cache(a);
	char hex[HASH_TEXT];

	return cache ? arena_printf(a, "%s/beside/%s-%s.json", cache, d->fingerprint,
				    hash_text(hash_bytes(cpus, strlen(cpus)), hex))
		     : NULL;
}

bool beside_recall(const struct device *d, const char *cpus, struct beside_effect *out, int *minutes)
{
	struct arena *a = arena_new();
	const char *place = beside_place(a, d, cpus);
	json_t *json = place ? json_load_file(place, 0, NULL) : NULL;
	json_int_t when;
	bool known = json && json_unpack(json, "{s:I, s:F, s:F, s:F}", "when", &when, "compute", &out->compute,
					 "memory", &out->memory, "quiet", &out->quiet) == 0;
	int64_t age = known ? (int64_t)time(NULL) - when : 0;

	*minutes = (int)(age / 60);
	json_decref(json);
	arena_free(a);
	return known && age >= 0 && age < KEPT_S && beside_judge(out) != BESIDE_UNSURE;
}

void beside_keep(const struct device *d, const char *cpus, const struct beside_effect *seen)
{
	struct arena *a = arena_new();
	const char *place = beside_place(a, d, cpus);
	json_t *json = json_pack("{s:I, s:f, s:f, s:f}", "when", (json_int_t)time(NULL), "compute", seen->compute,
				 "memory", seen->memory, "quiet", seen->quiet);
	char *text = json && place ? json_dumps(json, JSON_INDENT(1)) : NULL;

	if (text && beside_judge(seen) != BESIDE_UNSURE)
		file_keep(place, text, strlen(text), MOST_KEPT);
	free(text);
	json_decref(json);
	arena_free(a);
}

void beside_forget(void)
{
	struct arena *a = arena_new();
	const char *cache = dir_cache(a);

	if (cache)
		dir_trim(arena_printf(a, "%s/beside", cache), 0);
	arena_free(a);
}
