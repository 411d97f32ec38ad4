/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/offers.c - times by task and generator, read from databases and written to one. */
#include "runtime/offload/offers.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "config.h"
#include "graph/ir/names.h"
#include "measure/timing.h"
#include "te/text.h"

/* What is known of one task and one of those who compute it. */
struct known_offer {
	struct offer alone, in_model;	/* us is 0 where it is not known */
};

struct known_offer_vec VEC(struct known_offer);

/* What was measured and is yet to be saved. */
struct learned_offer {
	const char *key, *name, *text;	/* as struct db_task has them */
	double flop;
	struct offer what;
	const double *samples;
	int n;
};

struct learned_offer_vec VEC(struct learned_offer);

struct offers {
	struct arena *arena;
	const struct offers_options *options;
	enum offload_policy policy;
	struct hash128 model;		/* that they are for */
	double *ratio;			/* by backend, in models over alone; 0: to be found */
	struct names places;		/* "KEY who", to index of known */
	struct known_offer_vec known;
	struct learned_offer_vec learned;
};

/* Beyond OFFER_HOST, whole models. */
static int plan_backend(enum offload_policy policy)
{
	return OFFER_HOST - 1 - (int)policy;
}

static int figure_backend(enum offers_figure which)
{
	return plan_backend(OFFLOAD_POLICIES) - (int)which;
}

enum { LAST_OF_ALL = OFFER_HOST - OFFLOAD_POLICIES - OFFERS_FIGURES };

static const char *generator_names(struct arena *a, const struct offers_options *o)
{
	const char *names = "";

	for (int b = 0; b < o->n; b++)
		names = arena_printf(a, "%s%s%s: %s", names, *names ? ", " : "", o->backends[b].generator->name,
				     o->backends[b].version);
	return names;
}

/* The toolchain of BACKEND's records. */
static const char *toolchain(struct arena *a, const struct offers_options *o, int backend)
{
	static const char *const plans[] = {
		[OFFLOAD_FASTEST] = "plan, by cost", [OFFLOAD_ALL] = "plan, all",
		[OFFLOAD_NONE] = "plan, none", [OFFLOAD_POLICIES + FIGURE_LAUNCH_US] = "launch",
		[OFFLOAD_POLICIES + FIGURE_HOST_RATIO] = "ratio",
	};

	if (backend < OFFER_HOST)
		return arena_printf(a, DB_OFFLOAD "%s of %s", plans[OFFER_HOST - 1 - backend],
				    generator_names(a, o));
	return backend == OFFER_HOST ? DB_OFFLOAD "hone"
				     : arena_printf(a, DB_OFFLOAD "%s: %s", o->backends[backend].generator->name,
						    o->backends[backend].version);
}

static const char *place_name(struct arena *a, const char *key, int backend)
{
	return arena_printf(a, "%s %d", key, backend);
}

static struct known_offer *known(struct offers *o, const char *key, int backend)
{
	const char *name = place_name(o->arena, key, backend);

	if (names_add(o->arena, &o->places, name, o->known.n))
		vec_push(o->arena, &o->known, (struct known_offer){ 0 });
	return &o->known.at[names_get(&o->places, name, 0)];
}

static void set(struct offers *o, const char *key, const struct offer *what)
{
	struct known_offer *k = known(o, key, what->backend);

	*(what->in_model ? &k->in_model : &k->alone) = *what;
}

/* --- reading */

/* Whose records are read. */
struct offers_reader {
	struct offers *offers;
	int backend;
	bool in_model;
};

/* Later records replace earlier ones. */
static int read_record(void *ctx, const struct db_record *r)
{
	struct offers_reader *x = ctx;
	struct offer what = { .backend = x->backend, .us = r->time_us, .in_model = x->in_model };

	if (r->source_hash)
		hash_parse(r->source_hash, &what.source);
	if (r->status == TRIAL_OK)
		set(x->offers, r->task_key, &what);
	return 0;
}

static int read_db(struct offers *o, const char *path)
{
	const struct offers_options *x = o->options;
	struct db *db = db_open(path, DB_READ);
	int rc = db ? 0 : -1;

	for (int b = LAST_OF_ALL; b < x->n && rc == 0; b++)
		for (int in_model = 0; in_model < 2 && rc == 0; in_model++) {
			struct offers_reader reader = { o, b, in_model };
			struct db_want want = {
				.fingerprint = x->device->fingerprint, .threads = x->threads, .offload = true,
				.now = &x->now, .toolchain = toolchain(o->arena, x, b),
				.cache = cache_state_name(in_model ? CACHE_MODEL : CACHE_WARM),
			};

			rc = db_each(db, &want, read_record, &reader);
		}
	db_close(db);
	return rc;
}

/* The database of what is measured where the user has none to write to; NULL: there is no folder. */
static const char *kept_db(struct arena *a)
{
	const char *cache = dir_cache(a);

	return cache ? arena_printf(a, "%s/offload.db", cache) : NULL;
}

struct offers *offers_new(struct arena *a, const struct offers_options *options)
{
	struct offers *o = arena_one(a, struct offers);
	const char *kept = kept_db(a);

	*o = (struct offers){ .arena = a, .options = options, .ratio = arena_many(a, double, options->n) };
	if (kept && access(kept, F_OK) == 0 && read_db(o, kept) < 0)
		return NULL;
	if (options->db && access(options->db, F_OK) == 0 && read_db(o, options->db) < 0)
		return NULL;
	return o;
}

const struct offers_options *offers_options(const struct offers *o)
{
	return o->options;
}

const struct offers *offers_in_use(const struct offers *o)
{
	return o && o->policy != OFFLOAD_NONE ? o : NULL;
}

void offers_set_policy(struct offers *o, enum offload_policy policy)
{
	o->policy = policy;
}

enum offload_policy offers_policy(const struct offers *o)
{
	return o->policy;
}

/* --- asking */

/* How many times as long as alone BACKEND's kernels took in models: the median of those that are known both
 * ways, at least 1; what was just written and what is in the caches are guesses. */
static double ratio_of(const struct offers *o, int backend)
{
	if (o->ratio[backend] > 0)
		return o->ratio[backend];
	struct arena *a = arena_new();
	double *ratios = arena_many(a, double, o->known.n);
	int n = 0;

	for (int i = 0; i < o->known.n; i++) {
		const struct known_offer *k = &o->known.at[i];

		if (k->alone.backend == backend && k->alone.us > 0 && k->in_model.us > 0)
			ratios[n++] = k->in_model.us / k->alone.us;
	}
	o->ratio[backend] = fmax(1, median(ratios, n));
	arena_free(a);
	return o->ratio[backend];
}

bool offers_get(const struct offers *o, struct hash128 key, int backend, struct offer *out)
{
	char hex[HASH_TEXT], name[HASH_TEXT + 16];

	snprintf(name, sizeof(name), "%s %d", hash_text(key, hex), backend);
	int place = names_get(&o->places, name, -1);

	if (place < 0)
		return false;
	const struct known_offer *k = &o->known.at[place];

	*out = k->in_model.us > 0 ? k->in_model : k->alone;
	if (k->in_model.us <= 0 && backend >= 0)
		out->us *= ratio_of(o, backend);
	return out->us > 0;
}

bool offers_best(const struct offers *o, struct hash128 key, struct offer *out)
{
	bool found = false;

	for (int b = 0; b < o->options->n && o->policy != OFFLOAD_NONE; b++) {
		struct offer x;

		if (!offers_get(o, key, b, &x) || (found && out->us <= x.us))
			continue;
		*out = x;
		found = true;
	}
	return found;
}

/* Medians of steps of a model come within 2% of each other when they are taken again: of equals hone keeps
 * what it has. */
#define OFFER_MARGIN 1.02

bool offer_wins(const struct offers *o, const struct offer *x, double host_us)
{
	return o->policy == OFFLOAD_ALL || host_us <= 0 || offer_cost_us(o, x) * OFFER_MARGIN < host_us;
}

double offer_cost_us(const struct offers *o, const struct offer *x)
{
	return x->us + (x->backend == OFFER_HOST ? 0 : offers_figure(o, FIGURE_LAUNCH_US));
}

/* --- learning */

static void add_learned(struct offers *o, struct learned_offer x)
{
	x.samples = arena_memdup(o->arena, x.samples, (size_t)x.n * sizeof(*x.samples));
	set(o, x.key, &x.what);
	memset(o->ratio, 0, (size_t)o->options->n * sizeof(*o->ratio));
	vec_push(o->arena, &o->learned, x);
}

static const char *key_text(struct arena *a, struct hash128 key)
{
	return hash_text(key, arena_many(a, char, HASH_TEXT));
}

void offers_learn(struct offers *o, const struct model_task *task, const struct offer *what,
		  const double *samples, int n)
{
	struct text text = { 0 };

	dag_print(&text, task->dag);
	add_learned(o, (struct learned_offer){
		key_text(o->arena, task->key), task->op, arena_strdup(o->arena, text_str(&text)), task->flop,
		*what, samples, n });
	text_free(&text);
}

void offers_learn_region(struct offers *o, struct hash128 key, const char *name, const struct offer *what,
			 const double *samples, int n)
{
	add_learned(o, (struct learned_offer){ key_text(o->arena, key), arena_strdup(o->arena, name), "", 0, *what,
					       samples, n });
}

void offers_learn_plan(struct offers *o, struct hash128 key, enum offload_policy policy, double us,
		       const double *samples, int n)
{
	struct offer what = { .backend = plan_backend(policy), .us = us, .in_model = true };

	add_learned(o, (struct learned_offer){ key_text(o->arena, key), "model", "", 0, what, samples, n });
}

void offers_set_model(struct offers *o, struct hash128 key)
{
	o->model = key;
}

void offers_learn_figure(struct offers *o, enum offers_figure which, double v)
{
	struct offer what = { .backend = figure_backend(which), .us = v, .in_model = true };

	add_learned(o, (struct learned_offer){ key_text(o->arena, o->model), "model", "", 0, what, &v, 1 });
}

double offers_figure(const struct offers *o, enum offers_figure which)
{
	struct offer x;

	return offers_get(o, o->model, figure_backend(which), &x) ? x.us : 0;
}

double offers_plan_us(const struct offers *o, struct hash128 key, enum offload_policy policy)
{
	struct offer x;

	return offers_get(o, key, plan_backend(policy), &x) ? x.us : 0;
}

/* What the plan by cost has to lose against a trivial one before that is taken: less lies within the noise of
 * the comparison (runtime/offload/settle.c). */
#define PLAN_MARGIN 1.01

enum offload_policy offers_fastest_policy(const struct offers *o, struct hash128 key)
{
	double least = offers_plan_us(o, key, OFFLOAD_FASTEST) / PLAN_MARGIN;
	enum offload_policy best = OFFLOAD_FASTEST;

	for (int p = 0; p < OFFLOAD_POLICIES && least > 0; p++) {
		double us = offers_plan_us(o, key, (enum offload_policy)p);

		if (us > 0 && us < least) {
			least = us;
			best = (enum offload_policy)p;
		}
	}
	return best;
}

static int64_t add_device(struct db *db, const struct device *d)
{
	json_t *json = device_json(d);
	char *text = json_dumps(json, JSON_COMPACT);
	int64_t id = db_device(db, d->fingerprint, text ? text : "{}");

	free(text);
	json_decref(json);
	return id;
}

static int save(struct offers *o, struct db *db, struct arena *a)
{
	struct db_record *records = arena_many(a, struct db_record, o->learned.n);
	int64_t device = add_device(db, o->options->device);

	for (int i = 0; i < o->learned.n; i++) {
		const struct learned_offer *x = &o->learned.at[i];
		char hex[HASH_TEXT];

		records[i] = (struct db_record){
			.task = db_task(db, &(struct db_task){ .key = x->key, .name = x->name,
							       .text = x->text, .flop = x->flop }),
			.device = device,
			.toolchain = db_toolchain(db, toolchain(a, o->options, x->what.backend)),
			.threads = o->options->threads, .status = TRIAL_OK, .final = true, .others = -1,
			.steps = "",
			.source_hash = x->what.backend == OFFER_HOST
					       ? arena_strdup(a, hash_text(x->what.source, hex)) : NULL,
			.samples = x->samples, .n_samples = x->n, .time_us = x->what.us,
			.hone = PACKAGE_VERSION,
			.cache = cache_state_name(x->what.in_model ? CACHE_MODEL : CACHE_WARM),
		};
		if (device < 0 || records[i].task < 0 || records[i].toolchain < 0)
			return -1;
	}
	return db_append(db, &(struct db_batch){ .records = records, .n = o->learned.n });
}

int offers_keep(struct offers *o)
{
	struct arena *a = arena_new();
	const char *path = o->options->writes && o->options->db ? o->options->db : kept_db(a);
	struct db *db = path && o->learned.n ? db_open(path, DB_WRITE) : NULL;
	int rc = !path || o->learned.n == 0 ? 0 : db ? save(o, db, a) : -1;

	db_close(db);
	arena_free(a);
	if (rc == 0)
		o->learned.n = 0;
	return rc;
}
