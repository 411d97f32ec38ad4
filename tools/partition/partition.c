/* SPDX-License-Identifier: Apache-2.0 */
/* tools/partition/partition.c - `hone partition`: shares a model with code generators, by what was measured. */
#include <argp.h>
#include <stdio.h>

#include "base/err.h"
#include "graph/model.h"
#include "partition/demand.h"
#include "runtime/offload/demanded.h"
#include "tools/args/backends.h"
#include "tools/args/model.h"
#include "tools/args/query.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/partition/cut.h"
#include "tools/partition/files.h"
#include "tools/partition/plans.h"

struct partition_args {
	struct model_args m;
	struct backend_args b;
	struct partition_files_args f;
	double seconds;
	int least;		/* nodes of a region */
	bool explain, json, full, dry;
};

static const char doc[] =
	"Shares MODEL between hone's own kernels and code generators, so that it is no slower than by hone "
	"alone, and than with all that the generators take. What they take is measured once for this device "
	"and kept in the database, or without one in the cache folder; then the model runs in turns in three "
	"ways: by hone alone, all offloaded, and as measured cost has it. hone run --backend runs it as was "
	"found here.\v"
	"Example:\n"
	"  hone partition resnet18.onnx --backend onednn --db tune.db --threads 1\n"
	"  hone partition resnet18.onnx --backend onednn --backend xnnpack --db tune.db --explain\n"
	"  hone partition resnet18.onnx --backend onednn --keep /layer1/Conv\n"
	"  hone partition resnet18.onnx --backend ./mine.so --dry-run --explain\n"
	"  hone partition resnet18.onnx --backend json --dry-run --svg resnet18.svg --artifacts regions\n";

enum { KEY_EXPLAIN = 256, KEY_FULL, KEY_SECONDS, KEY_DRY, KEY_LEAST };

/* A small network runs some hundred times in it, a large one the rounds that an interval needs. */
#define USUAL_S 10

static const struct argp_option options[] = {
	{ "explain", KEY_EXPLAIN, NULL, 0, "a line for each node or kernel: who computes it, and why", 0 },
	{ "require-full-offload", KEY_FULL, NULL, 0,
	  "fail with a list where something is left to hone that could not be offloaded", 0 },
	{ "seconds", KEY_SECONDS, "N", 0, "to run the model for, beside measuring kernels (default: 10)", 0 },
	{ "dry-run", KEY_DRY, NULL, 0, "measure nothing: what generators would take, node by node", 0 },
	{ "least", KEY_LEAST, "N", 0, "with --dry-run: regions of fewer nodes go back to hone", 0 },
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
		state->child_inputs[2] = &args->f;
		return 0;
	case KEY_EXPLAIN:
		args->explain = true;
		return 0;
	case KEY_FULL:
		args->full = true;
		return 0;
	case KEY_SECONDS:
		args->seconds = (double)argp_number(state, "--seconds", arg, 1);
		return 0;
	case KEY_DRY:
		args->dry = true;
		return 0;
	case KEY_LEAST:
		args->least = (int)argp_number(state, "--least", arg, 1);
		return 0;
	case 'j':
		args->json = true;
		return 0;
	case ARGP_KEY_END:
		if (!args->b.nbackends)
			argp_error(state, "which --backend?");
		if (args->least && !args->dry)
			argp_error(state, "--least is for --dry-run");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &model_argp, 0, NULL, 0 }, { &backends_argp, 0, NULL, 0 }, { &partition_files_argp, 0, NULL, 0 },
	{ 0 } };
static const struct argp argp = { options, parse, "MODEL", doc, children, NULL, NULL };

/* --- nothing is measured */

static int check_full(const struct partition_args *args, int left)
{
	return !args->full || left == 0
		       ? 0
		       : err_set("%d nodes of %s are left to hone; --explain says why", left, args->m.model);
}

static void tell_cut(const struct partition_args *args, const struct cut_report *r)
{
	bool left = args->full && cut_share_of(r, REGION_HOST).nodes > 0;

	if (args->json) {
		json_t *out = cut_json(r);

		json_object_set_new(out, "model", json_label(args->m.model));
		json_print(out);
		return;
	}
	if (args->explain || left)
		cut_print_calls(r, !args->explain);
	cut_print_shares(r);
}

static int dry_run(struct arena *a, const struct partition_args *args)
{
	struct onnx_options onnx = { .dims = args->m.dims.at, .ndims = args->m.dims.n };
	const struct offload_request request = backends_request(&args->b);
	struct offload_generators g;
	struct backend_vec all = { 0 };
	struct offload cut;
	struct graph *model = demanded_passes(a, model_read(a, args->m.model, &onnx), &request, NULL, OFFLOAD_AFTER);

	if (!model || offload_generators_load(a, &request, &g) < 0)
		return -1;
	all = offload_generators_all(a, &g);
	struct offload_options o = { .backends = all.at, .n = all.n, .least = args->least };

	if (demands_check_names(model, all.at, all.n) < 0 || offload_all(a, model, &o, &cut) < 0 ||
	    demands_check_cut(model, &cut) < 0)
		return -1;
	const struct cut_report r = cut_report_new(a, model, &cut, all.at, all.n);

	tell_cut(args, &r);
	return partition_files(a, &args->f, &cut, all.at) < 0 ? -1 : check_full(args, cut_share_of(&r, REGION_HOST).nodes);
}

/* --- by measured cost */

static void tell_plans(struct arena *a, const struct partition_args *args, const struct settled *s)
{
	if (args->json) {
		json_t *out = plans_json(a, s);

		json_object_set_new(out, "model", json_label(args->m.model));
		json_print(out);
		return;
	}
	if (args->explain)
		plans_print_kernels(a, s, SETTLED_COST);
	else if (args->full)
		plans_print_kernels(a, s, SETTLED_ALL);
	plans_print(a, s);
}

static int share(struct arena *a, const struct partition_args *args)
{
	struct open_options o = model_options(&args->m);
	struct settled s;

	o.offload = backends_request(&args->b);
	o.offers_to_db = true;
	int rc = settle(a, &o, args->seconds > 0 ? args->seconds : USUAL_S, &s);

	if (rc == 0) {
		const struct offloaded *all = &s.plans[SETTLED_ALL].model.offloaded;

		tell_plans(a, args, &s);
		rc = all->graph ? partition_files(a, &args->f, &all->cut, all->backends) : 0;
		rc = rc < 0 ? -1 : check_full(args, plan_share_of(a, &s, SETTLED_ALL, OFFER_HOST).nodes);
	}
	if (rc == 0 && settled_wrong(&s) >= 0)
		rc = err_set("%s: results of the plan '%s' are not those of hone alone: a generator is wrong (find it "
			     "with --keep); no time of these runs was kept", args->m.model,
			     plan_name(settled_wrong(&s)));
	settled_end(&s);
	return rc;
}

static int run(int argc, char **argv)
{
	struct partition_args args = { .seconds = 0 };
	struct arena *a = arena_new();

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	int rc = args.dry ? dry_run(a, &args) : share(a, &args);

	arena_free(a);
	return rc < 0 ? command_failed() : EXIT_OK;
}

const struct command command_partition = {
	.name = "partition",
	.summary = "shares a model with code generators",
	.argp = &argp,
	.run = run,
};
