/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/pass.c - the table of passes, and running them. */
#include "graph/pass/pass.h"

#include "base/err.h"

#define X(name) extern const struct pass pass_##name;
#include "graph/pass/passes.def"
#undef X

static const struct pass *const passes[] = {
#define X(name) &pass_##name,
#include "graph/pass/passes.def"
#undef X
};

enum { PASSES = (int)(sizeof(passes) / sizeof(passes[0])) };

const struct pass *pass_at(int i)
{
	return i < PASSES ? passes[i] : NULL;
}

const struct pass *pass_find(const char *name)
{
	for (int i = 0; i < PASSES; i++)
		if (strcmp(passes[i]->name, name) == 0)
			return passes[i];
	return NULL;
}

static int no_such_pass(const char *name)
{
	struct text known = { 0 };

	for (int i = 0; i < PASSES; i++)
		text_printf(&known, ", %s", passes[i]->name);
	err_set("'%s' is no pass; there are read%s", name, text_str(&known));
	text_free(&known);
	return -1;
}

/* From pass I on, up to and with LAST (NULL: all). */
static struct graph *run_from(struct arena *a, struct graph *g, int i, const char *last)
{
	for (; i < PASSES && g; i++) {
		g = passes[i]->run(a, g);
		if (!g)
			err_prefix("pass %s", passes[i]->name);
		if (last && strcmp(last, passes[i]->name) == 0)
			break;
	}
	return g;
}

struct graph *graph_passes(struct arena *a, struct graph *g, const char *last)
{
	if (last && strcmp(last, "read") == 0)
		return g;
	if (last && !pass_find(last)) {
		no_such_pass(last);
		return NULL;
	}
	return run_from(a, g, 0, last);
}

struct graph *graph_passes_after(struct arena *a, struct graph *g, const char *first)
{
	int i = 0;

	while (strcmp(passes[i]->name, first) != 0)
		i++;
	return run_from(a, g, i + 1, NULL);
}
