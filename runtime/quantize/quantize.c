/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/quantize/quantize.c - ranges of samples, sites that stay float, the graph. */
#include "runtime/quantize/quantize.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "graph/model.h"
#include "graph/text/text.h"
#include "runtime/quantize/agreement.h"

/* Ranges of most models stand after a few samples; the mean of a bias wants more. Of what a check of so much
 * agreement passes, 95 of 100 samples and more keep their class (docs/quantize.md). */
const struct quantize_how quantize_usual = {
	.to = ELEMENT_I8,
	.sites = { .method = QUANT_PERCENTILE, .percentile = 99.99, .element = ELEMENT_U8 },
	.samples = 64,
	.agreement = 0.97,
};

int quantize_begin(struct arena *a, const struct open_options *o, const struct quantize_how *how, struct quant *q)
{
	const struct onnx_options onnx = { .dims = o->dims, .ndims = o->ndims };

	if (!model_is(o->model))
		return err_set("%s is no model: give an *.onnx, *.graph or *.json file", o->model);
	struct graph *g = model_open(a, o->model, &onnx, NULL, "scales");

	return g ? quant_new(a, g, &how->sites, q) : -1;
}

/* N random samples, behind those that are taken already. */
static struct sample_source samples_behind(const struct quant *q, const struct quantize_how *how, int taken, int n)
{
	const struct function *main = graph_main(q->graph);

	return samples_random(main, how->seed + (uint64_t)taken * (uint64_t)main->nparams, n);
}

int quantize_make(struct quant *q, const struct open_options *o, const struct quantize_how *how,
		  struct quantize_made *out)
{
	struct sample_source samples = how->given ? *how->given : samples_behind(q, how, 0, how->samples);
	/* of those that are given, all are calibrated on, and no others are like them */
	struct sample_source others = how->given ? samples : samples_behind(q, how, samples.n, AGREEMENT_MOST_ROWS);

	*out = (struct quantize_made){ .floats = { .result = -1 } };
	if (how->to != ELEMENT_I8)
		return quant_narrow(q, how->to, &out->z);
	out->samples = samples.n;
	if (calibrate(q, o, &samples, !how->uncorrected) < 0)
		return -1;
	if (how->agreement > 0 && keep_float(q, o, &samples, &others, how->agreement, &out->floats) < 0)
		return -1;
	return quant_apply(q, &out->z);
}

struct sample_source quantize_unseen(const struct quant *q, const struct quantize_how *how,
				     const struct quantize_made *made, int n)
{
	return samples_behind(q, how, how->samples + made->floats.samples, n);
}

int quantize_write(const char *path, const struct graph *g)
{
	json_t *json = graph_to_json(g, true);
	char *text = json_dumps(json, JSON_COMPACT);
	int rc = text ? file_write(path, text, strlen(text))
		      : err_set("%s: the graph has a name that is no UTF-8", path);

	free(text);
	json_decref(json);
	return rc;
}
