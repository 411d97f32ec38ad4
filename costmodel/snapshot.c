/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/snapshot.c - a line, then the parts as UBJ. The line has the version, the hash of the
 * table of features, that of the parts, the samples learned from, and the parts' sizes in bytes. */
#include "costmodel/snapshot.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "costmodel/features.h"

static const char format[] = "hone-xgboost-2 %s %s %" PRId64 " %zu %zu %zu\n";
static const char scanned[] = "hone-xgboost-2 %32s %32s %" SCNd64 " %zu %zu %zu";
enum { HEADER_MAX = 160 };

int snapshot_write(struct booster *const part[SNAPSHOT_PARTS], int64_t learned, struct text *out)
{
	struct text body = { 0 };
	char features[HASH_TEXT], sum[HASH_TEXT];
	int64_t n[SNAPSHOT_PARTS] = { 0 };
	int rc = 0;

	for (int i = 0; i < SNAPSHOT_PARTS && rc == 0; i++) {
		n[i] = part[i] ? booster_save(part[i], &body) : 0;
		rc = n[i] < 0 ? -1 : 0;
	}
	if (rc == 0) {
		text_printf(out, format, hash_text(features_hash(), features),
			    hash_text(hash_bytes(body.s, body.n), sum), learned, (size_t)n[0],
			    (size_t)n[1], (size_t)n[2]);
		text_putn(out, body.s, body.n);
	}
	text_free(&body);
	return rc;
}

/* Checks the line; BODY and N get what follows it. */
static int read_header(const char *data, size_t size, const char **body, size_t n[SNAPSHOT_PARTS],
		       int64_t *learned)
{
	const char *end = memchr(data, '\n', size < HEADER_MAX ? size : HEADER_MAX);
	char line[HEADER_MAX + 1] = "", features[HASH_TEXT] = "", sum[HASH_TEXT] = "";
	char want[HASH_TEXT];

	if (end)
		memcpy(line, data, (size_t)(end - data));
	if (sscanf(line, scanned, features, sum, learned, &n[0], &n[1], &n[2]) != 6 ||
	    *learned < 0)
		return err_set("this is no snapshot of the xgboost cost model");
	if (strcmp(features, hash_text(features_hash(), want)) != 0)
		return err_set("the cost model was learned from another table of features (%s, not "
			       "%s); learn it anew", features, want);
	size_t left = size - (size_t)(end + 1 - data);

	*body = end + 1;
	if (left == 0 || n[0] > left || n[1] > left - n[0] || n[2] != left - n[0] - n[1] ||
	    strcmp(sum, hash_text(hash_bytes(*body, left), want)) != 0)
		return err_set("the snapshot of the cost model is damaged; learn it anew");
	return 0;
}

int snapshot_read(const char *data, size_t size, int threads,
		  struct booster *part[SNAPSHOT_PARTS], int64_t *learned)
{
	const char *body = NULL;
	size_t n[SNAPSHOT_PARTS];

	if (read_header(data, size, &body, n, learned) < 0)
		return -1;
	for (int i = 0; i < SNAPSHOT_PARTS; body += n[i++]) {
		part[i] = n[i] ? booster_load(body, n[i], FEATURE_COUNT, threads) : NULL;
		if (part[i] || n[i] == 0)
			continue;
		while (i > 0)
			booster_free(part[--i]);
		return -1;
	}
	return 0;
}
