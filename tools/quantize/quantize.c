/* SPDX-License-Identifier: Apache-2.0 */
/* tools/quantize/quantize.c - `hone quantize`: a model of floats as one of integers. */
#include "tools/quantize/quantize.h"

#include "graph/quantize/table.h"
#include "tools/command.h"

/* The model, what is read for it, and Q in narrow types. */
static int make(struct arena *a, struct quantize_args *args, const struct open_options *o, struct quant *q,
		struct quantize_made *made)
{
	struct quantize_how *how = &args->how;
	struct sample_source *files = arena_one(a, struct sample_source);

	if (args->table && !(how->sites.table = quant_table_read(a, args->table)))
		return -1;
	if (quantize_begin(a, o, how, q) < 0)
		return -1;
	if (args->ncalibrate && quantize_samples(a, args, graph_main(q->graph), files) < 0)
		return -1;
	how->given = args->ncalibrate ? files : NULL;
	if (quantize_make(q, o, how, made) < 0)
		return -1;
	return args->write_table ? quant_table_write(args->write_table, q) : 0;
}

static int quantize(struct arena *a, struct quantize_args *args)
{
	struct open_options o = model_options(&args->m);
	struct quant q;
	struct quantize_made made;
	struct quantize_report r = { .q = &q, .made = &made, .held_out = args->held_out };

	if (make(a, args, &o, &q, &made) < 0)
		return -1;
	struct sample_source unseen = quantize_unseen(&q, &args->how, &made, args->held_out);

	if (args->held_out && calibrate_report(&q, &made.z, &o, &unseen, &r.accuracy) < 0)
		return -1;
	if (args->output && quantize_write(args->output, made.z.graph) < 0)
		return -1;
	quantize_print(a, args, &r);
	return 0;
}

static int run(int argc, char **argv)
{
	struct quantize_args args = { 0 };
	struct arena *a = arena_new();

	quantize_parse(argc, argv, &args);
	int rc = quantize(a, &args);

	arena_free(a);
	return rc < 0 ? command_failed() : EXIT_OK;
}

const struct command command_quantize = {
	.name = "quantize",
	.summary = "makes a model one of integers of 8 bits, by samples",
	.argp = &quantize_argp,
	.run = run,
};
