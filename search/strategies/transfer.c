/* SPDX-License-Identifier: Apache-2.0 */
/* search/strategies/transfer.c - which records are worth learning from first. */
#include "search/strategies/transfer.h"

#include <jansson.h>

#include "base/clock.h"
#include "base/err.h"
#include "measure/build/toolchain.h"
#include "search/space/genes/candidate.h"
#include "search/campaign/round.h"
#include "te/text/text.h"

/* Lowering takes up to 0.15 ms a record, training 0.25 s for 1000: about a second in all. */
enum {
	LOOK_AT = 20000,	/* newest records, whatever they are of */
	MAX_HERE = 2000,
	MAX_ELSEWHERE = 1000,
	MAX_OF_TASK = 400,	/* else the last task that was tuned would be all */
	/* Below, related devices are asked too; and where it is not reached so either, the prior
	 * knows more: on replayed records 320 of searches misled, 1600 did not. */
	LEAST = 512,
};

/* A device with records. */
struct past_device {
	int64_t id;
	const struct target *own;	/* NULL: it has no figures */
	const struct device *as_ours;	/* with our target; NULL likewise */
};

/* A task on a device, with so many threads: what is learned is how its programs compare with each other. */
struct device_task {
	int64_t task, device;
	int threads;
	struct problem problem;
	int n;			/* samples; -1: no use can be made of it */
};

struct collection {
	const struct transfer *from;
	struct arena *arena, *scratch;
	struct past_device_vec VEC(struct past_device *) devices;
	struct group_vec VEC(struct device_task) groups;
	struct device_sample_vec VEC(struct cost_sample) samples;
	int limit;		/* of samples */
};

/* --- where a record is from */

static struct past_device *past_device_new(struct collection *c, const struct db_device *d)
{
	const struct transfer *from = c->from;
	struct past_device *o = arena_one(c->arena, struct past_device);
	const struct device *device = from->device;

	if (d->id != from->device_id) {
		json_t *json = json_loads(d->description, 0, NULL);

		device = device_parse(c->arena, json);
		json_decref(json);
	}
	o->id = d->id;
	if (device && device->measured.valid) {
		struct device *as_ours = arena_memdup(c->arena, device, sizeof(*device));

		as_ours->target = from->device->target;
		o->own = device->own;
		o->as_ours = as_ours;
	}
	return o;
}

static const struct past_device *past_device_of(struct collection *c, const struct db_device *d)
{
	for (int i = 0; i < c->devices.n; i++)
		if (c->devices.at[i]->id == d->id)
			return c->devices.at[i];
	vec_push(c->arena, &c->devices, past_device_new(c, d));
	return c->devices.at[c->devices.n - 1];
}

static struct device_task group_new(struct collection *c, const struct db_past *past)
{
	const struct past_device *o = past_device_of(c, past->device);
	struct device_task g = { .task = past->task->id, .device = past->device->id, .threads = past->record->threads, .n = -1 };
	const struct dag *dag = dag_parse(c->arena, past->task->name, past->task->text);

	if (!dag)
		return g;
	struct aim *aim = arena_one(c->arena, struct aim);

	*aim = aim_of(o->as_ours, g.threads, c->from->cache);
	g.problem = (struct problem){
		.task = task_new(c->arena, dag, past->task->name, 1),
		.aim = aim,
		.describes = true,
	};
	g.n = 0;
	return g;
}

static int group_of(struct collection *c, const struct db_past *past)
{
	for (int i = 0; i < c->groups.n; i++)
		if (c->groups.at[i].task == past->task->id &&
		    c->groups.at[i].device == past->device->id && c->groups.at[i].threads == past->record->threads)
			return i;
	vec_push(c->arena, &c->groups, group_new(c, past));
	return c->groups.n - 1;
}

/* --- what is taken */

static bool is_own(const struct transfer *t, const struct db_past *past)
{
	if (past->device->id != t->device_id || past->record->threads != t->threads)
		return false;
	for (int i = 0; i < t->tasks->n; i++)
		if (strcmp(t->tasks->at[i]->key, past->task->key) == 0)
			return true;
	return false;
}

/* Kernels for our target, of a device with figures. */
static bool is_related(struct collection *c, const struct db_past *past)
{
	const char *mark = toolchain_mark(past->record->toolchain_text);
	const struct target *own = past_device_of(c, past->device)->own;

	return own && (*mark ? target_named(mark) : own) == c->from->device->target;
}

/* Of those that failed no base is learned; those that do not replay teach nothing. */
static void take(struct collection *c, int group, const struct db_record *r)
{
	double us = observed_us(r->status, r->time_us, r->samples, r->n_samples);
	struct device_task *g = &c->groups.at[group];
	struct candidate one;

	arena_reset(c->scratch);
	if (us <= 0)
		return;
	if (!candidate_recall(&g->problem, c->scratch, r->steps, &one)) {
		db_skip(c->from->db, r->id, err_get());
		return;
	}
	const struct feature_matrix *m = &one.features;
	struct cost_sample sample = {
		.rows = arena_memdup(c->arena, m->rows,
				     (size_t)m->n_rows * FEATURE_COUNT * sizeof(float)),
		.n_rows = m->n_rows,
		.throughput = (float)(1 / us),
		.group = group,
	};

	vec_push(c->arena, &c->samples, sample);
	g->n++;
}

static int look_at(void *user, const struct db_past *past)
{
	struct collection *c = user;

	if (past->record->final)
		return 0;
	if (is_own(c->from, past) || !is_related(c, past))
		return 0;
	int i = group_of(c, past);

	if (c->groups.at[i].n >= 0 && c->groups.at[i].n < MAX_OF_TASK)
		take(c, i, past->record);
	return c->samples.n == c->limit;
}

/* At most LIMIT more. */
static int collect(struct collection *c, bool elsewhere, int limit)
{
	const struct transfer *t = c->from;
	struct db_want want = { .fingerprint = t->device->fingerprint, .elsewhere = elsewhere,
				.cache = cache_state_name(t->cache), .until = t->until, .measured = true, .from = DB_HERE };

	c->limit = c->samples.n + limit;
	return db_each_past(t->db, &want, LOOK_AT, look_at, c) < 0 ? -1 : 0;
}

/* --- what is learned */

static int count_groups(const struct collection *c, bool elsewhere)
{
	int n = 0;

	for (int i = 0; i < c->groups.n; i++)
		n += c->groups.at[i].n > 0 &&
		     (c->groups.at[i].device != c->from->device_id) == elsewhere;
	return n;
}

/* "5 tasks of this device and 2 of related ones" */
static const char *past_devices_text(struct arena *a, const struct collection *c)
{
	int here = count_groups(c, false), there = count_groups(c, true);

	if (!there)
		return arena_printf(a, "%d task%s of this device", here, here == 1 ? "" : "s");
	if (!here)
		return arena_printf(a, "%d task%s of related devices", there,
				    there == 1 ? "" : "s");
	return arena_printf(a, "%d task%s of this device and %d of related ones", here,
			    here == 1 ? "" : "s", there);
}

static int learn(struct collection *c, struct learner *l, struct arena *a, const char **said)
{
	int64_t began = clock_ns();
	struct cost_learned learned;

	if (collect(c, false, MAX_HERE) < 0 ||
	    (c->samples.n < LEAST && collect(c, true, MAX_ELSEWHERE) < 0))
		return -1;
	if (c->samples.n < LEAST)
		return 0;
	if (learner_pretrain(l, c->samples.at, c->samples.n, &learned) < 0)
		return -1;
	*said = arena_printf(a, "pretrained on %d records of %s, %.1f s", c->samples.n,
			     past_devices_text(a, c), seconds_since(began));
	return 0;
}

int transfer_learn(const struct transfer *t, struct learner *l, struct arena *a, const char **said)
{
	struct collection c = { .from = t, .arena = arena_new(), .scratch = arena_new() };

	*said = NULL;
	int rc = learn(&c, l, a, said);

	arena_free(c.scratch);
	arena_free(c.arena);
	return rc;
}
