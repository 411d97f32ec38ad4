/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/integer/settle.c - the tensors that have to be seen, grids of what was, and what scales sums.
 *
 * What cannot be after all is floats again, and what it would have made is rounded where it is read. But for sums
 * that are parted the plan stays as it was made: no tensor is asked for that was not seen. */
#include <float.h>
#include <math.h>

#include "graph/quantize/integer/closed.h"
#include "graph/quantize/scheme.h"

/* --- tensors */

/* Does VALUE come to its grid by itself, not as other integers that it is made of? */
static bool is_source(const struct integer_plan *p, int value)
{
	const struct integer_value *at = &p->at[value];

	switch (at->kind) {
	case INTEGER_NONE:
		return at->wanted;
	case INTEGER_END:
		return !p->chains.at[at->chain].open;
	case INTEGER_MEAN:
		return true;
	case INTEGER_INSIDE:
	case INTEGER_SAME:
	case INTEGER_JOIN:
		return false;
	}
	return false;
}

static int add_tensor(struct quant *q, int value, bool seen)
{
	struct quant_tensor t = { .value = value, .grid = { .element = ELEMENT_I8 } };

	if (seen)
		t.seen = arena_one(q->arena, struct histogram);
	vec_push(q->arena, &q->tensors, t);
	return q->tensors.n - 1;
}

void integers_begin(struct quant *q)
{
	/* a grid of the model's own may have a zero: its numbers are rounded like others */
	for (int i = 0; i < q->sites.n; i++) {
		q->sites.at[i].own = VALUE_NONE;
		q->sites.at[i].grid = (struct quant_grid){ .element = ELEMENT_I8 };
	}
	struct integer_plan *p = q->integers = integer_plan_new(q->arena, q->graph, &q->sites);

	for (int v = 0; v < p->main->bindings.n; v++)
		if (is_source(p, v))
			p->at[v].tensor = add_tensor(q, v, true);
	for (int i = 0; i < p->chains.n; i++) {	/* part() may need it */
		const struct integer_chain *c = &p->chains.at[i];

		if (c->site >= 0 && c->nterms > 0)
			p->at[q->sites.at[c->site].out].tensor = add_tensor(q, q->sites.at[c->site].out, true);
	}
	for (int i = 0; i < q->sites.n; i++) {
		struct quant_site *s = &q->sites.at[i];

		if (s->why)
			continue;
		/* its mean is needed, for its bias */
		if (p->at[s->data].tensor < 0)
			p->at[s->data].tensor = add_tensor(q, s->data, false);
		s->tensor = p->at[s->data].tensor;
	}
}

/* --- grids */

struct grid_range {
	double low, high;
	bool odd;	/* a tensor was not finite, or not seen */
};

static void widen(const struct quant *q, const struct quant_tensor *t, struct grid_range *r)
{
	double low, high;

	if (t->seen->odd || t->seen->count == 0) {
		r->odd = true;
		return;
	}
	quant_range(t->seen, q->options.method, q->options.percentile, &low, &high);
	r->low = fmin(r->low, low);
	r->high = fmax(r->high, high);
}

static struct quant_grid grid_of(struct grid_range r)
{
	float scale = (float)fmax(r.high / INT8_MAX, r.low / INT8_MIN);

	if (r.odd)
		return (struct quant_grid){ .element = ELEMENT_I8 };
	return (struct quant_grid){ .element = ELEMENT_I8, .scale = scale > FLT_MIN ? scale : 1 };
}

static void settle_grids(struct quant *q, struct arena *scratch)
{
	struct integer_plan *p = q->integers;
	struct grid_range *range = arena_many(scratch, struct grid_range, p->main->bindings.n);

	for (int i = 0; i < q->tensors.n; i++)
		if (q->tensors.at[i].seen)
			widen(q, &q->tensors.at[i], &range[integer_like(p, q->tensors.at[i].value)]);
	for (int v = 0; v < p->main->bindings.n; v++)
		p->grid[v] = grid_of(range[v]);
	for (int i = 0; i < q->tensors.n; i++)
		q->tensors.at[i].grid = integer_grid(p, q->tensors.at[i].value);
	for (int i = 0; i < q->sites.n; i++)
		if (!q->sites.at[i].why)
			q->sites.at[i].grid = integer_grid(p, q->sites.at[i].data);
}

/* --- what scales sums */

static double scale_at(const struct integer_plan *p, int value)
{
	return (double)integer_grid(p, value).scale;
}

static bool has_grids(const struct integer_plan *p, const struct quant *q, const struct integer_chain *c)
{
	bool all = c->open || scale_at(p, c->end) > 0;

	for (int i = 0; i < c->nterms; i++)
		all &= scale_at(p, c->term[i]) > 0;
	return all && (c->site < 0 || q->sites.at[c->site].grid.scale > 0);
}

/* Why C stays float; NULL: it does not. */
static const char *settle_chain(struct quant *q, struct integer_chain *c)
{
	const struct integer_plan *p = q->integers;
	double out = scale_at(p, c->end), term[2] = { 0 }, ratio[2] = { 0 };
	const char *why = "its factors would have less than 4 bits";

	if (!has_grids(p, q, c))
		return "a tensor of it is not finite, or was not seen";
	for (int i = 0; i < c->nterms; i++) {
		term[i] = scale_at(p, c->term[i]);
		ratio[i] = term[i] / out;
	}
	if (c->site < 0)
		return integer_scale_terms(c->nterms, ratio, (double[]){ 1, 1 }, &c->scale) ? NULL : why;
	const struct quant_site *s = &q->sites.at[c->site];
	bool fits = c->open ? quant_weight_of(q->arena, q->graph, s, &c->scale.weight, &why)
			    : integer_scale_site(q->arena, p->main, s, out, c->nterms, term, &c->scale, &why);

	return fits ? NULL : why;
}

/* Where the factor of its term is as large as it may be and those of the weights of chain I are still too small
 * to be told apart, the site is rounded on a grid of its own, and the term is added to that: two chains. */
static void part(struct quant *q, int i)
{
	struct integer_plan *p = q->integers;
	struct integer_chain *c = &p->chains.at[i], sum = *c;
	int out = q->sites.at[c->site].out;

	sum.term[1] = sum.term[0];
	sum.term[0] = out;
	sum.nterms = 2;
	sum.site = -1;
	c->nterms = 0;
	c->low = -INFINITY;
	c->high = INFINITY;
	c->end = out;
	for (int v = out + 1; v < p->main->bindings.n; v++)
		if (p->at[v].chain == i)
			p->at[v].chain = p->chains.n;
	p->at[out].kind = INTEGER_END;
	vec_push(q->arena, &p->chains, sum);
}

/* Operands of V by now, and its grid: are they there? */
static bool settle_closed(struct arena *scratch, struct integer_plan *p, int v)
{
	const struct binding *b = function_at(p->main, v);
	struct integer_value *at = &p->at[v];

	if (!(scale_at(p, v) > 0) || !(scale_at(p, b->args[0]) > 0))
		return false;
	if (at->kind != INTEGER_MEAN)
		return true;
	double count = (double)integer_mean_count(scratch, p->main, b);
	double ratio = scale_at(p, b->args[0]) / (scale_at(p, v) * count);

	return integer_scale_terms(1, &ratio, &count, &at->mean);
}

void integers_settle(struct quant *q)
{
	struct integer_plan *p = q->integers;
	struct arena *scratch = arena_new();

	settle_grids(q, scratch);
	for (int i = 0; i < p->chains.n; i++) {
		const char *why = settle_chain(q, &p->chains.at[i]);

		if (why && p->chains.at[i].site >= 0 && p->chains.at[i].nterms > 0) {
			part(q, i);
			why = settle_chain(q, &p->chains.at[i]);
		}
		p->chains.at[i].why = why;
		if (p->chains.at[i].site >= 0)
			q->sites.at[p->chains.at[i].site].why = why;
	}
	for (int v = 0; v < p->main->bindings.n; v++) {
		struct integer_value *at = &p->at[v];

		if ((at->kind == INTEGER_SAME || at->kind == INTEGER_JOIN || at->kind == INTEGER_MEAN) &&
		    !settle_closed(scratch, p, v))
			at->kind = INTEGER_NONE;
		if (at->chain >= 0 && p->chains.at[at->chain].why)
			at->kind = INTEGER_NONE;
	}
	arena_free(scratch);
}

/* --- biases */

static int correct_chain(struct quant *q, struct integer_chain *c)
{
	struct quant_site *s = &q->sites.at[c->site];
	struct arena *scratch = arena_new();

	s->shift = quant_mean_error(scratch, q, s, &q->tensors.at[s->tensor], &c->scale.weight);
	arena_free(scratch);
	if (!s->shift)
		return -1;
	/* a larger bias may leave its weights too few bits */
	if (settle_chain(q, c)) {
		s->shift = NULL;
		settle_chain(q, c);
	}
	return 0;
}

int integers_correct(struct quant *q)
{
	struct integer_plan *p = q->integers;
	int rc = 0;

	for (int i = 0; i < p->chains.n && rc == 0; i++) {
		struct integer_chain *c = &p->chains.at[i];

		if (c->site >= 0 && !c->why && q->tensors.at[q->sites.at[c->site].tensor].samples > 0)
			rc = correct_chain(q, c);
	}
	return rc;
}
