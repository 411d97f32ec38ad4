/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/graph_fuzz.h - what must hold of any graph that was read. */
#ifndef HONE_TESTS_GRAPH_FUZZ_H
#define HONE_TESTS_GRAPH_FUZZ_H

#include <jansson.h>

#include "graph/build/check.h"
#include "graph/eval/interp.h"
#include "graph/text/text.h"
#include "tests/fuzz/fuzz.h"

/* A run of milliseconds; bytes of one value. */
static const struct interp_limits fuzz_limits = { .bytes = 1 << 16, .seconds = 0.05, .depth = 40 };

/* Graphs that print longer are not worth the time. */
enum { FUZZ_TEXT_MAX = 1 << 20 };

static inline const char *fuzz_printed(struct arena *a, const struct graph *g)
{
	struct text out = { 0 };

	graph_print(&out, g, true);
	const char *text = arena_strndup(a, text_str(&out), out.n);

	text_free(&out);
	return text;
}

/* Both forms are read back as the same graph. */
static inline void fuzz_round_trip(struct arena *a, const struct graph *g)
{
	const char *text = fuzz_printed(a, g);

	if (strlen(text) > FUZZ_TEXT_MAX)
		return;
	const struct graph *back = graph_parse(a, "back.graph", text);

	fuzz_must(back, "the printed form does not parse");
	err_set("%.2000s\n%.2000s", text, fuzz_printed(a, back));
	fuzz_must(strcmp(fuzz_printed(a, back), text) == 0, "the text does not print alike");
	json_t *json = graph_to_json(g, true);

	back = graph_from_json(a, "back.json", json);
	fuzz_must(back, "the JSON form is not read");
	fuzz_must(strcmp(fuzz_printed(a, back), text) == 0, "the JSON does not print alike");
	json_decref(json);
}

/* Runs the main function on zeros, where its parameters are small. */
static inline void fuzz_run(struct arena *a, const struct graph *g)
{
	const struct function *f = graph_main(g);
	struct interp x = interp_begin(a, g, fuzz_limits);
	struct value *args = arena_many(a, struct value, f->nparams);
	struct value result;
	int n = 0;

	for (; n < f->nparams; n++) {
		const struct type *t = f->bindings.at[n].type;
		int64_t dim[GRAPH_MAX_RANK];

		if (type_count(t) < 0 || type_bytes(t) > fuzz_limits.bytes || !type_shape(t, dim))
			break;
		args[n] = value_of_array(array_in(a, t->element, t->rank, dim));
	}
	if (n == f->nparams && interp_run(&x, g->main, args, n, &result) == 0)
		value_release(result);
	interp_end(&x);
}

static inline void fuzz_graph(struct arena *a, const struct graph *g)
{
	fuzz_must(graph_check(g) == 0, "the graph is none");
	fuzz_round_trip(a, g);
	fuzz_run(a, g);
}

#endif
