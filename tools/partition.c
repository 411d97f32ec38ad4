/* SPDX-License-Identifier: Apache-2.0 */
/* tools/partition.c - `hone partition`: which parts of a model code generators would compute, and why not
 * the others. */
#include <argp.h>
#include <stdio.h>

#include "base/err.h"
#include "graph/ir/op.h"
#include "graph/model.h"
#include "graph/task/cut.h"
#include "runtime/open.h"
#include "te/dag.h"
#include "tools/backends.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/model_args.h"
#include "tools/partition_measure.h"
#include "tools/query.h"

struct partition_args {
	struct model_args m;
	struct backend_args b;
	double seconds;		/* to measure for; 0: nothing is measured */
	bool explain, json, full;
};

/* All that is told. */
struct partition_report {
	const struct offloaded *o;
	const double *macs;	/* multiply-adds, by call */
	double all_macs;
	const struct partition_measured *measured;	/* NULL: it was not */
};

static const char doc[] =
	"Cuts MODEL between hone's own kernels and code generators: each takes what its patterns match "
	"and it does not refuse, and what hangs together becomes a region. All that a generator takes "
	"goes to it; --measure says whether the model is faster so. hone run --backend runs it.\v"
	"Example:\n"
	"  hone partition resnet18.onnx --backend onednn\n"
	"  hone partition resnet18.onnx --backend onednn --db tune.db --threads 1 --measure\n"
	"  hone partition resnet18.onnx --backend onednn --keep /layer1/Conv --explain\n"
	"  hone partition resnet18.onnx --backend ./mine.so --json\n";

enum { KEY_EXPLAIN = 256, KEY_FULL, KEY_MEASURE };

/* A small network runs some hundred times in it, a large one the six that an interval needs. */
#define MEASURE_S 5.0

static const struct argp_option options[] = {
	{ "explain", KEY_EXPLAIN, NULL, 0, "a line for each node: who computes it, and why", 0 },
	{ "require-full-offload", KEY_FULL, NULL, 0,
	  "fail with a list where a node is left to hone", 0 },
	{ "measure", KEY_MEASURE, "SECONDS", OPTION_ARG_OPTIONAL,
	  "run it beside the model that hone computes alone, in turns (default: 5), and compare results",
	  0 },
	{ "json", 'j', NULL, 0, "JSON instead of text, with all that --explain tells", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct partition_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->m;
		state->child_inputs[1] = &args->b;
		return 0;
	case KEY_EXPLAIN:
		args->explain = true;
		return 0;
	case KEY_FULL:
		args->full = true;
		return 0;
	case KEY_MEASURE:
		args->seconds = arg ? (double)argp_number(state, "--measure", arg, 1) : MEASURE_S;
		return 0;
	case 'j':
		args->json = true;
		return 0;
	case ARGP_KEY_END:
		if (!args->b.nbackends)
			argp_error(state, "which --backend?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &model_argp, 0, NULL, 0 }, { &backends_argp, 0, NULL, 0 }, { 0 } };
static const struct argp argp = { options, parse, "MODEL", doc, children, NULL, NULL };

/* --- what is told */

/* The part of a model that one computes. */
struct computed_share {
	int nodes, regions;
	double macs;
};

static struct computed_share share_of(const struct partition_report *r, int backend)
{
	const struct offload *cut = &r->o->cut;
	struct computed_share s = { 0 };

	for (int i = 0; i < cut->calls.n; i++)
		if (cut->calls.at[i].backend == backend) {
			s.nodes++;
			s.macs += r->macs[i];
		}
	for (int i = 0; i < cut->regions.n; i++)
		s.regions += cut->regions.at[i].backend == backend;
	return s;
}

/* Multiply-adds of a call; 0 where it has no tensor expression. */
static double macs_of(struct arena *scratch, const struct offloaded *o, const struct offload_call *c)
{
	struct cut_group alone = { .function = o->from->functions.at[c->function],
				   .members = &c->value, .nmembers = 1 };
	struct cut_dag cut = cut_group(scratch, &alone);

	return cut.dag ? dag_flop(cut.dag) / 2 : 0;
}

static void count_macs(struct arena *a, struct partition_report *r)
{
	const struct offload_call_vec *calls = &r->o->cut.calls;
	double *macs = arena_many(a, double, calls->n);
	struct arena *scratch = arena_new();

	for (int i = 0; i < calls->n; i++) {
		macs[i] = macs_of(scratch, r->o, &calls->at[i]);
		r->all_macs += macs[i];
		arena_reset(scratch);
	}
	arena_free(scratch);
	r->macs = macs;
}

static const char *who(const struct offloaded *o, int backend)
{
	return backend == REGION_HOST ? "hone" : o->backends[backend].generator->name;
}

static const struct binding *call_at(const struct offloaded *o, const struct offload_call *c)
{
	return function_at(o->from->functions.at[c->function], c->value);
}

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

/* --- text */

static void print_calls(struct arena *a, const struct partition_report *r, bool left_alone)
{
	const struct offloaded *o = r->o;

	printf("%-8s %6s %-12s %-10s %8s  %s\n", "by", "region", "operator", "pattern", "MACs",
	       "result, node, why");
	for (int i = 0; i < o->cut.calls.n; i++) {
		const struct offload_call *c = &o->cut.calls.at[i];
		const struct binding *b = call_at(o, c);

		if (left_alone && c->backend != REGION_HOST)
			continue;
		printf("%-8s %6s %-12s %-10s %7.2f%%  %s %s%s%s\n", who(o, c->backend),
		       c->region < 0 ? "-" : arena_printf(a, "%d", c->region), b->op->name,
		       c->pattern ? c->pattern : "-", percent(r->macs[i], r->all_macs), type_string(a, b->type),
		       b->label, c->why ? ": " : "", c->why ? c->why : "");
	}
}

static void print_shares(const struct partition_report *r, int n)
{
	const struct offloaded *o = r->o;

	for (int b = REGION_HOST; b < n; b++) {
		struct computed_share s = share_of(r, b);

		printf("%s: %d of %d nodes (%.1f%%), %.1f%% of the multiply-adds", who(o, b), s.nodes,
		       o->cut.calls.n, percent(s.nodes, o->cut.calls.n), percent(s.macs, r->all_macs));
		if (b == REGION_HOST)
			printf("\n");
		else
			printf(", in %d region%s (%s)\n", s.regions, s.regions == 1 ? "" : "s",
			       o->backends[b].version);
	}
}

static void print_measured(const struct partition_measured *m)
{
	printf("so %.3f ms, by hone alone %.3f ms: %.3f times as fast (%.3f to %.3f), %s; results differ by "
	       "%.1e at most%s\n", m->times.ours_us * 1e-3, m->times.theirs_us * 1e-3, m->times.is.ratio,
	       m->times.is.low, m->times.is.high, verdict_name(m->times.is.verdict), m->error,
	       m->agrees ? "" : ", which is too much");
}

/* --- JSON */

static json_t *measured_json(const struct partition_measured *m)
{
	return !m ? json_null()
		  : json_pack("{s:f, s:f, s:f, s:f, s:f, s:s, s:b, s:o}", "cut_us", m->times.ours_us,
			      "alone_us", m->times.theirs_us, "ratio", m->times.is.ratio, "low",
			      m->times.is.low, "high", m->times.is.high, "verdict",
			      verdict_name(m->times.is.verdict), "agrees", (int)m->agrees, "error",
			      json_figure(m->error));
}

static json_t *call_json(struct arena *a, const struct partition_report *r, int call)
{
	const struct offload_call *c = &r->o->cut.calls.at[call];
	const struct binding *b = call_at(r->o, c);

	return json_pack("{s:s, s:o, s:s, s:o, s:f, s:s, s:o, s:o}", "by", who(r->o, c->backend), "region",
			 c->region < 0 ? json_null() : json_integer(c->region), "op", b->op->name,
			 "pattern", json_label(c->pattern), "macs", r->macs[call], "result",
			 type_string(a, b->type), "node", json_label(b->label), "reason",
			 json_label(c->why));
}

static json_t *share_json(const struct partition_report *r, int backend)
{
	const struct offloaded *o = r->o;
	struct computed_share s = share_of(r, backend);

	return json_pack("{s:s, s:o, s:i, s:i, s:f}", "by", who(o, backend), "version",
			 json_label(backend == REGION_HOST ? NULL : o->backends[backend].version),
			 "nodes", s.nodes, "regions", s.regions, "macs", s.macs);
}

static void print_all(struct arena *a, const struct partition_args *args,
		      const struct partition_report *r)
{
	json_t *calls = json_array(), *shares = json_array();

	for (int i = 0; i < r->o->cut.calls.n; i++)
		json_array_append_new(calls, call_json(a, r, i));
	for (int b = REGION_HOST; b < args->b.nbackends; b++)
		json_array_append_new(shares, share_json(r, b));
	json_print(json_pack("{s:s, s:o, s:o, s:o}", "model", args->m.model, "shares", shares, "nodes",
			     calls, "measured", measured_json(r->measured)));
}

/* --- the command */

/* Does the cut do what was required? Else a message. */
static int check_full(const struct partition_args *args, const struct partition_report *r)
{
	int left = share_of(r, REGION_HOST).nodes;

	return !args->full || left == 0
		       ? 0
		       : err_set("%d nodes of %s are left to hone; --explain says why", left,
				 args->m.model);
}

/* Cuts the model, and measures it where that was asked for. */
static int partition(struct arena *a, const struct partition_args *args, struct partition_report *out)
{
	const struct offload_request r = backends_request(&args->b);
	struct onnx_options onnx = { .dims = args->m.dims.at, .ndims = args->m.dims.n };

	if (args->seconds > 0) {
		struct open_options o = model_options(&args->m);
		struct partition_measured *measured = arena_one(a, struct partition_measured);
		struct opened *cut = arena_one(a, struct opened);

		o.offload = r;
		out->o = &cut->offloaded;
		out->measured = measured;
		return partition_measure(a, &o, args->seconds, cut, measured);
	}
	struct graph *g = model_open(a, args->m.model, &onnx, NULL, OFFLOAD_AFTER);
	struct offloaded *o = arena_one(a, struct offloaded);

	out->o = o;
	return g ? offloaded_new(a, g, &r, args->m.threads ? args->m.threads : 1, o) : -1;
}

static void print_text(struct arena *a, const struct partition_args *args,
		       const struct partition_report *r)
{
	if (args->explain || (args->full && share_of(r, REGION_HOST).nodes))
		print_calls(a, r, !args->explain);
	print_shares(r, args->b.nbackends);
	if (r->measured)
		print_measured(r->measured);
}

static int run(int argc, char **argv)
{
	struct partition_args args = { .seconds = 0 };
	struct partition_report r = { 0 };
	struct arena *a = arena_new();

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	int rc = partition(a, &args, &r);

	if (rc == 0) {
		count_macs(a, &r);
		if (args.json)
			print_all(a, &args, &r);
		else
			print_text(a, &args, &r);
		rc = check_full(&args, &r);
	}
	arena_free(a);
	return rc < 0 ? command_failed() : EXIT_OK;
}

const struct command command_partition = {
	.name = "partition",
	.summary = "shares a model with code generators",
	.run = run,
};
