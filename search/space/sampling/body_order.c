/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/sampling/body_order.c - a compiler loads each value of a written-out body once and keeps it up to
 * its last use. With a tile of 14 rows and 2 vectors of columns that takes 3 registers besides the
 * accumulators where columns turn fastest, and 15 where rows do: then it spills, and a 28 register
 * tile is twice as slow (docs/performance.md). */
#include "search/space/sampling/body_order.h"

#include "te/index/index.h"

enum { MAX_LOADS = 16 };
/* Random orders, from each of which two loops change places. Of orders of four loops one in twelve keeps fewest: of 16 that were drawn, none of
 * them changed, none was it in a quarter of all cases (docs/performance.md). */
enum { TRIES = 4 };

struct loads {
	const struct stage *stage;
	const struct step *step;
	uint32_t moves[MAX_LOADS];	/* bit I: iter number I moves it */
	int n;
};

static bool add_load(const struct expr *e, void *user)
{
	struct loads *l = user;
	const struct op *op = &l->stage->op;

	if (e->kind != EXPR_LOAD || l->n == MAX_LOADS)
		return true;
	for (int i = 0; i < l->step->n; i++) {
		int root = stage_root_of(l->stage, l->step->list[i]);

		if (root < 0)
			continue;
		const struct axis *axis = root < op->tensor.ndim
						  ? op->space[root]
						  : op->reduce[root - op->tensor.ndim];

		if (expr_uses_axis(e, axis))
			l->moves[l->n] |= UINT32_C(1) << i;
	}
	l->n++;
	return true;
}

/* Of each load: what the loops inside of the outermost one that uses it again move over. */
static int64_t waiting(const struct loads *l, const int *order)
{
	int64_t sum = 0;

	for (int i = 0; i < l->n; i++) {
		int64_t values = 1;
		bool again = false;

		for (int j = 0; j < l->step->n; j++) {
			int64_t extent = l->stage->iters.at[l->step->list[order[j]]].extent;
			bool moves = l->moves[i] >> order[j] & 1;

			again |= !moves && extent > 1;
			if (again && moves)
				values *= extent;
		}
		sum += values;
	}
	return sum;
}

static void swap(int *order, int i, int j)
{
	int other = order[i];

	order[i] = order[j];
	order[j] = other;
}

static void shuffle(int *order, int n, struct rng *rng)
{
	for (int i = n - 1; i > 0; i--)
		swap(order, i, (int)rng_below(rng, i + 1));
}

/* Two loops change places as long as less waits for it; what waits in the end. */
static int64_t improve(const struct loads *l, int *order)
{
	int64_t least = waiting(l, order);

	for (bool gains = true; gains;) {
		gains = false;
		for (int i = 0; i < l->step->n; i++)
			for (int j = i + 1; j < l->step->n; j++) {
				swap(order, i, j);
				int64_t n = waiting(l, order);

				if (n < least) {
					least = n;
					gains = true;
				} else {
					swap(order, i, j);
				}
			}
	}
	return least;
}

void body_order(const struct stage *g, struct rng *rng, struct step *step)
{
	struct loads l = { .stage = g, .step = step };
	int order[STEP_MAX_ITERS], best[STEP_MAX_ITERS];
	int16_t list[STEP_MAX_ITERS];
	int64_t least = INT64_MAX;

	if (g->op.body->loads)
		expr_visit(g->op.body, add_load, &l);
	for (int i = 0; i < step->n; i++)
		order[i] = i;
	for (int try = 0; try < TRIES; try++) {
		shuffle(order, step->n, rng);
		int64_t n = improve(&l, order);

		if (n < least) {
			least = n;
			memcpy(best, order, sizeof(best));
		}
	}
	for (int i = 0; i < step->n; i++)
		list[i] = step->list[best[i]];
	memcpy(step->list, list, (size_t)step->n * sizeof(*list));
}
