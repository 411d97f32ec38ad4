/* SPDX-License-Identifier: Apache-2.0 */
/* search/strategies/kinds.c - kinds as the arms of a bandit: three of four places go to the one that lets hope for most. */
#include "search/strategies/kinds.h"

#include <math.h>
#include <string.h>

#include "search/space/genes/kind.h"
#include "search/strategies/pick.h"
#include "search/space/genes/vary.h"

/* Changes that are tried of one candidate: as many as let a kind be judged by one of its better ones (docs/performance.md). */
enum { IMPROVED = 48 };
/* By so much the best of a kind may become faster than the best of its first n trials: 1 + HOPE / (n + HOPE_FROM). Of 55 kinds that had 48
 * to 200 trials, a tenth became more than 1.76, 1.48, 1.42, 1.30 and 1.10 times as fast as after 1, 4, 8, 16 and 32. */
#define HOPE 8.0
#define HOPE_FROM 10.0
/* A root that is not FAR_BEHIND times slower than the best gets one of so many trials at least, whatever it lets hope for: of two campaigns of
 * one seed the one whose first 30 trials of direct code were bad ones had no other of 1000, and ended 5% apart (docs/performance.md). One of
 * which so many lost their race, and none won, is far behind (chosen). */
enum { LEAST_SHARE = 16, ALL_LOST = 8 };
#define FAR_BEHIND 1.6
/* Every so manieth place goes to the best by score, whatever its kind: where it was every other one the better of two algorithms had 28 of 256
 * trials (docs/performance.md). */
enum { BY_SCORE = 4 };

/* What is known of some of the candidates. */
struct prospect {
	int64_t trials;		/* measured */
	int64_t taken;		/* these, and those of this batch */
	bool ran;		/* one of them did, to its end */
	double best_us;		/* measured; of one that never ran, expected */
	double floor_us;	/* the operations of one of it, at the peak */
};

struct arm {
	const char *kind;
	struct prospect prospect;
	struct genes best;	/* to go on from */
	int root;		/* the first arm that is akin */
	int next;		/* of all candidates */
	bool spent;		/* nothing new was found of it */
};

struct arms {
	struct arm at[HISTORY_KINDS];
	int n;
	double scale;		/* microseconds times score */
};

/* Goes up from C; the changes, of which there is room for IMPROVED, in TRIED where that is not NULL. Returns how many there are. */
static int climb(const struct problem *p, struct arena *a, struct rng *rng, struct candidate *c, struct candidate *tried)
{
	int n = 0;

	for (int i = 0; i < IMPROVED; i++) {
		struct genes g = mutate(a, &c->genes, p->sketches.at[c->genes.sketch], rng);
		struct candidate other;

		if (!candidate_grow(p, a, rng, c->genes.sketch, &g, &other) || !kind_equal(c->kind, other.kind))
			continue;
		pick_score(p, a, &other, 1);
		if (other.score > c->score)
			*c = other;
		if (tried)
			tried[n++] = other;
	}
	return n;
}

void kinds_improve(const struct problem *p, struct arena *a, struct rng *rng, struct candidate *c)
{
	climb(p, a, rng, c, NULL);
}

static double floor_us(const struct problem *p, const struct candidate *c)
{
	double flop = 0;

	for (int i = 0; i < c->features.n_rows; i++)
		flop += feature_value(c->features.rows + (ptrdiff_t)i * FEATURE_COUNT, FEATURE_FLOP);
	return flop / (p->aim->peak * p->aim->threads) * 1e-3;
}

static struct arm *find(struct arms *all, const char *kind)
{
	for (int i = 0; i < all->n; i++)
		if (kind_equal(all->at[i].kind, kind))
			return &all->at[i];
	return NULL;
}

static int root_of(const struct arms *all, const char *kind)
{
	int i = 0;

	while (i < all->n && !kind_is_akin(all->at[i].kind, kind))
		i++;
	return i;
}

/* C counts for the arm of its kind, the first of which is the best by score; for none where there are too many. */
static void add(struct arms *all, const struct problem *p, const struct candidate *c)
{
	struct arm *arm = find(all, c->kind);

	if (!arm && all->n < HISTORY_KINDS) {
		arm = &all->at[all->n];
		*arm = (struct arm){ .kind = c->kind, .best = c->genes, .root = root_of(all, c->kind),
				     .prospect = { .floor_us = INFINITY, .best_us = all->scale / c->score } };
		all->n++;
	}
	if (arm)
		arm->prospect.floor_us = fmin(arm->prospect.floor_us, floor_us(p, c));
}

/* What score a microsecond is worth: by the fastest that was measured and is in ALL, for a learned score is right up to a
 * factor; else programs a second. */
static double scale_of(const struct problem *p, const struct candidate *all, int n)
{
	for (int i = 0; i < p->history->n_best; i++)
		for (int j = 0; j < n; j++)
			if (strcmp(all[j].steps, p->history->best[i].steps) == 0)
				return p->history->best[i].time_us * (double)all[j].score;
	return 1e6;
}

static struct arms arms_of(const struct problem *p, const struct candidate *all, int n)
{
	struct arms arms = { .scale = scale_of(p, all, n) };

	for (int i = 0; i < n; i++)
		add(&arms, p, &all[i]);
	for (int i = 0; i < p->history->n_kinds; i++) {
		const struct tried_kind *k = &p->history->kinds[i];
		struct arm *arm = find(&arms, k->name);

		if (!arm)
			continue;
		arm->prospect.trials = arm->prospect.taken = k->trials;
		arm->prospect.ran = k->best_us > 0;
		if (k->best_us > 0) {
			arm->prospect.best_us = k->best_us;
			arm->best = k->best;
		}
	}
	return arms;
}

/* By how much the best may be faster than INCUMBENT_US, for each of the trials that it took. */
static double hope_of(const struct prospect *p, double incumbent_us)
{
	double us = fmax(p->floor_us, p->best_us / (1 + HOPE / ((double)p->trials + HOPE_FROM)));

	return fmax(0, incumbent_us - us) / (double)(p->taken + 1);
}

/* Of all arms of ROOT that may give something new; false where there are none. */
static bool add_up(const struct arms *all, int root, struct prospect *out)
{
	bool any = false;

	*out = (struct prospect){ .best_us = INFINITY, .floor_us = INFINITY };
	for (int i = root; i < all->n; i++) {
		const struct prospect *p = &all->at[i].prospect;

		if (all->at[i].root != root)
			continue;
		out->trials += p->trials;
		out->taken += p->taken;
		out->ran |= p->ran;
		out->best_us = fmin(out->best_us, p->best_us);
		out->floor_us = fmin(out->floor_us, p->floor_us);
		any |= !all->at[i].spent;
	}
	return any;
}

static double incumbent_of(const struct arms *all)
{
	double us = INFINITY;

	for (int i = 0; i < all->n; i++)
		us = fmin(us, all->at[i].prospect.best_us);
	return us;
}

/* The root that had the fewest trials, where these are less than its share; -1: none had. */
static int neglected_root(const struct arms *all)
{
	double limit_us = FAR_BEHIND * incumbent_of(all);
	int64_t least = 0;
	int best = -1;

	for (int i = 0; i < all->n; i++)
		least += all->at[i].prospect.taken;
	least /= LEAST_SHARE;
	for (int i = 0; i < all->n; i++) {
		struct prospect root;

		if (all->at[i].root != i || !add_up(all, i, &root) || root.taken >= least || root.best_us > limit_us ||
		    (!root.ran && root.trials >= ALL_LOST))
			continue;
		least = root.taken;
		best = i;
	}
	return best;
}

/* The root whose arms let hope for most; -1: nothing is hoped for. */
static int most_hopeful_root(const struct arms *all)
{
	double incumbent_us = incumbent_of(all), most = 0;
	int best = -1;

	for (int i = 0; i < all->n; i++) {
		struct prospect root;

		if (all->at[i].root != i || !add_up(all, i, &root))
			continue;
		double hope = hope_of(&root, incumbent_us);

		if (hope > most) {
			most = hope;
			best = i;
		}
	}
	return best;
}

/* First an algorithm with its lanes, then one of its tiles: else an algorithm had as many trials more as it has tiles. NULL: nothing is
 * hoped for. */
static struct arm *most_hopeful(struct arms *all)
{
	int neglected = neglected_root(all);
	int root = neglected >= 0 ? neglected : most_hopeful_root(all);
	struct arm *best = NULL;
	struct prospect of_root;
	double most = 0;

	if (root < 0)
		return NULL;
	add_up(all, root, &of_root);
	for (int i = root; i < all->n; i++) {
		struct arm *arm = &all->at[i];

		if (arm->root != root || arm->spent)
			continue;
		double hope = hope_of(&arm->prospect, of_root.best_us);

		if (!best || hope > most) {
			most = hope;
			best = arm;
		}
	}
	return best;
}

/* The best new one of changes to ARM's best. A model to which that one is the best of all must not end a kind: where it was the only one to be
 * taken, a kind that was behind had 1 trial of 1000, though so many trials let hope for more (docs/performance.md). */
static bool take_changed(const struct problem *p, struct arena *a, struct rng *rng, const struct arm *arm, struct batch *b)
{
	struct arena *scratch = arena_new();	/* a batch may be filled so, and most changes are of no more use */
	struct candidate c, *tried = arena_many(scratch, struct candidate, IMPROVED);
	struct problem apart = *p;
	bool taken = false;

	apart.told = told_new(scratch);
	if (candidate_grow(&apart, scratch, rng, arm->best.sketch, &arm->best, &c)) {
		pick_score(&apart, scratch, &c, 1);
		int n = climb(&apart, scratch, rng, &c, tried);

		pick_sort(tried, n);
		for (int i = 0; i < n && !taken; i++)
			taken = pick_again(p, a, rng, &tried[i], b);
	}
	arena_free(scratch);
	return taken;
}

/* The next of ALL that is of ARM's kind, or one that is not in ALL. */
static bool take(const struct problem *p, struct arena *a, struct rng *rng, const struct candidate *all, int n,
		 struct arm *arm, struct batch *b)
{
	while (arm->next < n) {
		const struct candidate *next = &all[arm->next++];

		if (kind_equal(next->kind, arm->kind) && pick_one(p, a, next, b))
			return true;
	}
	return take_changed(p, a, rng, arm, b);
}

void kinds_share(const struct problem *p, struct arena *a, struct rng *rng, const struct candidate *all, int n,
		 int upto, struct batch *b)
{
	struct arms arms = arms_of(p, all, n);
	int next = 0;

	while (b->n < upto) {
		struct arm *arm = b->n % BY_SCORE ? most_hopeful(&arms) : NULL;

		if (arm) {
			arm->spent = !take(p, a, rng, all, n, arm, b);
			arm->prospect.taken += !arm->spent;
			continue;
		}
		while (next < n && !pick_one(p, a, &all[next], b))
			next++;
		if (next == n)
			return;
		arm = find(&arms, all[next++].kind);
		if (arm)
			arm->prospect.taken++;
	}
}
