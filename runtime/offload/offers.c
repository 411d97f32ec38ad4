/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/offers.c - times by task and generator. */
#include "runtime/offload/offers_inside.h"

#include <math.h>
#include <string.h>

#include "base/quantile.h"
#include "measure/timing/timing.h"
#include "te/text/text.h"

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

void offers_set(struct offers *o, const char *key, const struct offer *what)
{
	struct known_offer *k = known(o, key, what->backend);

	*(what->in_model ? &k->in_model : &k->alone) = *what;
}

struct offers *offers_new(struct arena *a, const struct offers_options *options)
{
	struct offers *o = arena_one(a, struct offers);

	*o = (struct offers){ .arena = a, .options = options, .ratio = arena_many(a, double, options->n) };
	return offers_read(o) < 0 ? NULL : o;
}

const struct offers_options *offers_options(const struct offers *o)
{
	return o->options;
}

const struct offers *offers_in_use(const struct offers *o)
{
	return o && o->policy != OFFLOAD_NONE ? o : NULL;
}

int offers_backend(const struct offers_options *o, const struct backend *b)
{
	for (int i = 0; i < o->n; i++)
		if (o->backends[i].generator == b->generator)
			return i;
	return OFFER_HOST;
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

		if (k->alone.backend == backend && k->alone.us > 0 && k->in_model.us > 0 && !k->in_model.told)
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

bool offers_best(const struct offers *o, struct hash128 key, struct demand demand, struct offer *out)
{
	bool found = false;

	for (int b = 0; b < o->options->n && o->policy != OFFLOAD_NONE; b++) {
		struct offer x;

		if (!demand_lets(demand, o->options->backends[b].generator->name) || !offers_get(o, key, b, &x) ||
		    (found && out->us <= x.us))
			continue;
		*out = x;
		found = true;
	}
	return found;
}

/* Medians of steps of a model come within 2% of each other when they are taken again: of equals hone keeps
 * what it has. */
#define OFFER_MARGIN 1.02

bool offer_is_forced(const struct offers *o, const struct cut_from *from)
{
	enum demand_kind kind = cut_demand(from).kind;

	return kind == DEMAND_OFFLOAD || (o->policy == OFFLOAD_ALL && kind != DEMAND_KEEP);
}

bool offer_wins(const struct offers *o, const struct cut_from *from, const struct offer *x, double host_us)
{
	return offer_is_forced(o, from) || host_us <= 0 || offer_cost_us(o, x) * OFFER_MARGIN < host_us;
}

double offer_cost_us(const struct offers *o, const struct offer *x)
{
	return x->us + (x->backend == OFFER_HOST ? 0 : offers_figure(o, FIGURE_LAUNCH_US));
}

/* --- learning */

static void add_learned(struct offers *o, struct learned_offer x)
{
	x.samples = arena_memdup(o->arena, x.samples, (size_t)x.n * sizeof(*x.samples));
	offers_set(o, x.key, &x.what);
	memset(o->ratio, 0, (size_t)o->options->n * sizeof(*o->ratio));
	vec_push(o->arena, &o->learned, x);
}

static const char *key_text(struct arena *a, struct hash128 key)
{
	return hash_text(key, arena_many(a, char, HASH_TEXT));
}

void offers_tell(struct offers *o, struct hash128 key, int backend, double us)
{
	offers_set(o, key_text(o->arena, key),
		   &(struct offer){ .backend = backend, .us = us, .in_model = true, .told = true });
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

void offers_set_model(struct offers *o, struct hash128 key, bool forced)
{
	o->model = key;
	o->forced = forced;
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
		bool may = p != OFFLOAD_NONE || !o->forced;

		if (may && us > 0 && us < least) {
			least = us;
			best = (enum offload_policy)p;
		}
	}
	return best;
}
