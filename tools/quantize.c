/* SPDX-License-Identifier: Apache-2.0 */
/* tools/quantize.c - `hone quantize`: a model of floats as one of integers. */
#include "tools/quantize.h"

#include <jansson.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"
#include "graph/model.h"
#include "graph/quantize/table.h"
#include "graph/text/text.h"
#include "runtime/agreement.h"
#include "tools/command.h"

static int write_graph(const char *path, const struct graph *g)
{
	json_t *json = graph_to_json(g, true);
	char *text = json_dumps(json, JSON_COMPACT);
	int rc = text ? file_write(path, text, strlen(text))
		      : err_set("%s: the graph has a name that is no UTF-8", path);

	free(text);
	json_decref(json);
	return rc;
}

/* The model, read and with what scales it in its weights; Q for it. */
static int begin(struct arena *a, struct quantize_args *args, struct quant *q)
{
	struct onnx_options onnx = { .dims = args->m.dims.at, .ndims = args->m.dims.n };

	if (!model_is(args->m.model))
		return err_set("%s is no model: give an *.onnx, *.graph or *.json file", args->m.model);
	struct graph *g = model_open(a, args->m.model, &onnx, NULL, "scales");

	if (!g)
		return -1;
	if (args->table && !(args->q.table = quant_table_read(a, args->table)))
		return -1;
	return quant_new(a, g, &args->q, q);
}

/* N random samples, behind those that are taken already. */
static struct sample_source samples_behind(const struct function *main, const struct quantize_args *args,
					   int taken, int n)
{
	return samples_random(main, (uint64_t)args->seed + (uint64_t)taken * (uint64_t)main->nparams, n);
}

/* Integers: grids of samples; then the graph. */
static int make(struct arena *a, const struct quantize_args *args, const struct open_options *o,
		struct quant *q, struct quantized *z, struct quantize_report *r)
{
	const struct function *main = graph_main(q->graph);
	struct sample_source samples = samples_behind(main, args, 0, args->samples), others;

	if (args->to != ELEMENT_I8)
		return quant_narrow(q, args->to, z);
	if (args->ncalibrate && quantize_samples(a, args, main, &samples) < 0)
		return -1;
	r->samples = samples.n;
	/* of files, all are calibrated on, and no others are like them */
	others = args->ncalibrate ? samples : samples_behind(main, args, samples.n, AGREEMENT_MOST_ROWS);
	if (calibrate(q, o, &samples, !args->uncorrected) < 0)
		return -1;
	if (args->agreement > 0 && keep_float(q, o, &samples, &others, args->agreement, &r->floats) < 0)
		return -1;
	if (args->write_table && quant_table_write(args->write_table, q) < 0)
		return -1;
	return quant_apply(q, z);
}

static int quantize(struct arena *a, struct quantize_args *args)
{
	struct open_options o = model_options(&args->m);
	struct quant q;
	struct quantized z;
	struct quantize_report r = { .q = &q, .made = &z, .floats = { .result = -1 },
				     .held_out = args->held_out };

	if (begin(a, args, &q) < 0 || make(a, args, &o, &q, &z, &r) < 0)
		return -1;
	struct sample_source unseen = samples_behind(graph_main(q.graph), args,
						     args->samples + r.floats.samples, args->held_out);

	if (args->held_out && calibrate_report(&q, &z, &o, &unseen, &r.accuracy) < 0)
		return -1;
	if (args->output && write_graph(args->output, z.graph) < 0)
		return -1;
	quantize_print(a, args, &r);
	return 0;
}

static int run(int argc, char **argv)
{
	struct quantize_args args = { .seed = 0 };
	struct arena *a = arena_new();

	quantize_parse(argc, argv, &args);
	int rc = quantize(a, &args);

	arena_free(a);
	return rc < 0 ? command_failed() : EXIT_OK;
}

const struct command command_quantize = {
	.name = "quantize",
	.summary = "makes a model one of integers of 8 bits, by samples",
	.run = run,
};
