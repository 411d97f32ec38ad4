/* SPDX-License-Identifier: Apache-2.0 */
/* tests/pass_fixture.h - a pass alone, from text to text. */
#ifndef HONE_TESTS_PASS_FIXTURE_H
#define HONE_TESTS_PASS_FIXTURE_H

#include "tests/graph_fixture.h"

#include "graph/build/check.h"
#include "graph/text/text.h"

/* A pass, and what it makes of a graph. What nobody needs any more is left out on both sides. */
struct pass_case {
	const char *pass;
	const char *before, *after;	/* functions, main first */
};

static inline struct graph *pass_run(struct arena *a, const char *name, const struct graph *g)
{
	struct graph *out = pass_find(name)->run(a, g);

	if (!out || graph_check(out) < 0)
		fail_msg("%s: %s", name, err_get());
	return out;
}

static inline const char *pass_printed(struct arena *a, const struct graph *g)
{
	struct text out = { 0 };

	graph_print(&out, g, true);
	const char *text = arena_strdup(a, text_str(&out));

	text_free(&out);
	return text;
}

static inline struct graph *pass_parsed(struct arena *a, const char *functions)
{
	const char *text = arena_printf(a, "graph \"t\" @main\n\n%s", functions);
	struct graph *g = graph_parse(a, "test", text);

	if (!g)
		fail_msg("%s", err_get());
	return g;
}

static inline void assert_passes(const struct pass_case *c)
{
	struct arena *a = arena_new();
	struct graph *g = pass_run(a, c->pass, pass_parsed(a, c->before));

	assert_string_equal(pass_printed(a, pass_run(a, "dead", g)),
			    arena_printf(a, "graph \"t\" @main\n\n%s", c->after));
	arena_free(a);
}

static inline void assert_all_pass(const struct pass_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_passes(&cases[i]);
}

#define CHECK_ALL(cases) assert_all_pass(cases, sizeof(cases) / sizeof(cases[0]))

#endif
