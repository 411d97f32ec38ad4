/* SPDX-License-Identifier: Apache-2.0 */
/* tools/args/query.c - SOURCE, database and device of a command that looks things up. */
#include "tools/args/query.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/command.h"
#include "measure/device/calibration.h"
#include "measure/device/simulated.h"
#include "tools/source.h"
#include "tools/args/targets.h"

enum { KEY_EXACT = 0x3000 };	/* no key of a command that has these options */

static const struct argp_option options[] = {
	{ "db", 'd', "FILE", 0, "database of records (required)", 0 },
	{ "threads", 't', "N", 0, "records of kernels with N threads (default: any)", 0 },
	{ "exact", KEY_EXACT, NULL, 0, "no kernels that derive another algorithm", 0 },
	{ "json", 'j', NULL, 0, "JSON instead of a table", 0 },
	{ 0 },
};

long long argp_number(struct argp_state *state, const char *option, const char *arg,
		      long long least)
{
	char *end;
	long long v;

	errno = 0;
	v = strtoll(arg, &end, 10);
	if (errno || *end || end == arg || v < least)
		argp_error(state, "%s '%s': give a whole number of at least %lld", option, arg,
			   least);
	return v;
}

int argp_int(struct argp_state *state, const char *option, const char *arg, int least, int most)
{
	long long v = argp_number(state, option, arg, least);

	if (v > most)
		argp_error(state, "%s '%s': give %d at most", option, arg, most);
	return (int)v;
}

enum cache_state argp_cache(struct argp_state *state, const char *arg)
{
	enum cache_state c;

	if (!cache_state_parse(arg, &c) || c == CACHE_MODEL)
		argp_error(state, "--cache '%s': a cache is warm, cold or cold-weights", arg);
	return c;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct query *q = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &q->target;
		state->child_inputs[1] = &q->simulated;
		break;
	case 'd':
		q->db_path = arg;
		break;
	case 't':
		q->threads = argp_int(state, "--threads", arg, 1, DEVICE_MAX_THREADS);
		break;
	case KEY_EXACT:
		q->exact = true;
		break;
	case 'j':
		q->json = true;
		break;
	case ARGP_KEY_ARG:
		if (q->source)
			argp_error(state, "one SOURCE at a time");
		q->source = arg;
		break;
	case ARGP_KEY_END:
		if (!q->source && !q->source_optional)
			argp_error(state, "which SOURCE?");
		if (q->simulated.given && q->target)
			argp_error(state, "--target: a simulated device has kernels of its own");
		if (!q->db_path)
			argp_error(state, "which database? give --db FILE");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_child children[] = { { &target_argp, 0, NULL, 0 }, { &simulated_argp, 0, NULL, 0 }, { 0 } };
const struct argp query_argp = { options, parse, NULL, NULL, children, NULL, NULL };

static const struct argp_option cc_options[] = {
	{ "cc", 'c', "COMPILER", 0,
	  "that builds kernels (default: clang, else gcc; against peers that of the record)", 0 },
	{ 0 },
};

static error_t parse_cc(int key, char *arg, struct argp_state *state)
{
	const char **cc = state->input;

	if (key != 'c')
		return ARGP_ERR_UNKNOWN;
	*cc = arg;
	return 0;
}

const struct argp cc_argp = { cc_options, parse_cc, NULL, NULL, NULL, NULL, NULL };

int query_open(struct query *q)
{
	q->arena = arena_new();
	q->db = db_open(q->db_path, DB_READ);
	if (!q->db)
		return -1;
	db_listen(q->db, &(struct listener){ command_hear, NULL });
	if (!q->source)
		return 0;
	q->device = q->simulated.given ? device_simulated(q->arena, &q->simulated.machine) : device_describe(q->arena, NULL);
	if (q->device && q->target)
		q->device->target = q->target;
	if (!q->device || (!q->simulated.given && device_load_or_probe(q->device, false) < 0))
		return -1;
	q->now = calibration_of(q->device);
	q->times = (struct task_times){ .db = q->db, .device = q->device, .now = q->now,
					  .threads = q->threads, .exact = q->exact };
	const struct kernel_costs *costs = task_times_costs(&q->times);

	return q->sequence ? source_sequence(q->arena, q->source, costs, &q->tasks, q->sequence)
			   : source_tasks(q->arena, q->source, costs, &q->tasks);
}

void query_close(struct query *q)
{
	db_close(q->db);
	arena_free(q->arena);
}

struct db_want query_want(const struct query *q)
{
	return (struct db_want){ .fingerprint = q->device->fingerprint,
				 .target = device_mark(q->device),
				 .threads = q->threads,
				 .cache = q->cache,
				 .exact = q->exact,
				 .now = &q->now };
}

int query_best(const struct query *q, const struct task *t, struct best *out)
{
	return (source_is_model(q->source) ? task_best_in_model : task_best)(
		q->arena, q->db, t, query_want(q), q->device->target, out);
}

void query_warn(const struct query *q, const struct task *t, const struct best *b)
{
	const char *caveat = evidence_caveat(q->arena, &b->record, b->evidence);

	if (*caveat)
		fprintf(stderr, "hone: %s: record %jd: %s; it is built and timed anew here, which "
				"the database does not learn of (hone tune does)\n", t->name,
			(intmax_t)b->record.id, caveat);
}
