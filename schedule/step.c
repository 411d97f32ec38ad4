/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/step.c - the text form of steps. */
#include "schedule/step.h"

#include "base/err.h"
#include "schedule/state.h"

static const struct {
	const char *text, *fields;
} table[] = {
#define X(name, text, fields) { text, fields },
#include "schedule/step.def"
#undef X
};

static const char *const tail_text[] = { [TAIL_LOOP] = "loop", [TAIL_SHIFT] = "shift" };

const char *step_name(enum step_kind k)
{
	return table[k].text;
}

const char *step_fields(enum step_kind k)
{
	return table[k].fields;
}

static void print_stage(struct text *t, int stage, const struct state *state)
{
	if (state && stage < state->stages.n)
		text_printf(t, " %s", state->stages.at[stage]->op.tensor.name);
	else
		text_printf(t, " %d", stage);
}

static void print_iter(struct text *t, int stage, int iter, const struct state *state)
{
	if (state && stage < state->stages.n && iter < state->stages.at[stage]->iters.n)
		text_printf(t, " %s", state->stages.at[stage]->iters.at[iter].name);
	else
		text_printf(t, " %d", iter);
}

void step_print(struct text *t, struct step step, const struct state *state)
{
	text_puts(t, step_name(step.kind));
	for (const char *f = step_fields(step.kind); *f; f++) {
		switch (*f) {
		case 's':
			print_stage(t, step.stage, state);
			break;
		case 't':
			print_stage(t, step.target, state);
			break;
		case 'i':
			print_iter(t, step.stage, step.iter, state);
			break;
		case 'j':
			print_iter(t, step.target, step.iter, state);
			break;
		case 'I':
			for (int i = 0; i < step.n; i++)
				print_iter(t, step.stage, step.list[i], state);
			break;
		case 'd':
			for (int i = 0; i < step.n; i++)
				text_printf(t, " %d", step.list[i]);
			break;
		case 'n':
			text_printf(t, " %jd", (intmax_t)step.size);
			break;
		case 'l':
			if (step.tail != TAIL_LOOP)
				text_printf(t, " tail=%s", tail_text[step.tail]);
			break;
		default:
			die("step.def: unknown field '%c'", *f);
		}
	}
}

char *steps_text(struct arena *a, const struct step_vec *steps)
{
	struct text t = { 0 };

	for (int i = 0; i < steps->n; i++) {
		if (i)
			text_puts(&t, "; ");
		step_print(&t, steps->at[i], NULL);
	}
	char *s = arena_strdup(a, text_str(&t));

	text_free(&t);
	return s;
}

/* A stage by name or number. */
static int scan_stage(struct scan *s, const struct state *state, int *out)
{
	struct arena *a = arena_new();
	int64_t number;
	int rc = 0;

	if (scan_int(s, &number)) {
		if (number < 0 || number >= state->stages.n)
			rc = scan_error(s, "there is no stage %jd", (intmax_t)number);
		*out = (int)number;
	} else {
		char *name = scan_name(s, a);

		*out = name ? state_find_stage(state, name) : -1;
		if (*out < 0)
			rc = scan_error(s, "there is no stage '%s'", name ? name : "");
	}
	arena_free(a);
	return rc;
}

/* An iter by name or number; *OUT is -1 where none comes and it is OPTIONAL. */
static int scan_iter(struct scan *s, const struct state *state, int stage, bool optional, int *out)
{
	const struct stage *g = state->stages.at[stage];
	struct arena *a = arena_new();
	int64_t number;
	int rc = 0;

	*out = -1;
	if (scan_int(s, &number)) {
		if (number < 0 || number >= g->iters.n)
			rc = scan_error(s, "%s has no iter %jd", g->op.tensor.name,
					(intmax_t)number);
		*out = (int)number;
	} else {
		char *name = scan_name(s, a);

		if (name)
			*out = stage_find_iter(g, name);
		if (*out < 0 && (name || !optional))
			rc = scan_error(s, "%s has no iter '%s'", g->op.tensor.name,
					name ? name : "");
	}
	arena_free(a);
	return rc;
}

static int scan_iters(struct scan *s, const struct state *state, struct step *out)
{
	for (;;) {
		int iter;

		if (scan_iter(s, state, out->stage, true, &iter) < 0)
			return -1;
		if (iter < 0)
			return 0;
		if (out->n == STEP_MAX_ITERS)
			return scan_error(s, "more than %d iters", STEP_MAX_ITERS);
		out->list[out->n++] = iter;
	}
}

static int scan_dims(struct scan *s, struct step *out)
{
	int64_t dim;

	while (scan_int(s, &dim)) {
		if (out->n == STEP_MAX_ITERS || dim < 0 || dim >= TENSOR_MAX_DIMS)
			return scan_error(s, "bad dim %jd", (intmax_t)dim);
		out->list[out->n++] = (int)dim;
	}
	return 0;
}

static int scan_tail(struct scan *s, enum tail *out)
{
	*out = TAIL_LOOP;
	if (!scan_token(s, "tail"))
		return 0;
	if (!scan_token(s, "="))
		return scan_error(s, "expected '=' after tail");
	for (int i = TAIL_LOOP; i <= TAIL_SHIFT; i++)
		if (scan_token(s, tail_text[i])) {
			*out = (enum tail)i;
			return 0;
		}
	return scan_error(s, "a tail is loop or shift");
}

static int scan_field(struct scan *s, char field, const struct state *state, struct step *out)
{
	switch (field) {
	case 's':
		return scan_stage(s, state, &out->stage);
	case 't':
		return scan_stage(s, state, &out->target);
	case 'i':
		return scan_iter(s, state, out->stage, false, &out->iter);
	case 'j':
		return scan_iter(s, state, out->target, false, &out->iter);
	case 'I':
		return scan_iters(s, state, out);
	case 'd':
		return scan_dims(s, out);
	case 'n':
		return scan_int(s, &out->size) ? 0 : scan_error(s, "expected a size");
	default:
		return scan_tail(s, &out->tail);
	}
}

int step_scan(struct scan *s, const struct state *state, struct step *out)
{
	*out = (struct step){ 0 };
	for (int k = 0; k < STEP_KIND_COUNT; k++) {
		if (!scan_token(s, table[k].text))
			continue;
		out->kind = (enum step_kind)k;
		for (const char *f = table[k].fields; *f; f++)
			if (scan_field(s, *f, state, out) < 0)
				return -1;
		return 0;
	}
	return scan_error(s, "expected a step (split, reorder, ...)");
}

struct step step_split(int stage, int iter, int64_t size, enum tail tail)
{
	return (struct step){
		.kind = STEP_SPLIT, .stage = stage, .iter = iter, .size = size, .tail = tail
	};
}

static struct step with_list(struct step step, const int *list, int n)
{
	if (n > STEP_MAX_ITERS)
		die("a step of %d iters", n);
	step.n = n;
	for (int i = 0; i < n; i++)
		step.list[i] = list[i];
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
		[ANNOTATION_VECTOR] = STEP_VECTORIZE,
		[ANNOTATION_UNROLL] = STEP_UNROLL,
	};

	return (struct step){ .kind = kind[annotation], .stage = stage, .iter = iter };
}

struct step step_layout(int stage)
{
	return (struct step){ .kind = STEP_LAYOUT, .stage = stage };
}
