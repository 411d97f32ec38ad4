/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/values/agree.c - element by element, then row by row as a set. */
#include "runtime/values/agree.h"

#include <math.h>

static double scale_of(const struct array *x)
{
	double most = 0;

	for (int64_t i = 0; i < x->count; i++) {
		double v = fabs(array_float(x, i));

		if (isfinite(v) && v > most)
			most = v;
	}
	return most > 0 ? most : 1;
}

/* How far X is from Y in parts of SCALE; infinite where one of them is no number. */
static double distance(double x, double y, double scale)
{
	if (x == y || (isnan(x) && isnan(y)))
		return 0;
	return isfinite(x) && isfinite(y) ? fabs(x - y) / scale : INFINITY;
}

static double element_distance(const struct array *x, int64_t i, const struct array *y, int64_t j,
			       double scale)
{
	if (x->element == ELEMENT_STRING)
		return strcmp(array_string(x, i), array_string(y, j)) == 0 ? 0 : INFINITY;
	if (!element_is_float(x->element))	/* a class, an index: the same or another one */
		return array_int(x, i) == array_int(y, j) ? 0 : INFINITY;
	return distance(array_float(x, i), array_float(y, j), scale);
}

static struct agreement compare_arrays(struct arena *a, const struct array *x, const struct array *y,
				       double bound)
{
	struct agreement out = { .agrees = true };

	if (x->element != y->element || !array_same_shape(x, y))
		return (struct agreement){
			.error = INFINITY,
			.why = arena_printf(a, "%s where %s was expected",
					    type_string(a, type_of_array(a, x)),
					    type_string(a, type_of_array(a, y))) };
	double scale = x->element == ELEMENT_STRING ? 1 : scale_of(y);

	for (int64_t i = 0; i < x->count; i++) {
		double d = element_distance(x, i, y, i, scale);

		if (d > bound && out.agrees) {
			out.agrees = false;
			out.why = arena_printf(a, "element %lld differs", (long long)i);
		}
		out.error = fmax(out.error, d);
	}
	return out;
}

static struct agreement compare(struct arena *a, struct value got, struct value want, double bound)
{
	struct agreement out = { .agrees = true };

	if (got.kind != want.kind)
		return (struct agreement){ .error = INFINITY, .why = "a value of another kind" };
	switch (got.kind) {
	case VALUE_EMPTY:
	case VALUE_CLOSURE:
		return out;
	case VALUE_ARRAY:
		return compare_arrays(a, got.array, want.array, bound);
	case VALUE_TUPLE:
	case VALUE_SEQUENCE:
		break;
	}
	if (got.items->n != want.items->n)
		return (struct agreement){ .error = INFINITY,
					   .why = arena_printf(a, "%d items where %d were expected",
							       got.items->n, want.items->n) };
	for (int i = 0; i < got.items->n; i++) {
		struct agreement one = compare(a, got.items->at[i], want.items->at[i], bound);

		out.error = fmax(out.error, one.error);
		if (!one.agrees && out.agrees)
			out = (struct agreement){ .error = out.error, .why = one.why };
	}
	return out;
}

/* --- rows as a set */

/* Results that have their first dim in common. */
struct rows {
	const struct array **got, **want;
	double *scale;
	int n;
	int64_t count;
	double bound;
};

static bool is_row_of(const struct rows *r, struct value got, struct value want)
{
	return got.kind == VALUE_ARRAY && want.kind == VALUE_ARRAY && got.array->rank > 0 &&
	       got.array->element == want.array->element &&
	       array_same_shape(got.array, want.array) && got.array->dim[0] == r->count &&
	       got.array->element != ELEMENT_STRING;
}

static double row_distance(const struct rows *r, int64_t i, int64_t j)
{
	double most = 0;

	for (int k = 0; k < r->n; k++) {
		int64_t width = r->got[k]->count / r->count;

		for (int64_t e = 0; e < width; e++)
			most = fmax(most, element_distance(r->got[k], i * width + e, r->want[k],
							   j * width + e, r->scale[k]));
	}
	return most;
}

/* Rows that detectors give: some hundreds. More take too long to match. */
enum { MOST_ROWS = 4096 };

/* Matches each row of what was got with one that was wanted; the largest distance of a pair. */
static double match(struct arena *a, const struct rows *r)
{
	bool *taken = arena_many(a, bool, r->count);
	double most = 0;

	for (int64_t i = 0; i < r->count; i++) {
		int64_t nearest = -1;
		double least = INFINITY;

		for (int64_t j = 0; j < r->count; j++) {
			double d = taken[j] ? INFINITY : row_distance(r, i, j);

			if (d < least) {
				least = d;
				nearest = j;
			}
		}
		if (nearest < 0 || least > r->bound)
			return INFINITY;
		taken[nearest] = true;
		most = fmax(most, least);
	}
	return most;
}

static void match_rows(struct arena *a, const struct value *got, const struct value *want, int n,
		       struct agreement *out, int64_t count, double bound)
{
	struct rows r = { .got = arena_many(a, const struct array *, n),
			  .want = arena_many(a, const struct array *, n),
			  .scale = arena_many(a, double, n), .count = count, .bound = bound };

	for (int i = 0; i < n; i++)
		if (is_row_of(&r, got[i], want[i])) {
			r.got[r.n] = got[i].array;
			r.want[r.n] = want[i].array;
			r.scale[r.n++] = scale_of(want[i].array);
		}
	double error = match(a, &r);

	for (int i = 0; i < n && error <= bound; i++)
		if (is_row_of(&r, got[i], want[i]))
			out[i] = (struct agreement){ .agrees = true, .error = error,
						     .as_set = true };
}

struct agreement *results_agree(struct arena *a, const struct value *got, const struct value *want, int n,
				double bound)
{
	struct agreement *out = arena_many(a, struct agreement, n);

	for (int i = 0; i < n; i++)
		out[i] = compare(a, got[i], want[i], bound);
	for (int i = 0; i < n; i++) {
		const struct array *x = got[i].kind == VALUE_ARRAY ? got[i].array : NULL;

		if (!out[i].agrees && x && x->rank > 0 && x->dim[0] > 1 && x->dim[0] <= MOST_ROWS)
			match_rows(a, got, want, n, out, x->dim[0], bound);
	}
	return out;
}
