/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/features/collect.c - walks a nest and takes down every store with its loops and accesses. */
#include "costmodel/features/frequency.h"
#include "costmodel/features/path.h"
#include "schedule/mask.h"
#include "te/index/index.h"

/* A load of the store, and the access that it is one of. */
struct known_load {
	const struct expr *load;
	struct access *access;
};

struct site_walk {
	struct arena *a;
	const struct program *p;
	struct site_vec *out;
	struct loops around;
	const struct intrinsic *group;	/* around this place; NULL: none */
	double turns;		/* of the innermost loop, conditions apart */
	double taken;		/* share of these in which the conditions of PATH hold */
	struct condition_path path;
	struct index_vec VEC(const struct expr *) indices;	/* operations in those of the store */
	struct known_load_vec VEC(struct known_load) loads;	/* of the store, by address */
	double computed;	/* share of the store's turns in which the value that is walked is */
	double prefetched;	/* lines, since the last store */
	int conditions;
	/* By how many loops are around them: branches, and the share of their turns in which a compiler knows that conditions do not hold. */
	double branched[SITE_MAX_LOOPS + 1], gone[SITE_MAX_LOOPS + 1];
	bool too_deep;
};

/* --- accesses */

static bool same_motion(const struct access *x, const struct motion *dim)
{
	for (int d = 0; d < x->buffer->tensor.ndim; d++)
		if (!motion_equal(&x->dim[d], &dim[d]))
			return false;
	return true;
}

static struct access *find_access(const struct site *s, const struct buffer *b, const struct motion *dim)
{
	for (int i = 0; i < s->n_accesses; i++)
		if (s->access[i]->buffer == b && same_motion(s->access[i], dim))
			return s->access[i];
	return NULL;
}

static struct access *new_access(struct site_walk *w, struct site *s, const struct buffer *b, const struct motion *dim)
{
	size_t ndim = (size_t)b->tensor.ndim;
	struct access *x = arena_one(w->a, struct access);

	x->buffer = b;
	x->packed = b->kind == BUFFER_INPUT && program_pack(w->p, b->arg);
	x->dim = arena_raw(w->a, ndim * sizeof(*dim));
	x->top = arena_raw(w->a, ndim * sizeof(*x->top));
	for (size_t d = 0; d < ndim; d++) {
		motion_copy(&x->dim[d], &dim[d]);
		x->top[d] = dim[d].constant;
	}
	s->access[s->n_accesses++] = x;
	return x;
}

/* NULL: the site has no room for it. */
static struct access *add_access(struct site_walk *w, struct site *s, const struct buffer *b, const struct expr *const *index,
				 bool reads, bool writes)
{
	struct motion dim[TENSOR_MAX_DIMS];

	for (int d = 0; d < b->tensor.ndim; d++) {
		motion_clear(&dim[d]);
		motion_add(&w->around.variables, &dim[d], index[d], 1);
	}
	struct access *x = find_access(s, b, dim);

	if (!x && s->n_accesses == SITE_MAX_ACCESSES)
		return NULL;
	if (!x)
		x = new_access(w, s, b, dim);
	for (int d = 0; d < b->tensor.ndim; d++) {
		int64_t c = dim[d].constant;

		x->dim[d].constant = c < x->dim[d].constant ? c : x->dim[d].constant;
		x->top[d] = c > x->top[d] ? c : x->top[d];
	}
	x->n++;
	x->reads |= reads;
	x->writes |= writes;
	return x;
}

/* --- values */

static void walk_value(struct site_walk *w, struct site *s, const struct expr *e);

/* A compiler computes the same index once. */
static bool is_new(struct site_walk *w, const struct expr *e)
{
	for (int i = 0; i < w->indices.n; i++)
		if (expr_equal(w->indices.at[i], e))
			return false;
	vec_push(w->a, &w->indices, e);
	return true;
}

static void walk_index(struct site_walk *w, struct site *s, const struct expr *e)
{
	if (e->kind == EXPR_LOAD) {	/* a gather: what it loads is an access of its own */
		walk_value(w, s, e);
		return;
	}
	if (ops_is_of_index(e) && is_new(w, e))
		ops_count_index(e, w->computed * executions(&w->around, e), s->ops);
	for (int i = 0; i < expr_kind_arity(e->kind); i++)
		walk_index(w, s, e->arg[i]);
}

static const struct known_load *find_load(const struct site_walk *w, const struct expr *e)
{
	for (int i = 0; i < w->loads.n; i++)
		if (w->loads.at[i].load == e)
			return &w->loads.at[i];
	return NULL;
}

/* What stands at several places, as the elements that the rows of a transform are sums of, has indices that were
 * counted, where nothing is loaded for these. */
static void walk_load(struct site_walk *w, struct site *s, const struct expr *e)
{
	const struct known_load *known = find_load(w, e);
	bool gathers = false;

	if (known) {
		known->access->n++;
		return;
	}
	struct access *x = add_access(w, s, buffer_of(e->tensor), e->index, true, false);

	for (int i = 0; i < e->tensor->ndim; i++) {
		gathers |= e->index[i]->loads;
		walk_index(w, s, e->index[i]);
	}
	if (x && !gathers)
		vec_push(w->a, &w->loads, (struct known_load){ e, x });
}

static bool is_float_product(const struct expr *e)
{
	return e->kind == EXPR_MUL && dtype_is_float(e->dtype);
}

/* A product that is only added: one instruction with its sum. */
static void walk_fma(struct site_walk *w, struct site *s, const struct expr *product)
{
	s->ops[FEATURE_F_FMA] += w->computed;
	walk_value(w, s, product->arg[0]);
	walk_value(w, s, product->arg[1]);
}

/* The axis of the vector loop around; NULL: there is none. */
static const struct axis *lanes_around(const struct site_walk *w)
{
	const struct site_loop *last = w->around.n > 0 ? &w->around.at[w->around.n - 1] : NULL;

	return last && last->annotation == ANNOTATION_VECTOR ? last->nest->axis : NULL;
}

static bool is_masked(const struct site_walk *w, const struct expr *e)
{
	const struct axis *axis = e->kind == EXPR_SELECT ? lanes_around(w) : NULL;
	struct mask m;

	return axis && expr_uses_axis(e->arg[0], axis) && mask_of_select(w->a, w->p->target, e, axis, &m);
}

/* What elements decide is decided lane by lane, so that both values are computed. */
static bool is_of_lanes(const struct site_walk *w, const struct expr *condition)
{
	const struct axis *axis = lanes_around(w);

	return condition->loads || (axis && expr_uses_axis(condition, axis));
}

/* Where all lanes choose alike it is a branch: one of the two is computed. */
static void walk_choice(struct site_walk *w, struct site *s, const struct expr *e)
{
	double computed = w->computed, share = share_of(e->arg[0]);

	walk_value(w, s, e->arg[0]);
	for (int i = 1; i <= 2; i++) {
		w->computed = computed * (i == 1 ? share : 1 - share);
		walk_value(w, s, e->arg[i]);
	}
	w->computed = computed;
}

static void walk_value(struct site_walk *w, struct site *s, const struct expr *e)
{
	bool sum = e->kind == EXPR_ADD || e->kind == EXPR_SUB;

	if (e->kind == EXPR_LOAD) {
		walk_load(w, s, e);
		return;
	}
	if (expr_kind_arity(e->kind) == 0)
		return;		/* no operation */
	for (int i = 0; sum && i < 2; i++)
		if (is_float_product(e->arg[i])) {
			walk_fma(w, s, e->arg[i]);
			walk_value(w, s, e->arg[1 - i]);
			return;
		}
	ops_count(e, w->computed * executions(&w->around, e), s->ops);
	if (e->kind == EXPR_SELECT && !is_of_lanes(w, e->arg[0])) {
		walk_choice(w, s, e);
		return;
	}
	/* A mask is made once for all that it is used for: asking costs nothing in a turn. */
	for (int i = is_masked(w, e) ? 1 : 0; i < expr_kind_arity(e->kind); i++)
		walk_value(w, s, e->arg[i]);
}

static void walk_operands(struct site_walk *w, struct site *s, const struct expr *e)
{
	if (e->kind == EXPR_LOAD)
		walk_value(w, s, e);
	for (int i = 0; i < expr_kind_arity(e->kind); i++)
		walk_operands(w, s, e->arg[i]);
}

/* The share of a call that is for one turn of its group, as multiply-adds, which take an instruction each. */
static void walk_call(struct site_walk *w, struct site *s, const struct expr *product)
{
	s->ops[FEATURE_F_FMA] += w->group->instructions / w->group->group;
	walk_operands(w, s, product);
}

static double times_allocated(const struct site_walk *w, const struct buffer *b)
{
	const struct lifetime *l = lifetime_of(&w->around, b);

	return l ? l->times : 1;
}

/* Branches inside of the body are taken in each turn, once for what they stand around; those that a compiler decides are not. */
static void count_branches(const struct site_walk *w, struct site *s)
{
	double inside = 1;

	s->left = 1;
	for (int l = w->around.n; l >= 0; l--) {
		s->ops[FEATURE_I_SIMPLE] += w->branched[l] / inside;
		if (l == 0 || !loop_is_written_out(&w->around.at[l - 1]))
			return;
		s->left *= 1 - w->gone[l];
		inside *= w->around.at[l - 1].annotation == ANNOTATION_VECTOR ? 1 : w->around.at[l - 1].extent;
	}
}

static void walk_store(struct site_walk *w, const struct nest *n)
{
	struct site *s = arena_one(w->a, struct site);

	s->store = n;
	s->loops = arena_memdup(w->a, w->around.at, (size_t)w->around.n * sizeof(*w->around.at));
	s->n_loops = w->around.n;
	s->conditions = w->conditions;
	s->taken = w->taken;
	s->turns = w->turns * w->taken;
	s->prefetched = w->prefetched;
	s->alloc_times = times_allocated(w, n->buffer);
	w->prefetched = w->indices.n = w->loads.n = 0;
	add_access(w, s, n->buffer, n->index, n->reducer != REDUCE_NONE, true);
	for (int d = 0; d < n->buffer->tensor.ndim; d++)
		walk_index(w, s, n->index[d]);
	count_branches(w, s);
	if (w->group) {
		walk_call(w, s, n->value);
	} else if (n->reducer == REDUCE_SUM && is_float_product(n->value)) {
		walk_fma(w, s, n->value);
	} else {
		walk_value(w, s, n->value);
		if (n->reducer != REDUCE_NONE)
			ops_count_reducer(n->reducer, n->buffer->tensor.dtype, s->ops);
	}
	s->flop = ops_flop(s->ops);
	vec_push(w->a, w->out, s);
}

/* --- nests */

static void walk_list(struct site_walk *w, const struct nest *n);

static void walk_loop(struct site_walk *w, const struct nest *n)
{
	struct variable v = { n->axis, -1, NULL };
	double extent = (double)(n->axis->hi - n->axis->lo);
	double turns = w->turns;

	if (extent > 1 && w->around.n == SITE_MAX_LOOPS) {
		w->too_deep = true;
		return;
	}
	if (extent > 1) {
		v.loop = w->around.n;
		w->around.at[w->around.n++] = (struct site_loop){ n, extent, n->annotation, n->axis->reduce };
	}
	vec_push(w->a, &w->around.variables, v);
	w->turns *= extent;
	w->group = n->intrinsic ? n->intrinsic : w->group;
	walk_list(w, n->body);
	w->group = n->intrinsic ? NULL : w->group;
	w->turns = turns;
	w->around.variables.n--;
	w->around.n -= extent > 1;
}

static void walk_let(struct site_walk *w, const struct nest *n)
{
	struct motion *m = arena_one(w->a, struct motion);

	motion_add(&w->around.variables, m, n->value, 1);
	vec_push(w->a, &w->around.variables, (struct variable){ n->axis, -1, m });
	path_let(w->a, &w->path, n->axis, n->value);
	walk_list(w, n->body);
	w->path.lets.n--;
	w->around.variables.n--;
}

static void walk_branch(struct site_walk *w, const struct nest *n, bool not)
{
	double asked = share_asked(&w->around, n->value);
	double taken = w->taken, *gone = &w->gone[w->around.n], before = *gone;
	int entered = w->path.conditions.n;
	double share = path_enter(w->a, &w->path, n->value, not);

	w->taken *= share;
	*gone = 1 - (1 - before) * (asked > 0 ? 1 : share);
	w->conditions++;
	w->branched[w->around.n] += asked;
	walk_list(w, not ? n->other : n->body);
	w->branched[w->around.n] -= asked;
	w->conditions--;
	w->taken = taken;
	*gone = before;
	w->path.conditions.n = entered;
}

static void walk_if(struct site_walk *w, const struct nest *n)
{
	const struct axis *axis = lanes_around(w);

	if (axis && expr_uses_axis(n->value, axis)) {	/* a masked store takes as long as a whole one */
		walk_list(w, n->body);
	} else {
		walk_branch(w, n, false);
		walk_branch(w, n, true);
	}
}

static void walk_list(struct site_walk *w, const struct nest *n)
{
	int lifetimes = w->around.lifetimes.n;

	for (; n; n = n->next)
		switch (n->kind) {
		case NEST_LOOP:
			walk_loop(w, n);
			break;
		case NEST_LET:
			walk_let(w, n);
			break;
		case NEST_IF:
			walk_if(w, n);
			break;
		case NEST_ALLOC:
			vec_push(w->a, &w->around.lifetimes, (struct lifetime){ n->buffer, w->turns * w->taken, w->around.n });
			break;
		case NEST_STORE:
			walk_store(w, n);
			break;
		case NEST_PREFETCH:
			w->prefetched += w->turns * w->taken;
			break;
		}
	w->around.lifetimes.n = lifetimes;
}

bool collect_sites(struct arena *a, const struct program *p, struct site_vec *out)
{
	struct site_walk w = { .a = a, .p = p, .out = out, .turns = 1, .taken = 1, .computed = 1 };

	walk_list(&w, p->body);
	return !w.too_deep;
}
