/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/journal.c - what a campaign writes down after each batch, and reads when it goes on. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/version.h"
#include "search/campaign/campaign.h"
#include "search/trust/evidence.h"

/* --- the search state that is saved with each batch */

char *tuner_text(json_t *json)
{
	char *text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS);

	json_decref(json);
	if (!text)
		die("out of memory");
	return text;
}

double tuner_elapsed(const struct tuner *t)
{
	return t->earlier_s + seconds_since(t->began_ns);
}

/* For who looks on; the next run has one of its own. */
static void save_budget(json_t *root, const struct budget *b)
{
	struct text until = { 0 };

	if (b->trials)
		json_object_set_new(root, "trials_budget", json_integer(b->trials));
	if (b->minutes > 0)
		json_object_set_new(root, "minutes_budget", json_real(b->minutes));
	if (!b->until)
		return;
	budget_print_moment(&until, b->until);
	json_object_set_new(root, "until", json_string(text_str(&until)));
	text_free(&until);
}

/* For who looks on, too: finals that were interrupted begin anew. */
static json_t *finals_json(const struct tuner *t)
{
	const struct finals_stand *f = &t->finals;

	return json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:f}", "state", finals_state_name(f->state),
			 "tasks", f->tasks, "kernels", f->kernels, "lineups", f->lineups, "round",
			 f->round, "rounds", f->rounds, "seconds", t->finals_s);
}

/* The members of decided_json(). */
static const char *const decided[] = { "trials", "scheduler", "trained", "held" };

static json_t *held_json(const struct tuner *t, const struct flight *f)
{
	return json_pack("{s:s, s:i, s:b}", "task", t->tuned[f->task].task->key, "trials",
			 f->batch.n, "short", (int)(f->batch.n < f->batch.cap));
}

static json_t *decided_json(const struct tuner *t, const struct flight *held)
{
	json_t *trials = json_object();
	json_t *root = json_pack("{s:o, s:o}", "trials", trials, "scheduler",
				 scheduler_save(&t->scheduler));

	if (t->learner)
		json_object_set_new(root, "trained", json_integer(learner_trained(t->learner)));
	if (held)
		json_object_set_new(root, "held", held_json(t, held));
	for (int i = 0; i < t->n; i++)
		json_object_set_new(trials, t->tuned[i].task->key,
				    json_integer(t->tuned[i].trials));
	return root;
}

void tuner_decide(struct tuner *t, const struct flight *held)
{
	json_decref(t->decided);
	t->decided = decided_json(t, held);
}

static char *save_state(struct tuner *t)
{
	json_t *weights = json_object();
	json_t *root = json_pack("{s:f, s:I, s:o}", "seconds", tuner_elapsed(t), "failed",
				 (json_int_t)t->failed, "weights", weights);

	if (!t->decided || t->n_flights == 0)
		tuner_decide(t, NULL);
	json_object_update(root, t->decided);
	if (t->stopped_by)
		json_object_set_new(root, "stopped_by", json_string(t->stopped_by));
	json_object_set_new(root, "lessons_until", json_integer(t->lessons_until));
	save_budget(root, &t->options.budget);
	if (t->finals.state != FINALS_NONE)
		json_object_set_new(root, "finals", finals_json(t));
	/* For who looks on: a weight is of the model, and not in the table of tasks. */
	for (int i = 0; i < t->n; i++)
		json_object_set_new(weights, t->tuned[i].task->key,
				    json_real(t->scheduler.at[i].runs));
	return tuner_text(root);
}

/* Seconds of finals that were interrupted: they have them once more. */
static double lost_s(const json_t *finals)
{
	const char *state = json_string_value(json_object_get(finals, "state"));
	bool held = state && strcmp(state, finals_state_name(FINALS_HELD)) == 0;

	return held ? 0 : json_number_value(json_object_get(finals, "seconds"));
}

static struct tuned *find_tuned(struct tuner *t, const char *key)
{
	for (int i = 0; key && i < t->n; i++)
		if (strcmp(t->tuned[i].task->key, key) == 0)
			return &t->tuned[i];
	return NULL;
}

/* The batch that was saved, and not learned from, when the run before ended: its candidates come with its
 * records. */
static void load_held(struct tuner *t, const json_t *held)
{
	struct tuned *u = find_tuned(t, json_string_value(json_object_get(held, "task")));
	int n = (int)json_integer_value(json_object_get(held, "trials"));

	if (!u || n < 0 || n > u->trials)
		return;
	struct flight *f = &t->flights[t->n_flights++];

	*f = (struct flight){ .arena = arena_new(), .task = (int)(u - t->tuned), .saved = true,
			      .before = INT64_MAX };
	f->batch = batch_new(f->arena, n + json_is_true(json_object_get(held, "short")));
	u->heard -= n;
	scheduler_sent(&t->scheduler, f->task, n);
}

int tuner_load(struct tuner *t, const struct db_campaign *c)
{
	json_error_t error;
	json_t *root = json_loadb(c->search, c->search_bytes, 0, &error);

	if (!root)
		return err_set("the state of campaign %s cannot be read: %s; start anew with "
			       "--fresh", c->uid, error.text);
	json_t *trials = json_object_get(root, "trials");

	for (int i = 0; i < t->n; i++) {
		json_t *n = json_object_get(trials, t->tuned[i].task->key);

		t->tuned[i].trials = json_integer_value(n);
		t->tuned[i].proposed = t->tuned[i].heard = t->tuned[i].trials;
		t->trials += t->tuned[i].trials;
	}
	t->resumed = t->trials;
	t->failed = json_integer_value(json_object_get(root, "failed"));
	t->earlier_s = json_number_value(json_object_get(root, "seconds")) -
		       lost_s(json_object_get(root, "finals"));
	if (json_object_get(root, "trained"))
		t->trained = json_integer_value(json_object_get(root, "trained"));
	t->lessons_until = json_integer_value(json_object_get(root, "lessons_until"));
	/* Journals of earlier versions have none: then every task begins anew. */
	json_t *scheduler = json_object_get(root, "scheduler");
	int rc = scheduler ? scheduler_load(&t->scheduler, scheduler) : 0;

	load_held(t, json_object_get(root, "held"));
	t->decided = json_object();
	for (size_t i = 0; i < sizeof(decided) / sizeof(*decided); i++)
		if (json_object_get(root, decided[i]))
			json_object_set(t->decided, decided[i], json_object_get(root, decided[i]));
	json_decref(root);
	return rc < 0 ? err_prefix("campaign %s (--fresh starts anew)", c->uid) : 0;
}

/* --- records */

static const char *counters_json(struct arena *a, const struct trial *trial)
{
	json_t *root = json_object();

	for (int i = 0; i < trial->n_counters; i++)
		json_object_set_new(root, trial->counters[i].name,
				    json_integer(trial->counters[i].value));
	char *text = json_dumps(root, JSON_COMPACT);
	char *copy = arena_strdup(a, text ? text : "{}");

	free(text);
	json_decref(root);
	return copy;
}

/* OTHERS were measured in turn with it; -1: it is a trial of its own. */
static struct db_record record_of(struct tuner *t, const struct tuned *u, const struct candidate *c,
				  int64_t number, int others)
{
	const struct trial *trial = &c->trial;
	bool ok = trial->status == TRIAL_OK;
	/* What a recording answers was measured elsewhere, with a text that is not known here. */
	bool now = t->measurer->confirms && trial->source;

	return (struct db_record){
		.task = u->task_id,
		.device = t->device_id,
		.toolchain = t->toolchain_id,
		.trial = number,
		.final = others >= 0,
		.others = others,
		.estimate = trial->estimate,
		.source_hash = now ? evidence_hash(t->scratch, trial->source) : NULL,
		.hone = now ? version_stamp() : NULL,
		.threads = t->options.threads,
		.steps = c->steps,
		.status = trial->status,
		.message = trial->text,
		.samples = trial->samples,
		.n_samples = trial->n_samples,
		.counted = trial->counted,
		.time_us = ok ? trial->time_us : 0,
		.ratio = ok && isfinite(trial->ratio) ? trial->ratio : 0,
		.counters = counters_json(t->scratch, trial),
		.cache = cache_state_name(t->options.cache),
		.build_ms = trial->build_ms,
		.run_ms = trial->run_ms,
	};
}

static struct db_round round_of(const struct tuner *t, int i, const struct batch *b,
				const struct round *r, const struct phases *spent)
{
	struct db_round out = {
		.task = t->tuned[i].task_id,
		.trials = b->n,
		.refused = r->refused,
		.best_us = t->scheduler.at[i].best_us,
		.seconds = { [PHASE_SEARCH] = r->search_s,
			     [PHASE_LEARN] = r->learn_s,
			     [PHASE_BUILD] = spent->build,
			     [PHASE_RUN] = spent->run,
			     [PHASE_VERIFY] = spent->verify,
			     [PHASE_WAIT] = spent->wait },
		.beside_s = spent->beside,
		.quality = { .samples = r->scored, .recall = r->recall, .rank = r->rank,
			     .accuracy = r->accuracy },
	};

	for (int j = 0; j < b->n; j++)
		out.failed += trial_observed_us(&b->at[j].trial) <= 0;
	return out;
}

static void note_pace(struct campaign_pace *p, const struct db_round *r)
{
	const double *s = r->seconds;
	double sum = s[PHASE_BUILD] + s[PHASE_RUN] + s[PHASE_VERIFY] + s[PHASE_WAIT];

	if (isnan(sum))
		return;
	p->rounds++;
	p->kernels += r->trials;
	p->seconds += sum;
	p->build_s += s[PHASE_BUILD] + (isnan(r->beside_s) ? 0 : r->beside_s);
}

/* Saves BATCH with the search state as it is now. */
static int save(struct tuner *t, struct db_batch *batch)
{
	char *state = save_state(t);

	batch->campaign = t->campaign_id;
	batch->state = state;
	batch->state_bytes = strlen(state);
	int rc = db_append(t->db, batch);

	free(state);
	return rc;
}

int tuner_append(struct tuner *t, int i, const struct batch *b, const struct round *r,
		 const struct phases *spent, bool final)
{
	const struct tuned *u = &t->tuned[i];
	struct db_record *records = arena_many(t->scratch, struct db_record, b->n);
	struct db_round round = round_of(t, i, b, r, spent);
	struct db_batch batch = { .records = records, .round = &round };

	note_pace(&t->pace, &round);
	for (int j = 0; j < b->n; j++)
		if (b->at[j].trial.status != TRIAL_PENDING)
			records[batch.n++] =
				record_of(t, u, &b->at[j], final ? u->trials : u->trials - b->n + j,
					  final ? b->n - 1 : -1);
	return save(t, &batch);
}

int tuner_save(struct tuner *t)
{
	return save(t, &(struct db_batch){ .n = 0 });
}

/* --- what the records say when a campaign goes on, or begins where others were */

/* Whether R is of the batch that is on its way since the run before. */
static bool is_held(const struct tuner *t, const struct tuned *u, const struct db_record *r)
{
	return t->n_flights > 0 && u == &t->tuned[t->flights[0].task] &&
	       r->campaign == t->campaign_id && r->trial >= u->heard;
}

static void hold(struct flight *f, const struct candidate *c, const struct db_record *r)
{
	struct candidate *to = &f->batch.at[f->batch.n++];

	*to = *c;
	to->trial = (struct trial){
		.status = r->status,
		.time_us = r->time_us,
		.samples = arena_memdup(f->arena, r->samples, sizeof(double) * (size_t)r->n_samples),
		.n_samples = r->n_samples,
	};
}

/* 0, or -1 and a message, which is told, where it does not replay. */
static int recall_held(struct tuner *t, const struct problem *p, const struct db_record *r)
{
	struct flight *f = &t->flights[0];
	struct candidate c;

	if (r->id <= f->before)
		f->before = r->id - 1;
	if (f->batch.n == f->batch.cap)
		return 0;
	if (!candidate_recall(p, f->arena, arena_strdup(f->arena, r->steps), &c))
		return -1;
	hold(f, &c, r);
	return 0;
}

/* A record that does not replay (of an older version, say) teaches nothing, nor does a guess that
 * another campaign was given. */
static int recall_record(void *user, const struct db_record *r)
{
	struct tuner *t = user;
	struct tuned *u = find_tuned(t, r->task_key);

	if (!u || r->final || (r->estimate && r->campaign != t->campaign_id))
		return 0;
	const struct problem *p = tuner_problem(t, (int)(u - t->tuned));
	double us = observed_us(r->status, r->time_us, r->samples, r->n_samples);
	struct candidate c = { 0 };

	arena_reset(t->scratch);
	history_see(p->history, r->steps);
	if (is_held(t, u, r)) {
		if (recall_held(t, p, r) < 0)
			db_skip(t->db, r->id, err_get());
		return 0;
	}
	if (t->learner && !candidate_recall(p, t->scratch, r->steps, &c)) {
		db_skip(t->db, r->id, err_get());
		return 0;
	}
	if (t->learner) {
		candidate_tell_genes(p, t->scratch, &c);
		learner_add(t->learner, p->group, &c.features, us);
		if (learner_came(t->learner) == t->trained)
			learner_retrain(t->learner);
	}
	history_add(p->history, &c.genes, r->steps, c.kind, us);
	return 0;
}

int tuner_recall(struct tuner *t)
{
	struct db_want want = tuner_want(t, NULL);
	struct db_round_vec rounds;

	if (db_each(t->db, &want, recall_record, t) < 0 ||
	    db_rounds(t->db, t->arena, t->campaign_id, &rounds) < 0)
		return -1;
	for (int i = 0; i < rounds.n; i++)
		note_pace(&t->pace, &rounds.at[i]);
	if (t->learner)
		learner_train(t->learner);
	return 0;
}
