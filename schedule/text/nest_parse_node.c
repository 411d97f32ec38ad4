/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/text/nest_parse_node.c - reads the nest of a program: a line for each node, tabs for the tree. */
#include "schedule/text/nest_parse.h"
#include "te/limits.h"

/* Passes are recursive in it; the deepest kernel has some tens of loops, lets and conditions around a store. */
enum { NESTING_MAX = 200 };
/* Turns of a loop of lanes: vectorize writes all of them out, before size refuses what is too much. */
enum { LANES_MAX = 4096 };

/* --- expressions */

/* Narrow types are loaded, cast and stored; there is no arithmetic on them (schedule/narrow.h). */
static bool find_narrow(const struct expr *e, void *user)
{
	const struct expr **found = user;

	for (int i = 0; e->kind != EXPR_CAST && i < expr_kind_arity(e->kind); i++)
		if (dtype_is_narrow(e->arg[i]->dtype))
			*found = e->arg[i];
	return !*found;
}

/* An expression of type T, what it is for being WHAT. */
static int expression(struct nest_parser *np, enum dtype t, const char *what,
		      const struct expr **out)
{
	const char *at = parse_at(&np->p);
	const struct expr *narrow = NULL;

	np->p.nodes = np->p.depth = 0;
	const struct expr *e = parse_body(&np->p);

	if (!e)
		return -1;
	expr_visit(e, find_narrow, &narrow);
	if (e->dtype != t)
		return parse_error(&np->p, at, "%s is %s, not %s", what, dtype_name(t),
				   dtype_name(e->dtype));
	if (!nest_indices_fit(e))
		return parse_error(&np->p, at, "index arithmetic is beyond any buffer, or nests "
				   "too deep");
	if (narrow)
		return parse_error(&np->p, at, "arithmetic on %s; cast it, as in f32(x)",
				   dtype_name(narrow->dtype));
	*out = e;
	return 0;
}

/* --- loops and lets */

/* NAME "in" LOW ".." HIGH ["reduced"]; NULL and a message. */
static struct axis *bound_axis(struct nest_parser *np)
{
	struct axis *axis = arena_one(np->p.a, struct axis);

	axis->name = parse_new_name(&np->p, "an axis");
	if (!axis->name || parse_expect(&np->p, "in") < 0 ||
	    nest_parse_number(np, "where the range begins", -ELEMENTS_MAX, ELEMENTS_MAX - 1,
			      &axis->lo) < 0)
		return NULL;
	const char *dots = parse_at(&np->p);

	if (strncmp(dots, "..", 2) != 0) {
		parse_error(&np->p, dots, "expected '..'");
		return NULL;
	}
	np->p.s.at = dots + 2;
	if (nest_parse_number(np, "where the range ends", axis->lo + 1, ELEMENTS_MAX,
			      &axis->hi) < 0)
		return NULL;
	axis->reduce = nest_parse_word(np, "reduced");
	return axis;
}

/* ["of" LANES] */
static int lanes_of_loop(struct nest_parser *np, struct nest *n)
{
	const char *at = parse_at(&np->p);

	if (!nest_parse_word(np, "of"))
		return 0;
	if (n->annotation != ANNOTATION_VECTOR)
		return parse_error(&np->p, at, "lanes of a loop that is no vector");
	return nest_parse_lanes(np, n->axis->hi - n->axis->lo, 1, &n->lanes);
}

/* ["by" INTRINSIC] */
static int by(struct nest_parser *np, struct nest *n)
{
	if (!nest_parse_word(np, "by"))
		return 0;
	if (n->annotation != ANNOTATION_UNROLL || !n->axis->reduce)
		return parse_error(&np->p, parse_at(&np->p), "the loop is no written-out reduction");
	for (int i = 0; i < INTRINSIC_COUNT && !n->intrinsic; i++)
		n->intrinsic = scan_token(&np->p.s, intrinsic_at(i)->name) ? intrinsic_at(i) : NULL;
	return n->intrinsic ? 0 : parse_error(&np->p, parse_at(&np->p), "there is no such intrinsic");
}

/* ["border" KIND] */
static int border(struct nest_parser *np, enum border *out)
{
	if (!nest_parse_word(np, "border"))
		return 0;
	for (enum border b = BORDER_OPEN + 1; b < BORDER_COUNT; b++)
		if (scan_token(&np->p.s, border_name(b))) {
			*out = b;
			return 0;
		}
	return parse_error(&np->p, parse_at(&np->p), "there is no such border");
}

/* NAME: what can be prefetched. NULL and a message where it cannot. */
static struct buffer *prefetched(struct nest_parser *np)
{
	const char *at = parse_at(&np->p);
	char *name = scan_name(&np->p.s, np->p.a);
	const struct tensor *t = name ? np->p.tensor(&np->p, name) : NULL;

	if (!t || buffer_of(t)->kind == BUFFER_LOCAL || np->packed) {
		parse_error(&np->p, at, "only arguments and temps are prefetched, and not in packs");
		return NULL;
	}
	return buffer_of(t);
}

/* ["prefetch" NAME TURNS]... */
static int prefetches(struct nest_parser *np, struct nest *n)
{
	while (nest_parse_word(np, "prefetch")) {
		struct prefetch x = { .buffer = prefetched(np) };

		if (!x.buffer ||
		    nest_parse_number(np, "turns ahead", 1, PREFETCH_MAX_TURNS, &x.turns) < 0)
			return -1;
		vec_push(np->p.a, &n->prefetches, x);
	}
	return 0;
}

/* NAME "at" element ["," "far"], behind "prefetch" */
static int prefetch(struct nest_parser *np, struct nest *n)
{
	if (np->in_vector)
		return parse_error(&np->p, parse_at(&np->p), "lanes prefetch nothing");
	n->kind = NEST_PREFETCH;
	n->buffer = prefetched(np);
	if (!n->buffer || parse_expect(&np->p, "at") < 0 ||
	    expression(np, DTYPE_I64, "an element", &n->value) < 0)
		return -1;
	if (n->value->loads)
		return parse_error(&np->p, parse_at(&np->p), "what is prefetched is known without loads");
	n->far = scan_token(&np->p.s, ",");
	if (n->far && parse_expect(&np->p, "far") < 0)
		return -1;
	return nest_parse_line_end(np);
}

/* What is inside of N, whose line ends here. */
static int inside(struct nest_parser *np, int depth, struct nest **out)
{
	return nest_parse_line_end(np) < 0 ? -1 : nest_parse_list(np, depth + 1, out);
}

static int inside_axis(struct nest_parser *np, int depth, struct nest *n, struct axis *axis)
{
	nest_parse_open(np, axis);
	if (inside(np, depth, &n->body) < 0)
		return -1;
	np->p.axes.n--;
	return 0;
}

/* [turns] [kind]: is there one? */
static bool loop_words(struct nest_parser *np, struct nest *n)
{
	for (enum turns t = TURNS_FEW; t < TURNS_COUNT && !n->turns; t++)
		n->turns = nest_parse_word(np, turns_name(t)) ? t : TURNS_PLAIN;
	for (enum annotation a = 1; a < ANNOTATION_COUNT && !n->annotation; a++)
		n->annotation = nest_parse_word(np, annotation_name(a)) ? a : ANNOTATION_NONE;
	return n->turns || n->annotation;
}

/* axis ["of" LANES] ["by" INTRINSIC] [border] ["pipelined"] [prefetches], behind "for" */
static int loop(struct nest_parser *np, int depth, struct nest *n)
{
	const struct target *target = np->program->target;
	const char *at = parse_at(&np->p);
	struct axis *own = bound_axis(np);

	n->kind = NEST_LOOP;
	n->axis = own;
	if (!own || lanes_of_loop(np, n) < 0 || by(np, n) < 0 || border(np, &n->border) < 0)
		return -1;
	n->pipelined = nest_parse_word(np, "pipelined");
	if (prefetches(np, n) < 0)
		return -1;
	if (n->pipelined && (np->packed || !own->reduce))
		return parse_error(&np->p, at, "the pipelined loop is no reduction");
	if (n->annotation && np->packed)
		return parse_error(&np->p, at, "the loops of a pack are plain");
	if (!target_binds(target, n->annotation))
		return parse_error(&np->p, at, "%s has no %s loops", target->name,
				   annotation_name(n->annotation));
	if (np->in_vector)
		return parse_error(&np->p, at, "a loop inside of lanes");
	np->in_vector = n->annotation == ANNOTATION_VECTOR;
	if (np->in_vector && own->hi - own->lo > LANES_MAX)
		return parse_error(&np->p, at, "more than %d lanes", LANES_MAX);
	int rc = inside_axis(np, depth, n, own);

	np->in_vector = false;
	if (rc == 0 && n->turns == TURNS_TRANSPOSED && !nest_is_block(n))
		return parse_error(&np->p, at, "what is transposed is a vector loop of one store, with no more turns around "
				   "than it has lanes");
	if (rc == 0 && n->turns == TURNS_INTERLEAVED && !nest_is_of_words(n))
		return parse_error(&np->p, at, "what is interleaved is a whole vector of one store, with so many turns around "
				   "that one element of each is a word");
	return rc;
}

/* "let" axis "=" value */
static int let(struct nest_parser *np, int depth, struct nest *n)
{
	struct axis *own = bound_axis(np);

	n->kind = NEST_LET;
	n->axis = own;
	if (!own || parse_expect(&np->p, "=") < 0 ||
	    expression(np, DTYPE_I64, "a let", &n->value) < 0)
		return -1;
	return inside_axis(np, depth, n, own);
}

/* --- conditions */

/* ["," "guard" "of" KIND] */
static int guard(struct nest_parser *np, enum guard *out)
{
	if (!scan_token(&np->p.s, ","))
		return 0;
	if (parse_expect(&np->p, "guard") < 0 || parse_expect(&np->p, "of") < 0)
		return -1;
	for (enum guard g = GUARD_TILE; g <= GUARD_LOOP; g++)
		if (scan_token(&np->p.s, guard_name(g))) {
			*out = g;
			return 0;
		}
	return parse_error(&np->p, parse_at(&np->p), "expected tile or loop");
}

/* "if" condition [guard], and perhaps an "else" below. */
static int condition(struct nest_parser *np, int depth, struct nest *n)
{
	n->kind = NEST_IF;
	if (expression(np, DTYPE_BOOL, "a condition", &n->value) < 0 ||
	    guard(np, &n->guard) < 0 || inside(np, depth, &n->body) < 0)
		return -1;
	return np->depth == depth && nest_parse_word(np, "else") ? inside(np, depth, &n->other) : 0;
}

/* --- stores */

static int assignment(struct nest_parser *np, enum reducer *out)
{
	static const struct {
		const char *token;
		enum reducer reducer;
	} table[] = {
		{ "=", REDUCE_NONE }, { "+=", REDUCE_SUM }, { "*=", REDUCE_PROD },
		{ "max=", REDUCE_MAX }, { "min=", REDUCE_MIN },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (scan_token(&np->p.s, table[i].token)) {
			*out = table[i].reducer;
			return 0;
		}
	return parse_error(&np->p, parse_at(&np->p), "expected =, +=, *=, max= or min=");
}

/* ["stream"] NAME "[" index "]" assignment value */
static int store(struct nest_parser *np, struct nest *n)
{
	bool streams = nest_parse_word(np, "stream");
	const char *at = parse_at(&np->p);
	char *name = scan_name(&np->p.s, np->p.a);

	if (!name || !scan_token(&np->p.s, "["))
		return parse_error(&np->p, at, "expected for, let, if, temp, local, registers or a "
				   "store such as C[i, j] = f32(0)");
	const struct tensor *t = np->p.tensor(&np->p, name);

	if (!t || (buffer_of(t)->kind == BUFFER_INPUT && buffer_of(t) != np->packed))
		return parse_error(&np->p, at, "%s is no buffer to write to", name);
	if (streams && buffer_of(t)->kind != BUFFER_OUTPUT)
		return parse_error(&np->p, at, "only outputs are stored past the caches");
	n->kind = NEST_STORE;
	n->streams = streams;
	n->buffer = buffer_of(t);
	n->index = arena_many(np->p.a, const struct expr *, t->ndim);
	if (nest_parse_element(np, t, n->index) < 0 || assignment(np, &n->reducer) < 0)
		return -1;
	if (streams && n->reducer != REDUCE_NONE)
		return parse_error(&np->p, at, "what is stored past the caches is not read");
	if (n->reducer != REDUCE_NONE && (t->dtype == DTYPE_BOOL || dtype_is_narrow(t->dtype)))
		return parse_error(&np->p, at, "a reduction to %s", dtype_name(t->dtype));
	if (expression(np, t->dtype, "what is stored here", &n->value) < 0)
		return -1;
	return nest_parse_line_end(np);
}

/* --- */

static int node(struct nest_parser *np, int depth, struct nest *n)
{
	if (nest_parse_word(np, "let"))
		return let(np, depth, n);
	if (nest_parse_word(np, "if"))
		return condition(np, depth, n);
	if (nest_parse_word(np, "prefetch"))
		return prefetch(np, n);
	if (nest_parse_word(np, "temp"))
		return nest_parse_alloc(np, n, (struct buffer){ .kind = BUFFER_TEMP });
	if (nest_parse_word(np, "local"))
		return nest_parse_alloc(np, n, (struct buffer){ .kind = BUFFER_LOCAL });
	if (nest_parse_word(np, "registers"))
		return nest_parse_alloc(np, n, (struct buffer){ .kind = BUFFER_LOCAL, .registers = true });
	for (enum memory_scope s = SCOPE_MATRIX; s <= SCOPE_ACCUMULATORS; s++)
		if (nest_parse_word(np, memory_scope_name(s)))
			return nest_parse_alloc(np, n, (struct buffer){ .kind = BUFFER_LOCAL, .scratchpad = s });
	bool words = loop_words(np, n);

	if (nest_parse_word(np, "for"))
		return loop(np, depth, n);
	return words ? parse_expect(&np->p, "for") : store(np, n);
}

int nest_parse_list(struct nest_parser *np, int depth, struct nest **out)
{
	int seen = np->seen.n;

	if (depth > NESTING_MAX)
		return parse_error(&np->p, parse_at(&np->p), "more than %d levels", NESTING_MAX);
	while (np->depth == depth) {
		*out = arena_one(np->p.a, struct nest);
		if (node(np, depth, *out) < 0)
			return -1;
		out = &(*out)->next;
	}
	if (np->depth > depth)
		return parse_error(&np->p, np->p.s.at, "expected no more than %d tabs", depth);
	np->seen.n = seen;
	return 0;
}
