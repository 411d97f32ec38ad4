/* SPDX-License-Identifier: Apache-2.0 */
/* tools/quantize/quantize.h - the parts of `hone quantize`: its options, its samples, its report. */
#ifndef HONE_TOOLS_QUANTIZE_QUANTIZE_H
#define HONE_TOOLS_QUANTIZE_QUANTIZE_H

#include "runtime/quantize/quantize.h"
#include "tools/args/model.h"

enum { QUANTIZE_MAX_LIST = 256 };

struct quantize_args {
	struct model_args m;
	struct quantize_how how;
	const char *output, *table, *write_table;	/* NULL */
	const char *keep[QUANTIZE_MAX_LIST], *calibrate[QUANTIZE_MAX_LIST];
	int nkeep, ncalibrate;
	int held_out;
	bool data, agreement;	/* were these given? */
	bool explain, json;
};

extern const struct argp quantize_argp;
/* Fills in ARGS; ends the program where the command line is wrong. */
void quantize_parse(int argc, char **argv, struct quantize_args *args);

/* What the files of --calibrate have for MAIN, in A. -1 and a message. */
int quantize_samples(struct arena *a, const struct quantize_args *args, const struct function *main,
		     struct sample_source *out);

/* All that is told. */
struct quantize_report {
	const struct quant *q;
	const struct quantize_made *made;
	int held_out;
	struct quant_report accuracy;	/* where HELD_OUT > 0 */
};

void quantize_print(struct arena *a, const struct quantize_args *args, const struct quantize_report *r);

#endif
