/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/scheme.c - the schemes, and the calls that they answer. */
#include "graph/quantize/scheme.h"

#include "graph/quantize/table.h"

const struct quant_scheme quant_sums = { sums_begin, sums_settle, sums_correct, sums_apply };
const struct quant_scheme quant_integers = { integers_begin, integers_settle, integers_correct, integers_apply };

int quant_new(struct arena *a, const struct graph *g, const struct quant_options *o, struct quant *out)
{
	*out = (struct quant){ .arena = a, .graph = g, .options = *o,
			       .scheme = o->scheme ? o->scheme : &quant_sums };
	if (quant_sites(a, g, &o->sites, &out->sites) < 0 ||
	    (o->table && quant_table_use(a, o->table, g, &out->sites) < 0))
		return -1;
	out->scheme->begin(out);
	return 0;
}

void quant_settle(struct quant *q)
{
	q->scheme->settle(q);
}

int quant_correct(struct quant *q)
{
	return q->scheme->correct(q);
}

int quant_apply(const struct quant *q, struct quantized *out)
{
	return q->scheme->apply(q, out);
}
