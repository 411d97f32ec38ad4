/* SPDX-License-Identifier: Apache-2.0 */
/* tests/golden/cut.c - compares how a graph is cut with what a file says (tests/golden/golden.h).
 *
 * A file is a graph, then what it is cut for and by:
 *
 *	generators	a line for each pattern: who claims it, and its text
 *	options		"after PASS", "least CALLS", "most CALLS" of a region, "keep LABEL", a line each
 *
 * and of what comes of it those sections that the file wants: "calls" (who computes each, and why the host
 * does), "graph" (in short: long constants as a hash), "constants" (how many, and how often their elements
 * are there, before and after). */
#include "tests/fake/fake_generator.h"
#include "tests/golden/golden.h"

#include "graph/build/check.h"
#include "graph/text/text.h"
#include "partition/demand.h"

enum { MOST_GENERATORS = 4, MOST_PATTERNS = 8, MOST_KEPT = 4 };

struct cutting {
	struct arena *a;
	struct backend backends[MOST_GENERATORS];
	struct fake *fakes[MOST_GENERATORS];
	struct hone_pattern patterns[MOST_GENERATORS][MOST_PATTERNS + 1];
	const char *names[MOST_GENERATORS];
	const char *keep[MOST_KEPT];
	const char *after;
	int most;
	struct offload_options o;
	struct demand_labels demands;
	struct graph *from;
	struct offload out;
};

/* Calls LINE for each line of TEXT that is not empty: its first word, and the rest. */
static int each_line(struct cutting *c, char *text,
		     int (*line)(struct cutting *c, const char *word, const char *rest))
{
	char *end;

	for (char *at = strtok_r(text, "\n", &end); at; at = strtok_r(NULL, "\n", &end)) {
		char *space = strchr(at, ' ');

		if (!space)
			return err_set("'%s': two words at least", at);
		*space = 0;
		if (line(c, at, space + 1) < 0)
			return -1;
	}
	return 0;
}

static int read_pattern(struct cutting *c, const char *name, const char *pattern)
{
	int g = 0, p = 0;

	while (g < c->o.n && strcmp(c->names[g], name) != 0)
		g++;
	if (g == MOST_GENERATORS)
		return err_set("more than %d generators", MOST_GENERATORS);
	c->names[g] = name;
	c->o.n = g == c->o.n ? g + 1 : c->o.n;
	while (c->patterns[g][p].name)
		p++;
	if (p == MOST_PATTERNS)
		return err_set("%s has more than %d patterns", name, MOST_PATTERNS);
	c->patterns[g][p] = (struct hone_pattern){ pattern, pattern };
	return 0;
}

static int read_option(struct cutting *c, const char *word, const char *rest)
{
	if (strcmp(word, "after") == 0)
		c->after = rest;
	else if (strcmp(word, "least") == 0)
		c->o.least = atoi(rest);
	else if (strcmp(word, "most") == 0)
		c->most = atoi(rest);
	else if (strcmp(word, "keep") == 0 && c->demands.nkeep < MOST_KEPT)
		c->keep[c->demands.nkeep++] = rest;
	else
		return err_set("there is no option '%s', or one too many", word);
	return 0;
}

static void make_generators(struct cutting *c)
{
	for (int i = 0; i < c->o.n; i++) {
		c->fakes[i] = fake_claimer(c->a, c->names[i], c->patterns[i]);
		c->fakes[i]->generator.most_calls = c->most;
		c->backends[i] = c->fakes[i]->backend;
	}
	c->o.backends = c->backends;
	c->demands.keep = c->keep;
}

/* --- what comes of it */

static const char *printed(struct arena *a, const struct graph *g, bool full)
{
	struct text out = { 0 };

	graph_print(&out, g, full);
	const char *text = arena_strdup(a, text_str(&out));

	text_free(&out);
	return text;
}

static void expand_graph(const struct cutting *c, struct text *out)
{
	if (strcmp(printed(c->a, c->from, true), printed(c->a, c->out.graph, true)) == 0)
		text_puts(out, "as it was\n");
	else
		text_puts(out, printed(c->a, c->out.graph, false));
}

static void expand_calls(const struct cutting *c, struct text *out)
{
	for (int i = 0; i < c->out.calls.n; i++) {
		const struct offload_call *call = &c->out.calls.at[i];
		const struct function *f = c->from->functions.at[call->function];
		const struct binding *b = function_at(f, call->value);

		text_printf(out, "%s %s%s%s: ", f->name, b->op->name, *b->origin->label ? " " : "", b->origin->label);
		if (call->backend == REGION_HOST)
			text_printf(out, "host, %s\n", call->why);
		else
			text_printf(out, "%s, by '%s'\n", c->out.regions.at[call->region].function,
				    call->pattern);
	}
}

/* The constants of G, and how many of them lie elsewhere than all before. */
static void count_constants(const struct cutting *c, const struct graph *g, const char *when,
			    struct text *out)
{
	struct data_vec VEC(const void *) seen = { 0 };
	int all = 0;

	for (int i = 0; i < g->functions.n; i++)
		for (int v = 0; v < g->functions.at[i]->bindings.n; v++) {
			const struct array *x = function_const(g->functions.at[i], v);
			int k = 0;

			while (x && k < seen.n && seen.at[k] != x->data)
				k++;
			all += x != NULL;
			if (x && k == seen.n)
				vec_push(c->a, &seen, x->data);
		}
	text_printf(out, "%s: %d, stored %d times\n", when, all, seen.n);
}

static int expand(const struct cutting *c, const char *name, struct text *out)
{
	if (strcmp(name, "calls") == 0) {
		expand_calls(c, out);
	} else if (strcmp(name, "graph") == 0) {
		expand_graph(c, out);
	} else if (strcmp(name, "constants") == 0) {
		count_constants(c, c->from, "before", out);
		count_constants(c, c->out.graph, "after", out);
	} else {
		return err_set("there is no section '%s'", name);
	}
	return 0;
}

/* Cuts G's graph for what its sections say. */
static int cut(struct golden *g, struct cutting *c)
{
	char *generators = find_section(g, "generators"), *options = find_section(g, "options");
	struct graph *read = graph_parse(g->arena, g->path, g->at[0].text);

	if (!read || !generators || each_line(c, arena_strdup(g->arena, generators), read_pattern) < 0 ||
	    (options && each_line(c, arena_strdup(g->arena, options), read_option) < 0))
		return -1;
	make_generators(c);
	if (demands_set(read, &c->demands) < 0)
		return -1;
	c->from = c->after ? graph_passes(g->arena, read, c->after) : read;
	if (!c->from || offload_all(g->arena, c->from, &c->o, &c->out) < 0)
		return -1;
	return graph_check(c->out.graph);
}

static int rewrite(struct golden *g, struct text *out)
{
	struct cutting *c = arena_one(g->arena, struct cutting);

	c->a = g->arena;
	if (cut(g, c) < 0)
		return err_prefix("%s", g->path);
	text_puts(out, g->at[0].text);
	for (int i = 1; i < g->n; i++) {
		const char *name = g->at[i].name;

		text_printf(out, "%s%s\n", golden_marker, name);
		if (strcmp(name, "generators") == 0 || strcmp(name, "options") == 0)
			text_puts(out, g->at[i].text);
		else if (expand(c, name, out) < 0)
			return err_prefix("%s", g->path);
		else
			text_puts(out, i == g->n - 1 ? "" : "\n");
	}
	return 0;
}

int main(int argc, char **argv)
{
	return golden_main(argc, argv, "tests/golden/partition/*.cut", rewrite);
}
