/* SPDX-License-Identifier: Apache-2.0 */
/* tools/model/compile.c - `hone compile`: builds and keeps a model's kernels, and explains what each part of
 * the model became. */
#include <argp.h>
#include <stdio.h>

#include "base/err.h"
#include "runtime/explain.h"
#include "runtime/kept/module.h"
#include "tools/args/backends.h"
#include "tools/args/model.h"
#include "tools/command.h"
#include "tools/json.h"

struct compile_args {
	struct model_args m;
	struct backend_args b;
	const char *output;
	bool explain, json;
};

static const char doc[] =
	"Builds the kernels that MODEL needs and keeps them, so that hone run finds them; --output writes a module, one "
	"file with all that hone run needs of MODEL. --explain "
	"lists the calls that the model became, in order: who computes each, as whom its record "
	"measured it (or why there is none), its time and share, the task, the type of its result; "
	"the memory of each stretch of calls and the least that could do; and what generators and the "
	"interpreter run between stretches, the latter with the reason.\v"
	"Example:\n"
	"  hone compile resnet18.onnx --db tune.db --explain\n"
	"  hone compile resnet18.onnx --db tune.db --threads 1 --json\n"
	"  hone compile resnet18.onnx --db tune.db --backend onednn --explain\n"
	"  hone compile resnet18.onnx --db tune.db --backend onednn -o resnet18.hone\n"
	"  hone run resnet18.hone\n";

enum { KEY_EXPLAIN = 256 };

static const struct argp_option options[] = {
	{ "output", 'o', "FILE.hone", 0, "a module with the graph, constants, kernels and what generators compiled", 0 },
	{ "explain", KEY_EXPLAIN, NULL, 0, "list each call, and why it is what it is", 0 },
	{ "json", 'j', NULL, 0, "JSON instead of text, with all that --explain tells", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct compile_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->m;
		state->child_inputs[1] = &args->b;
		return 0;
	case KEY_EXPLAIN:
		args->explain = true;
		return 0;
	case 'j':
		args->json = true;
		return 0;
	case 'o':
		if (!module_is(arg))
			argp_error(state, "--output '%s': give a name that ends in " MODULE_END, arg);
		args->output = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &model_argp, 0, NULL, 0 }, { &backends_argp, 0, NULL, 0 }, { 0 }
};
static const struct argp argp = { options, parse, "MODEL", doc, children, NULL, NULL };

static double kib(size_t bytes)
{
	return (double)bytes / 1024;
}

/* What the memory of M takes beyond the least that could do, in percent. */
static double gap(const struct memory_plan *m)
{
	return m->bound ? 100 * ((double)m->bytes / (double)m->bound - 1) : 0;
}

/* --- text */

/* What C takes, by its record or as expected; 0: neither is known. */
static double time_of(const struct explained_call *c)
{
	return c->time_us > 0 ? c->time_us : c->expected_us;
}

/* A time, marked by what it rests on: nothing, inside a model; '*', alone; '~', nobody measured it. */
static void print_time(double time_us, bool in_model, double expected_us, double all_us)
{
	double us = time_us > 0 ? time_us : expected_us;
	char mark = time_us <= 0 ? '~' : in_model ? ' ' : '*';

	if (us > 0)
		printf("  %9.2f%c %5.1f%%", us, mark, 100 * us / all_us);
	else
		printf("  %9s  %6s", "-", "-");
}

static void print_call(struct arena *a, const struct explained_call *c, double all_us)
{
	print_time(c->time_us, c->in_model, c->expected_us, all_us);
	printf("  %-11s %s", c->by, c->task ? c->task->op : c->what);
	if (c->task)
		printf(" %s", c->task->shape);
	printf(" -> %s", type_string(a, c->result));
	if (c->moves)
		printf(", moves only");
	if (c->why)
		printf(" (%s)", c->why);
	putchar('\n');
}

static void print_stretch(struct arena *a, const struct explained_stretch *s, double all_us)
{
	const struct memory_plan *m = s->memory;

	printf("%s: %d calls, %d more take none; %.1f KiB of memory, %.1f%% over the bound%s "
	       "(%s, %.0f ms)\n",
	       s->name, s->calls.n, s->idle, kib(m->bytes), gap(m),
	       m->optimal ? ", no plan is smaller" : "", m->order, m->seconds * 1e3);
	printf("  %9s  %6s  %-11s %s\n", "us", "share", "by", "task -> result");
	for (int i = 0; i < s->calls.n; i++)
		print_call(a, &s->calls.at[i], all_us);
}

static void print_regions(const struct explanation *e)
{
	printf("regions of generators, between stretches\n  %9s  %6s  %-11s %s\n", "us", "share", "by",
	       "region");
	for (int i = 0; i < e->regions.n; i++) {
		const struct explained_region *r = &e->regions.at[i];

		print_time(r->time_us, r->in_model, 0, e->predicted_us);
		printf("  %-11s %s, %d calls of the model\n", r->by, r->name, r->calls);
	}
}

/* By the times of records, or what is expected of kernels that have none. */
static void print_images(const struct layout_choice *c)
{
	printf("images: %.3f ms for kernels and transforms", c->us * 1e-3);
	if (c->exact)
		printf(", the least there is");
	else
		printf(", at most %.1f%% above the least", 100 * (c->us / c->bound - 1));
	printf("; all nchw %.3f, all nhwc %.3f, all in blocks %.3f, each kernel's fastest %.3f\n",
	       c->uniform_us[MANNER_NCHW] * 1e-3, c->uniform_us[MANNER_NHWC] * 1e-3,
	       c->uniform_us[MANNER_BLOCKED] * 1e-3, c->greedy_us * 1e-3);
	printf("fusion: %d functions are split, merged, chained or combined otherwise than by the rules\n",
	       c->alternatives);
}

static void print_text(struct arena *a, const struct compile_args *args, const struct opened *m,
		       const struct explanation *e)
{
	int calls = 0;

	for (int i = 0; i < e->stretches.n; i++) {
		calls += e->stretches.at[i].calls.n;
		if (args->explain)
			print_stretch(a, &e->stretches.at[i], e->predicted_us);
	}
	if (args->explain && e->regions.n > 0)
		print_regions(e);
	if (args->explain && m->images.us > 0)
		print_images(&m->images);
	for (int i = 0; args->explain && i < e->rest.n; i++)
		printf("between stretches: %s: %s  %s\n", e->rest.at[i].what, e->rest.at[i].why,
		       e->rest.at[i].label);
	printf("%d calls in %d stretches, ", calls, e->stretches.n);
	if (e->regions.n > 0)
		printf("%d regions of generators and ", e->regions.n);
	printf("%d operators between them; %d kernels compiled\n", e->rest.n, m->built);
	printf("predicted: %.3f ms: %.3f of %d calls that were timed inside a model, %.3f of %d timed "
	       "alone (*), %.3f of %d that are only expected (~); %d have no figure\n",
	       e->predicted_us * 1e-3, e->in_model.us * 1e-3, e->in_model.calls, e->alone.us * 1e-3,
	       e->alone.calls, e->expected.us * 1e-3, e->expected.calls, e->unknown);
}

/* --- JSON */

static json_t *images_json(const struct layout_choice *c)
{
	if (c->us <= 0)
		return json_null();
	return json_pack("{s:f, s:f, s:b, s:f, s:f, s:f, s:f, s:i}", "us", c->us, "bound_us", c->bound,
			 "exact", (int)c->exact, "nchw_us", c->uniform_us[MANNER_NCHW], "nhwc_us",
			 c->uniform_us[MANNER_NHWC], "blocked_us", c->uniform_us[MANNER_BLOCKED],
			 "greedy_us", c->greedy_us, "alternatives", c->alternatives);
}

static json_t *call_json(struct arena *a, const struct explained_call *c, double all_us)
{
	json_t *one = json_object();
	char hex[HASH_TEXT];
	bool tunable = c->task && c->task->dag;

	json_object_set_new(one, "what", json_label(c->what));
	json_object_set_new(one, "by", json_label(c->by));
	json_object_set_new(one, "reason", json_label(c->why));
	json_object_set_new(one, "task",
			    tunable ? json_string(hash_text(c->task->key, hex)) : json_null());
	json_object_set_new(one, "op", json_label(c->task ? c->task->op : NULL));
	json_object_set_new(one, "shape", json_label(c->task ? c->task->shape : NULL));
	json_object_set_new(one, "result", json_label(type_string(a, c->result)));
	json_object_set_new(one, "node", json_label(c->label));
	json_object_set_new(one, "moves", json_boolean(c->moves));
	json_object_set_new(one, "time_us", json_positive(c->time_us));
	json_object_set_new(one, "in_model", json_boolean(c->in_model));
	json_object_set_new(one, "expected_us",
			    json_positive(c->time_us > 0 ? 0 : c->expected_us));
	json_object_set_new(one, "share", json_positive(all_us > 0 ? time_of(c) / all_us : 0));
	return one;
}

static json_t *memory_json(const struct memory_plan *m)
{
	json_t *one = json_object();

	json_object_set_new(one, "bytes", json_integer((json_int_t)m->bytes));
	json_object_set_new(one, "bound", json_integer((json_int_t)m->bound));
	json_object_set_new(one, "optimal", json_boolean(m->optimal));
	json_object_set_new(one, "order", json_label(m->order));
	json_object_set_new(one, "seconds", json_figure(m->seconds));
	return one;
}

static json_t *stretch_json(struct arena *a, const struct explained_stretch *s, double all_us)
{
	json_t *one = json_object();
	json_t *calls = json_array();

	for (int i = 0; i < s->calls.n; i++)
		json_array_append_new(calls, call_json(a, &s->calls.at[i], all_us));
	json_object_set_new(one, "name", json_label(s->name));
	json_object_set_new(one, "calls", calls);
	json_object_set_new(one, "idle", json_integer(s->idle));
	json_object_set_new(one, "memory", memory_json(s->memory));
	return one;
}

static json_t *regions_json(const struct explanation *e)
{
	json_t *all = json_array();

	for (int i = 0; i < e->regions.n; i++) {
		const struct explained_region *r = &e->regions.at[i];
		json_t *one = json_object();

		json_object_set_new(one, "name", json_label(r->name));
		json_object_set_new(one, "by", json_label(r->by));
		json_object_set_new(one, "calls", json_integer(r->calls));
		json_object_set_new(one, "time_us", json_positive(r->time_us));
		json_object_set_new(one, "in_model", json_boolean(r->in_model));
		json_object_set_new(one, "share",
				    json_positive(e->predicted_us > 0 ? r->time_us / e->predicted_us : 0));
		json_array_append_new(all, one);
	}
	return all;
}

static void print_json(struct arena *a, const struct compile_args *args, const struct opened *m,
		       const struct explanation *e)
{
	json_t *all = json_object();
	json_t *stretches = json_array();
	json_t *between = json_array();

	for (int i = 0; i < e->stretches.n; i++)
		json_array_append_new(stretches, stretch_json(a, &e->stretches.at[i], e->predicted_us));
	for (int i = 0; i < e->rest.n; i++) {
		json_t *one = json_object();

		json_object_set_new(one, "op", json_label(e->rest.at[i].what));
		json_object_set_new(one, "reason", json_label(e->rest.at[i].why));
		json_object_set_new(one, "node", json_label(e->rest.at[i].label));
		json_array_append_new(between, one);
	}
	json_object_set_new(all, "model", json_label(args->m.model));
	json_object_set_new(all, "stretches", stretches);
	json_object_set_new(all, "between", between);
	json_object_set_new(all, "regions", regions_json(e));
	json_object_set_new(all, "images", images_json(&m->images));
	json_object_set_new(all, "built", json_integer(m->built));
	json_object_set_new(all, "predicted_ms", json_positive(e->predicted_us * 1e-3));
	json_object_set_new(all, "in_model", json_integer(e->in_model.calls));
	json_object_set_new(all, "in_model_ms", json_real(e->in_model.us * 1e-3));
	json_object_set_new(all, "alone", json_integer(e->alone.calls));
	json_object_set_new(all, "alone_ms", json_real(e->alone.us * 1e-3));
	json_object_set_new(all, "expected", json_integer(e->expected.calls));
	json_object_set_new(all, "expected_ms", json_real(e->expected.us * 1e-3));
	json_object_set_new(all, "unknown", json_integer(e->unknown));
	json_print(all);
}

static int run(int argc, char **argv)
{
	struct compile_args args = { 0 };
	struct arena *a = arena_new();
	struct opened m = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	struct open_options o = model_options(&args.m);

	o.offload = backends_request(&args.b);
	o.recall = module_is(args.m.model);
	o.module = args.output;
	int rc = open_model(a, &o, &m) < 0 ? command_failed() : EXIT_OK;

	if (rc == EXIT_OK) {
		struct explanation e = explain(a, m.code, m.tasks, m.choices);

		explain_regions(a, &m.offloaded, &e);
		(args.json ? print_json : print_text)(a, &args, &m, &e);
	}
	arena_free(a);
	return rc;
}

const struct command command_compile = {
	.name = "compile",
	.summary = "builds a model's kernels and explains what it became",
	.argp = &argp,
	.run = run,
};
