/* SPDX-License-Identifier: Apache-2.0 */
/* bench/suites/peers.c - our best kernel against libraries, in turns in one process. */
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "bench/sequence/kernel.h"
#include "bench/suite.h"
#include "bench/versus.h"
#include "measure/fill.h"
#include "measure/device_lock.h"
#include "search/best.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/query.h"

enum { MAX_PEERS = 8 };

struct bench_args {
	struct query q;
	const char *cc;
	double seconds;		/* for each task; 0: the default */
	struct versus_peer peers[MAX_PEERS];
	int n_peers;
	struct builder *builder;
	struct device_lock *lock;	/* campaigns do not measure meanwhile */
};

static const char doc[] =
	"Measures the best kernel of every task of SOURCE against libraries, interleaved in one "
	"process. A ratio is the peer's time over ours: more is better; its spread is the 10th and "
	"90th percentile over the rounds.\v"
	"Example:\n  hone bench matmul:m=512,n=512,k=512 --db tune.db --peer openblas --peer onednn\n";

enum { KEY_CC = 256, KEY_SECONDS };

static const struct argp_option options[] = {
	{ "peer", 'p', "NAME", 0, "openblas, onednn; may be given again (default: all)", 0 },
	{ "cc", KEY_CC, "COMPILER", 0, "that builds our kernel (default clang, else gcc)", 0 },
	{ "seconds", KEY_SECONDS, "S", 0, "for each task (default 2)", 0 },
	{ 0 },
};

static void add_peer(struct bench_args *args, const struct peer *peer)
{
	if (args->n_peers < MAX_PEERS)
		args->peers[args->n_peers++].peer = peer;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct bench_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->q;
		return 0;
	case 'p':
		if (!peer_find(arg))
			argp_error(state, "%s", err_get());
		add_peer(args, peer_find(arg));
		return 0;
	case KEY_CC:
		args->cc = arg;
		return 0;
	case KEY_SECONDS:
		args->seconds = (double)argp_number(state, "--seconds", arg, 1);
		return 0;
	case ARGP_KEY_SUCCESS:
		if (args->n_peers == 0)
			for (int i = 0; peers()[i]; i++)
				add_peer(args, peers()[i]);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &query_argp, 0, NULL, 0 },
	{ &suite_argp, 0, NULL, 0 },
	{ 0 },
};
static const struct argp argp = { options, parse, "SOURCE", doc, children, NULL, NULL };

/* Our kernel on buffers of its own. */
struct ours {
	struct kernel kernel;
	void *args[WORKLOAD_ARGS];	/* what it is called with */
	void *raw[WORKLOAD_ARGS];	/* as the DAG declares them; the outputs are the same */
	void *packed[WORKLOAD_ARGS];
};

static void ours_free(struct ours *o)
{
	for (int i = 0; i < WORKLOAD_ARGS; i++) {
		free(o->raw[i]);
		free(o->packed[i]);
	}
}

static void ours_fill(struct ours *o, const struct workload *w)
{
	for (int i = 0; i < w->n_args; i++) {
		const struct workload_arg *arg = &w->args[i];

		o->raw[i] = kernel_buffer((size_t)arg->count * dtype_bytes(arg->dtype));
		o->args[i] = o->raw[i];
		if (arg->role == ARG_OUTPUT)
			continue;
		fill_arg(w, i, o->raw[i]);
		o->packed[i] = kernel_packed(&o->kernel, i, o->raw[i]);
		if (o->packed[i])
			o->args[i] = o->packed[i];
	}
}

static int ours_run(void *user)
{
	const struct ours *o = user;

	return kernel_run(&o->kernel, o->args);
}

static json_t *peer_json(const struct versus_peer *p)
{
	if (p->why)
		return json_pack("{s:s, s:s}", "name", p->peer->name, "why", p->why);
	return json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:s*, s:s*}", "name", p->peer->name, "us",
			 p->standing.us, "ratio", p->standing.ratio, "low", p->standing.low,
			 "high", p->standing.high, "difference", p->difference, "version",
			 p->version, "kernel", p->kernel);
}

static void print_peers(const struct bench_args *args, const struct task *t,
			const struct standing *ours)
{
	printf("%s\n  %-10s %10.4g us %8.1f GFLOP/s\n", t->name, "hone", ours->us,
	       t->flop / ours->us * 1e-3);
	for (int i = 0; i < args->n_peers; i++) {
		const struct versus_peer *p = &args->peers[i];

		if (p->why)
			printf("  %-10s not applicable: %s\n", p->peer->name, p->why);
		else
			printf("  %-10s %10.4g us %8.1f GFLOP/s  ratio %.3f (%.3f to %.3f)  %s\n",
			       p->peer->name, p->standing.us, t->flop / p->standing.us * 1e-3,
			       p->standing.ratio, p->standing.low, p->standing.high,
			       p->kernel ? p->kernel : "");
	}
}

static int compare(struct bench_args *args, const struct task *t, struct ours *o, int threads,
		   json_t *rows)
{
	struct arena *a = args->q.arena;
	struct workload w = task_workload(a, t, threads, CACHE_WARM, 1);
	struct interleave how = interleave_default(threads);
	struct standing ours;

	if (w.n_args > WORKLOAD_ARGS)
		return err_set("%s: more than %d tensors", t->name, WORKLOAD_ARGS);
	if (args->seconds > 0)
		how.budget_s = args->seconds;
	ours_fill(o, &w);
	device_lock_take(args->lock);
	int rc = versus(a, t->dag, o->raw, threads, &how, (struct contender){ "hone", ours_run, o },
			&ours, args->peers, args->n_peers, NULL);

	device_lock_release(args->lock);
	ours_free(o);
	if (rc < 0)
		return -1;
	json_t *peers_json = json_array();

	for (int i = 0; i < args->n_peers; i++)
		json_array_append_new(peers_json, peer_json(&args->peers[i]));
	json_array_append_new(rows, json_pack("{s:s, s:s, s:i, s:f, s:o}", "task", t->key, "name",
					      t->name, "threads", threads, "hone_us", ours.us, "peers", peers_json));
	if (!args->q.json)
		print_peers(args, t, &ours);
	return 0;
}

static int bench_task(struct bench_args *args, const struct task *t, json_t *rows)
{
	struct arena *a = args->q.arena;
	struct ours ours = { 0 };
	struct best b;
	int found = task_best(a, args->q.db, t, query_want(&args->q),
			      args->q.device->vector_bytes, &b);

	if (found < 0)
		return -1;
	if (found == 0) {
		fprintf(stderr, "hone: %s: no kernel with %d thread%s on this device yet; run "
				"hone tune\n", t->name, args->q.threads,
			args->q.threads > 1 ? "s" : "");
		return 0;
	}
	char threads[16];

	snprintf(threads, sizeof(threads), "%d", args->q.threads);
	setenv("OMP_NUM_THREADS", threads, 1);
	if (kernel_build(a, args->builder, b.state, args->q.device->vector_bytes, args->q.threads,
			 &ours.kernel) < 0)
		return err_prefix("%s", t->name);
	return compare(args, t, &ours, args->q.threads, rows);
}

static int bench_all(struct bench_args *args)
{
	struct builder_options build = { .cc = args->cc };
	json_t *rows = json_array();
	int rc = 0;

	args->lock = device_lock_new(&(struct listener){ command_hear, NULL });
	args->builder = builder_new(&build);
	if (!args->builder)
		rc = -1;
	for (int i = 0; rc == 0 && i < args->q.tasks.n; i++)
		rc = bench_task(args, args->q.tasks.at[i], rows);
	builder_free(args->builder);
	device_lock_free(args->lock);
	if (rc == 0 && args->q.json)
		json_print(rows);
	else
		json_decref(rows);
	return rc;
}

static int run(int argc, char **argv)
{
	struct bench_args args = { .q = { .threads = 1 } };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	int rc = query_open(&args.q) < 0 || bench_all(&args) < 0 ? command_failed() : EXIT_OK;

	query_close(&args.q);
	return rc;
}

const struct suite suite_peers = {
	.name = "peers",
	.summary = "our kernels against OpenBLAS and oneDNN, in turns",
	.run = run,
};
