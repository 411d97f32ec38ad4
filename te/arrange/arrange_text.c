/* SPDX-License-Identifier: Apache-2.0 */
/* te/arrange/arrange_text.c - arrangements as text: dims from the outermost in, as in 0,1,0%4. */
#include "te/arrange/arrange.h"

void arrangement_print(struct text *t, const struct arrangement *how)
{
	for (int i = 0; i < how->n; i++) {
		text_puts(t, i ? "," : "");
		text_int(t, how->at[i].dim);
		if (how->at[i].block) {
			text_puts(t, "%");
			text_int(t, how->at[i].block);
		}
	}
}

static int scan_dim(struct scan *s, struct stored_dim *out)
{
	int64_t dim;

	*out = (struct stored_dim){ 0 };
	if (!scan_int(s, &dim) || dim < 0 || dim >= TENSOR_MAX_DIMS)
		return scan_error(s, "expected a dim");
	out->dim = (int)dim;
	if (scan_token(s, "%") &&
	    (!scan_int(s, &out->block) || out->block < 1 || out->block > ARRANGEMENT_MAX_BLOCK))
		return scan_error(s, "expected a block of 1 to %d", ARRANGEMENT_MAX_BLOCK);
	return 0;
}

int arrangement_scan(struct scan *s, struct arrangement *out)
{
	out->n = 0;
	do {
		if (out->n == TENSOR_MAX_DIMS)
			return scan_error(s, "more than %d stored dims", TENSOR_MAX_DIMS);
		if (scan_dim(s, &out->at[out->n++]) < 0)
			return -1;
	} while (scan_token(s, ","));
	return 0;
}
