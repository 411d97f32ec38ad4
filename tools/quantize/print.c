/* SPDX-License-Identifier: Apache-2.0 */
/* tools/quantize/print.c - what became of a model that was quantized. */
#include <math.h>
#include <stdio.h>

#include "graph/ir/op.h"
#include "graph/quantize/integer/plan.h"
#include "tools/json.h"
#include "tools/quantize/quantize.h"

struct quantize_share {
	int nodes, all;
	double macs, all_macs;
	int worst;	/* site with most noise; -1 */
};

static bool was_made(const struct quantize_report *r, int site)
{
	return r->made->z.before[site] >= 0;
}

static struct quantize_share share_of(const struct quantize_report *r)
{
	struct quantize_share s = { .worst = -1 };

	for (int i = 0; i < r->q->sites.n; i++) {
		double macs = r->q->sites.at[i].macs;
		const struct quant_error *e = r->held_out ? &r->accuracy.sites[i] : NULL;

		s.all++;
		s.all_macs += macs;
		if (!was_made(r, i))
			continue;
		s.nodes++;
		s.macs += macs;
		if (e && e->rows && (s.worst < 0 || !(quant_error_sqnr(e) >=
						      quant_error_sqnr(&r->accuracy.sites[s.worst]))))
			s.worst = i;
	}
	return s;
}

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

/* The site's label, or where it has none its operator and value. */
static const char *node_name(struct arena *a, const struct quant *q, const struct quant_site *s)
{
	const struct binding *b = quant_site_call(q->graph, s);

	return *b->origin->label ? b->origin->label : arena_printf(a, "%s %%%d", b->op->name, s->value);
}

/* --- text */

static const char *grid_text(struct arena *a, const struct quantize_args *args, const struct quant_site *s)
{
	if (args->how.to != ELEMENT_I8)
		return element_name(args->how.to);
	return arena_printf(a, "%s %.4g zero %d%s", element_name(s->grid.element), (double)s->grid.scale,
			    s->grid.zero, s->own >= 0 ? " (the model's)" : "");
}

static void print_sites(struct arena *a, const struct quantize_args *args, const struct quantize_report *r,
			double all_macs)
{
	printf("%-7s %8s %8s  %s\n", "op", "MACs", "SQNR", "node: data, or why it stays float");
	for (int i = 0; i < r->q->sites.n; i++) {
		const struct quant_site *s = &r->q->sites.at[i];
		const char *sqnr = "-";

		if (was_made(r, i) && r->held_out)
			sqnr = arena_printf(a, "%.1f dB", quant_error_sqnr(&r->accuracy.sites[i]));
		if (was_made(r, i) && !args->explain)
			continue;
		printf("%-7s %7.2f%% %8s  %s: %s\n", quant_site_call(r->q->graph, s)->op->name,
		       percent(s->macs, all_macs), sqnr, node_name(a, r->q, s),
		       s->why ? s->why : grid_text(a, args, s));
	}
}

static const char *result_name(struct arena *a, const struct quant *q, int i)
{
	const struct function *f = graph_main(q->graph);
	const char *name = function_at(f, f->results[i])->name;

	return *name ? name : arena_printf(a, "result %d", i);
}

static void print_results(struct arena *a, const struct quantize_report *r)
{
	printf("on %d random samples that have decided nothing:\n", r->held_out);
	for (int i = 0; i < r->accuracy.nresults; i++) {
		const struct quant_error *e = &r->accuracy.results[i];

		if (!e->rows)
			continue;
		printf("  %s: largest at the same place in %lld of %lld rows (%.2f%%), rms error %.3g%%, "
		       "largest %.3g of %.3g\n", result_name(a, r->q, i), (long long)e->agree,
		       (long long)e->rows, 100 * quant_error_top1(e), 100 * quant_error_rms(e), e->most,
		       e->largest);
	}
}

/* What was expected, and what was seen. */
static void print_floats(const struct quantize_args *args, const struct quantize_report *r)
{
	const struct keep_float *f = &r->made->floats;

	if (f->result < 0)
		return;
	printf("%d stay float for the class: %.1f%% of rows are expected to keep theirs so, with none of them "
	       "%.1f%%\n", f->kept, 100 * f->after, 100 * f->before);
	if (f->rows)
		printf("  checked on %d samples %s: %d of %d rows change class, where %d may if %g%% are to "
		       "keep theirs\n", f->samples, args->ncalibrate ? "of the same files"
		       : "that calibration did not see", f->changed, f->rows, f->may_change,
		       100 * args->how.agreement);
	else
		printf("  not checked: there are too few samples to show %g%%\n", 100 * args->how.agreement);
}

static void print_operators(const struct quant *q)
{
	if (!q->integers)
		return;
	struct integer_count n = integer_count(q->integers);

	printf("%d of all %d operators are of integers alone\n", n.made, n.all);
}

static void print_text(struct arena *a, const struct quantize_args *args, const struct quantize_report *r)
{
	struct quantize_share s = share_of(r);

	if (args->explain || s.nodes < s.all)
		print_sites(a, args, r, s.all_macs);
	printf("%d of %d convolutions and products (%.1f%% of their multiply-adds) have %s", s.nodes, s.all,
	       percent(s.macs, s.all_macs), args->how.to == ELEMENT_I8 ? "integers of 8 bits"
								    : element_name(args->how.to));
	if (args->how.to == ELEMENT_I8 && r->made->samples)
		printf(", by %d %s samples and %s", r->made->samples, args->ncalibrate ? "given" : "random",
		       quant_method_name(args->how.sites.method));
	printf("\n");
	print_operators(r->q);
	print_floats(args, r);
	if (!r->held_out)
		return;
	print_results(a, r);
	if (s.worst >= 0)
		printf("  worst node: %s, %.1f dB of signal over noise\n",
		       node_name(a, r->q, &r->q->sites.at[s.worst]),
		       quant_error_sqnr(&r->accuracy.sites[s.worst]));
}

/* --- JSON */

static json_t *site_json(const struct quantize_args *args, const struct quantize_report *r, int i)
{
	const struct quant_site *s = &r->q->sites.at[i];
	const struct binding *b = quant_site_call(r->q->graph, s);
	bool made = was_made(r, i), grid = made && args->how.to == ELEMENT_I8;

	return json_pack("{s:o, s:s, s:f, s:b, s:o, s:o, s:o, s:o, s:b, s:o}", "node", json_label(b->origin->label),
			 "op", b->op->name, "macs", s->macs, "quantized", (int)made, "reason",
			 json_label(s->why), "type",
			 made ? json_string(element_name(grid ? s->grid.element : args->how.to)) : json_null(),
			 "scale", grid ? json_real((double)s->grid.scale) : json_null(), "zero_point",
			 grid ? json_integer(s->grid.zero) : json_null(), "given", s->own >= 0, "sqnr_db",
			 made && r->held_out ? json_figure(quant_error_sqnr(&r->accuracy.sites[i]))
					     : json_null());
}

static json_t *result_json(struct arena *a, const struct quantize_report *r, int i)
{
	const struct quant_error *e = &r->accuracy.results[i];

	return json_pack("{s:o, s:I, s:I, s:f, s:o, s:o, s:f}", "name", json_label(result_name(a, r->q, i)),
			 "rows", (json_int_t)e->rows, "agree", (json_int_t)e->agree, "top1",
			 quant_error_top1(e), "rms_relative", json_figure(quant_error_rms(e)), "max_error",
			 json_figure(e->most), "largest", e->largest);
}

static json_t *floats_json(const struct quantize_args *args, const struct quantize_report *r)
{
	const struct keep_float *f = &r->made->floats;

	if (f->result < 0)
		return json_null();
	return json_pack("{s:f, s:f, s:f, s:i, s:o}", "goal", args->how.agreement, "expected", f->after,
			 "expected_of_all", f->before, "nodes_kept", f->kept, "check",
			 f->rows ? json_pack("{s:i, s:i, s:i, s:i, s:i}", "samples", f->samples, "rows",
					     f->rows, "changed", f->changed, "may_change", f->may_change,
					     "tries", f->tries)
				 : json_null());
}

static json_t *operators_json(const struct quant *q)
{
	if (!q->integers)
		return json_null();
	struct integer_count n = integer_count(q->integers);

	return json_pack("{s:i, s:i}", "integers", n.made, "all", n.all);
}

static void print_json(struct arena *a, const struct quantize_args *args, const struct quantize_report *r)
{
	json_t *nodes = json_array(), *results = json_array();
	struct quantize_share s = share_of(r);

	for (int i = 0; i < r->q->sites.n; i++)
		json_array_append_new(nodes, site_json(args, r, i));
	for (int i = 0; r->held_out && i < r->accuracy.nresults; i++)
		json_array_append_new(results, result_json(a, r, i));
	json_print(json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:f, s:f, s:i, s:o, s:o, s:o, s:o, s:o}", "model",
			     args->m.model, "to", element_name(args->how.to), "method",
			     quant_method_name(args->how.sites.method), "samples", r->made->samples, "nodes_quantized",
			     s.nodes, "nodes_all", s.all, "macs_quantized", s.macs, "macs_all", s.all_macs,
			     "held_out", r->held_out, "worst",
			     s.worst < 0 ? json_null()
					 : json_label(node_name(a, r->q, &r->q->sites.at[s.worst])),
			     "agreement", floats_json(args, r), "operators", operators_json(r->q), "results",
			     results, "nodes", nodes));
}

void quantize_print(struct arena *a, const struct quantize_args *args, const struct quantize_report *r)
{
	(args->json ? print_json : print_text)(a, args, r);
}
