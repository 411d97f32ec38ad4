/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/step.c - steps as values. */
#include "schedule/step.h"

#include "base/err.h"

static const struct {
	const char *text, *fields;
} table[] = {
#define X(name, text, fields) { text, fields },
#include "schedule/step.def"
#undef X
};

const char *step_name(enum step_kind k)
{
	return table[k].text;
}

const char *border_name(enum border b)
{
	static const char *const name[] = {
		[BORDER_OPEN] = "open",
#define X(id, text, meaning) [BORDER_##id] = text,
#include "schedule/border.def"
#undef X
	};

	return name[b];
}

const char *derivation_name(enum derivation d)
{
	static const char *const name[] = {
#define X(id, text, terms, meaning) [DERIVATION_##id] = text,
#include "schedule/derivation.def"
#undef X
	};

	return name[d];
}

bool derivation_is_exact(enum derivation d)
{
	enum terms { OTHERWISE, AS_WRITTEN };
	static const enum terms terms_of[] = {
#define X(id, text, terms, meaning) [DERIVATION_##id] = terms,
#include "schedule/derivation.def"
#undef X
	};

	return terms_of[d] == AS_WRITTEN;
}

struct winograd_tiles derivation_tiles(enum derivation by, int64_t m)
{
	return (struct winograd_tiles){
		.m = m,
		.ragged = by == DERIVATION_RAGGED || by == DERIVATION_RAGGED_1D,
		.one_dim = by == DERIVATION_WINOGRAD_1D || by == DERIVATION_RAGGED_1D,
	};
}

const char *step_fields(enum step_kind k)
{
	return table[k].fields;
}

bool step_equal(const struct step *x, const struct step *y)
{
	if (x->kind != y->kind || x->stage != y->stage || x->iter != y->iter ||
	    x->target != y->target || x->border != y->border || x->derivation != y->derivation ||
	    x->intrinsic != y->intrinsic || x->size != y->size || x->n != y->n)
		return false;
	for (int i = 0; i < x->n; i++)
		if (x->list[i] != y->list[i])
			return false;
	return true;
}

struct step step_renamed(const struct step *step, const int *new)
{
	struct step renamed = *step;

	renamed.stage = new[step->stage];
	if (strchr(step_fields(step->kind), 't'))
		renamed.target = new[step->target];
	return renamed;
}

struct step step_collapse(void)
{
	return (struct step){ .kind = STEP_COLLAPSE };
}

struct step step_widen(int64_t lanes)
{
	return (struct step){ .kind = STEP_WIDEN, .size = lanes };
}

struct step step_split(int stage, int iter, int64_t size)
{
	return (struct step){ .kind = STEP_SPLIT, .stage = stage, .iter = iter, .size = size };
}

struct step step_border(int stage, int iter, enum border border)
{
	return (struct step){
		.kind = STEP_BORDER, .stage = stage, .iter = iter, .border = border
	};
}

struct step step_derive(int stage, enum derivation derivation, int64_t size)
{
	return (struct step){
		.kind = STEP_DERIVE, .stage = stage, .derivation = derivation, .size = size
	};
}

static struct step with_list(struct step step, const int *list, int n)
{
	if (n > STEP_MAX_ITERS)
		die("a step of %d iters", n);
	for (int i = 0; i < n; i++)
		step_push(&step, list[i]);
	return step;
}

struct step step_reorder(int stage, const int *iters, int n)
{
	return with_list((struct step){ .kind = STEP_REORDER, .stage = stage }, iters, n);
}

struct step step_fuse(int stage, const int *iters, int n)
{
	return with_list((struct step){ .kind = STEP_FUSE, .stage = stage }, iters, n);
}

struct step step_inline(int stage)
{
	return (struct step){ .kind = STEP_INLINE, .stage = stage };
}

struct step step_compute_at(int stage, int target, int iter)
{
	return (struct step){
		.kind = STEP_COMPUTE_AT, .stage = stage, .target = target, .iter = iter
	};
}

struct step step_cache_write(int stage)
{
	return (struct step){ .kind = STEP_CACHE_WRITE, .stage = stage };
}

struct step step_cache_read(int stage, int reader, const int *dims, int n)
{
	return with_list((struct step){ .kind = STEP_CACHE_READ, .stage = stage, .target = reader },
			 dims, n);
}

struct step step_rfactor(int stage, int iter)
{
	return (struct step){ .kind = STEP_RFACTOR, .stage = stage, .iter = iter };
}

struct step step_annotate(int stage, int iter, enum annotation annotation)
{
	static const enum step_kind kind[] = {
		[ANNOTATION_PARALLEL] = STEP_PARALLEL,
		[ANNOTATION_VTHREAD] = STEP_VTHREAD,
		[ANNOTATION_VECTOR] = STEP_VECTORIZE,
		[ANNOTATION_UNROLL] = STEP_UNROLL,
	};

	return (struct step){ .kind = kind[annotation], .stage = stage, .iter = iter };
}

struct step step_tensorize(int stage, int iter, enum intrinsic_id intrinsic)
{
	return (struct step){
		.kind = STEP_TENSORIZE, .stage = stage, .iter = iter, .intrinsic = intrinsic
	};
}

struct step step_place(int stage)
{
	return (struct step){ .kind = STEP_PLACE, .stage = stage };
}

struct step step_stream(int stage)
{
	return (struct step){ .kind = STEP_STREAM, .stage = stage };
}

struct step step_prefetch(int stage, int read, int iter, int64_t turns)
{
	return (struct step){
		.kind = STEP_PREFETCH, .stage = stage, .target = read, .iter = iter, .size = turns
	};
}

struct step step_pipeline(int stage, int iter)
{
	return (struct step){ .kind = STEP_PIPELINE, .stage = stage, .iter = iter };
}

struct step step_layout(int stage)
{
	return (struct step){ .kind = STEP_LAYOUT, .stage = stage };
}

struct step step_order(int stage, const struct arrangement *how)
{
	struct step step = step_layout(stage);

	for (int i = 0; i < how->n; i++) {
		step_push(&step, how->at[i].dim);
		step_push(&step, how->at[i].block);
	}
	return step;
}

struct arrangement step_arrangement(const struct step *step)
{
	struct arrangement how = { .n = step->n / 2 };

	for (int i = 0; i < how.n; i++)
		how.at[i] = (struct stored_dim){ step->list[2 * i], step->list[2 * i + 1] };
	return how;
}
