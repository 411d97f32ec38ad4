/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/text/step_text.c - steps as text, by the names that a state has for stages and iters. */
#include "schedule/text/step_text.h"

#include "base/err.h"

static void print_word(struct text *t, const char *word)
{
	text_putn(t, " ", 1);
	text_puts(t, word);
}

static void print_number(struct text *t, int64_t v)
{
	const char digit[] = { ' ', (char)('0' + v) };

	if (v >= 0 && v < 10) {		/* most are */
		text_putn(t, digit, 2);
		return;
	}
	text_putn(t, " ", 1);
	text_int(t, v);
}

static void print_stage(struct text *t, int stage, const struct state *state)
{
	if (state && stage < state->stages.n)
		print_word(t, state->stages.at[stage]->op.tensor.name);
	else
		print_number(t, stage);
}

static void print_iter(struct text *t, int stage, int iter, const struct state *state)
{
	if (state && stage < state->stages.n && iter < state->stages.at[stage]->iters.n)
		print_word(t, state->stages.at[stage]->iters.at[iter].name);
	else
		print_number(t, iter);
}

static void print_order(struct text *t, const struct step *step)
{
	struct arrangement how = step_arrangement(step);

	text_puts(t, how.n ? " order=" : "");
	arrangement_print(t, &how);
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
				print_number(t, step.list[i]);
			break;
		case 'n':
			print_number(t, step.size);
			break;
		case 'b':
			print_word(t, border_name(step.border));
			break;
		case 'a':
			print_word(t, derivation_name(step.derivation));
			break;
		case 'x':
			print_word(t, intrinsic_at(step.intrinsic)->name);
			break;
		case 'o':
			print_order(t, &step);
			break;
		case 'w':
			print_word(t, "offline");
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
		step_push(out, iter);
	}
}

static int scan_dims(struct scan *s, struct step *out)
{
	int64_t dim;

	while (scan_int(s, &dim)) {
		if (out->n == STEP_MAX_ITERS || dim < 0 || dim >= TENSOR_MAX_DIMS)
			return scan_error(s, "bad dim %jd", (intmax_t)dim);
		step_push(out, dim);
	}
	return 0;
}

static int scan_border(struct scan *s, enum border *out)
{
	for (*out = BORDER_PARTITION; *out < BORDER_COUNT; (*out)++)
		if (scan_token(s, border_name(*out)))
			return 0;
	return scan_error(s, "a border is partition, guard, mask, pad, shift or even");
}

static int scan_derivation(struct scan *s, enum derivation *out)
{
	for (*out = 0; *out < DERIVATION_COUNT; (*out)++)
		if (scan_token(s, derivation_name(*out)))
			return 0;
	return scan_error(s, "what a stage is derived by is winograd, ragged, reciprocal, phases or padded");
}

static int scan_intrinsic(struct scan *s, enum intrinsic_id *out)
{
	for (*out = 0; *out < INTRINSIC_COUNT; (*out)++)
		if (scan_token(s, intrinsic_at(*out)->name))
			return 0;
	return scan_error(s, "there is no such intrinsic");
}

static int scan_order(struct scan *s, struct step *out)
{
	struct arrangement how;

	if (!scan_token(s, "order"))
		return 0;
	if (!scan_token(s, "="))
		return scan_error(s, "expected '=' after order");
	if (arrangement_scan(s, &how) < 0)
		return -1;
	*out = step_order(out->stage, &how);
	return 0;
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
	case 'a':
		return scan_derivation(s, &out->derivation);
	case 'x':
		return scan_intrinsic(s, &out->intrinsic);
	case 'o':
		return scan_order(s, out);
	case 'w':
		return scan_token(s, "offline") ? 0 : scan_error(s, "expected 'offline'");
	default:
		return scan_border(s, &out->border);
	}
}

int step_scan(struct scan *s, const struct state *state, struct step *out)
{
	*out = (struct step){ 0 };
	for (enum step_kind k = 0; k < STEP_KIND_COUNT; k++) {
		if (!scan_token(s, step_name(k)))
			continue;
		out->kind = k;
		for (const char *f = step_fields(k); *f; f++)
			if (scan_field(s, *f, state, out) < 0)
				return -1;
		return 0;
	}
	return scan_error(s, "expected a step (split, reorder, ...)");
}

/* Each step looks at all stages and loops that those before it made; a sampled schedule of the
 * largest tasks of models has about a hundred. */
enum { STEPS_MAX = 1024 };

struct state *state_parse(struct arena *a, const struct dag *dag, const char *file,
			  const char *text)
{
	struct state *s = state_new(a, dag);
	struct scan in = scan_text(file, text);

	scan_line_end(&in);
	while (!scan_at_end(&in)) {
		struct step step;
		const char *why = "";

		if (s->steps.n == STEPS_MAX) {
			scan_error(&in, "more than %d steps", STEPS_MAX);
			return NULL;
		}
		if (step_scan(&in, s, &step) < 0)
			return NULL;
		if (!state_apply(s, step, &why)) {
			scan_error(&in, "%s is not legal here: %s", step_name(step.kind), why);
			return NULL;
		}
		if (!scan_token(&in, ";") && !scan_line_end(&in)) {
			scan_error(&in, "expected the end of the step");
			return NULL;
		}
		scan_line_end(&in);
	}
	return s;
}

void state_print(struct text *t, const struct state *s)
{
	struct arena *a = arena_new();
	struct state *replay = state_new(a, s->given);

	for (int i = 0; i < s->steps.n; i++) {
		step_print(t, s->steps.at[i], replay);
		text_puts(t, "\n");
		if (!state_apply(replay, s->steps.at[i], NULL))
			die("a step of a state does not replay");
	}
	arena_free(a);
}
