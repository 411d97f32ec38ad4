/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/site.c - which kernel stands for which function, and what it reads. */
#include "runtime/site.h"

#include <stdlib.h>

#include "base/err.h"

/* Where among the arguments of the application B the value is. */
static int param_of(const struct binding *b, int value)
{
	for (int i = 0; i < b->nargs; i++)
		if (b->args[i] == value)
			return i;
	return -1;
}

/* The parameters that the inputs of T's kernel come from at USE; NULL where one is from nowhere. */
static int *params_at(struct arena *a, const struct model_use *use, const struct binding *apply)
{
	int *param = arena_many(a, int, use->inputs.n + 1);

	for (int i = 0; i < use->inputs.n; i++) {
		param[i] = param_of(apply, use->inputs.at[i]);
		if (param[i] < 0)
			return NULL;
	}
	return param;
}

static bool same_params(const struct kernel_site *s, const int *param)
{
	return memcmp(s->param, param, (size_t)(s->nargs - 1) * sizeof(*param)) == 0;
}

static void add_use(struct arena *a, struct kernel_site *sites, const struct graph *g,
		    const struct model_use *use, int task, const struct choice *choice)
{
	const struct function *f = g->functions.at[use->function];
	const struct binding *apply = function_at(f, use->value);
	struct kernel_site *s = &sites[apply->function];
	int *param = params_at(a, use, apply);

	if (s->task < 0 && param) {
		*s = (struct kernel_site){ .task = task, .choice = choice, .param = param,
					   .nargs = use->inputs.n + 1 };
		s->weights = arena_many(a, struct site_weight *, s->nargs);
	} else if (s->task != task || !param || !same_params(s, param)) {
		s->choice = NULL;	/* no kernel stands for both */
	}
}

struct kernel_site *sites_new(struct arena *a, const struct graph *g,
			      const struct model_task_vec *tasks, const struct choice *choices)
{
	struct kernel_site *sites = arena_many(a, struct kernel_site, g->functions.n);

	for (int i = 0; i < g->functions.n; i++)
		sites[i].task = -1;
	for (int i = 0; i < tasks->n; i++) {
		const struct model_task *t = &tasks->at[i];

		bool any = choices[i].origin != CHOICE_NONE || choices[i].nforeign;

		for (int j = 0; any && j < t->uses.n; j++)
			add_use(a, sites, g, &t->uses.at[j], i, &choices[i]);
	}
	return sites;
}

void sites_free(struct kernel_site *sites, int n)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; sites[i].weights && j < sites[i].nargs; j++)
			for (struct site_weight *w = sites[i].weights[j]; w; w = w->next)
				free(w->ready);
}

struct foreign *site_foreign(const struct kernel_site *s, int function, int value)
{
	for (int i = 0; s->choice && i < s->choice->nforeign; i++)
		if (s->choice->foreign[i].function == function && s->choice->foreign[i].value == value)
			return s->choice->foreign[i].foreign;
	return NULL;
}

bool site_wants_constant(const struct kernel_site *s, int arg)
{
	return s->choice->kernel.call.packed_bytes(arg) > 0;
}

uint64_t site_replaces(const struct kernel_site *s)
{
	uint64_t may = 0, may_not = 0;

	for (int i = 0; i < s->nargs - 1; i++) {
		uint64_t bit = s->param[i] < 64 ? (uint64_t)1 << s->param[i] : 0;

		if (i < 32 && s->choice->replaces >> i & 1)
			may |= bit;
		else
			may_not |= bit;
	}
	return may & ~may_not;
}

const char *site_plain(const struct array *x)
{
	const struct array *aligned = array_aligned(x);

	if (!aligned)
		die("%s", err_get());
	return aligned->data;
}

static void *copy(const struct array *x)
{
	void *to = memcpy(kernel_buffer(array_bytes(x)), x->data, array_bytes(x));

	array_unload(x);
	return to;
}

/* The copy of what is not aligned lives for so long alone, and none of X is in memory behind it. */
static void *pack(const struct kernel *k, int arg, const struct array *x)
{
	bool aligned = (uintptr_t)x->data % element_bytes(x->element) == 0;
	void *raw = aligned ? x->data : copy(x);
	void *packed = kernel_packed(k, arg, raw);

	if (raw != x->data)
		free(raw);
	array_unload(x);
	return packed;
}

const void *site_weight(struct arena *a, struct kernel_site *s, int arg, const struct array *x)
{
	const struct kernel *k = &s->choice->kernel;
	size_t packed = k->call.packed_bytes(arg);

	if (!packed && (uintptr_t)x->data % CALLABLE_ALIGN == 0)
		return x->data;
	for (const struct site_weight *w = s->weights[arg]; w; w = w->next)
		if (w->raw == x->data)
			return w->ready;
	struct site_weight *w = arena_one(a, struct site_weight);

	w->raw = x->data;
	w->ready = packed ? pack(k, arg, x) : copy(x);
	w->next = s->weights[arg];
	s->weights[arg] = w;
	return w->ready;
}
