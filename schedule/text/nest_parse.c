/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/text/nest_parse.c - reads what a program begins with: its target, its arguments, how constants are
 * packed. */
#include "schedule/text/nest_parse.h"

#include "te/limits.h"

/* As many as a DAG may have tensors: they are searched one by one. */
enum { BUFFERS_MAX = 1024 };

/* --- lines and words */

bool nest_parse_word(struct nest_parser *np, const char *word)
{
	const char *at = parse_at(&np->p);

	if (scan_token(&np->p.s, word) && *parse_at(&np->p) != '[')
		return true;
	np->p.s.at = at;
	return false;
}

int nest_parse_number(struct nest_parser *np, const char *what, int64_t low, int64_t high,
		      int64_t *out)
{
	const char *at = parse_at(&np->p);

	if (scan_int(&np->p.s, out) && *out >= low && *out <= high)
		return 0;
	return parse_error(&np->p, at, "expected %s, a whole number in %jd..%jd", what,
			   (intmax_t)low, (intmax_t)high);
}

/* At the first token of a line: how many tabs are before it. */
static int count_tabs(struct nest_parser *np)
{
	const struct scan *s = &np->p.s;
	const char *from = s->at;

	while (from > s->begin && from[-1] == '\t')
		from--;
	if (from > s->begin && from[-1] != '\n')
		return parse_error(&np->p, from, "expected tabs alone before a line");
	np->depth = *s->at ? (int)(s->at - from) : -1;
	return 0;
}

int nest_parse_line_end(struct nest_parser *np)
{
	if (!scan_line_end(&np->p.s))
		return parse_error(&np->p, np->p.s.at, "expected the end of the line");
	return count_tabs(np);
}

/* --- names */

void nest_parse_open(struct nest_parser *np, struct axis *axis)
{
	vec_push(np->p.a, &np->p.axes, (struct parse_axis){ axis, true });
}

static const struct tensor *seen_tensor(const struct parser *p, const char *name)
{
	const struct nest_parser *np = (const struct nest_parser *)p;

	for (int i = np->seen.n - 1; i >= 0; i--)
		if (strcmp(np->seen.at[i]->tensor.name, name) == 0)
			return &np->seen.at[i]->tensor;
	return NULL;
}

int nest_parse_see(struct nest_parser *np, const char *at, struct buffer *b)
{
	const struct tensor *same = seen_tensor(&np->p, b->tensor.name);

	if (same && same != &b->tensor)
		return parse_error(&np->p, at, "there is a buffer %s already", b->tensor.name);
	if (np->seen.n == BUFFERS_MAX)
		return parse_error(&np->p, at, "more than %d buffers", BUFFERS_MAX);
	vec_push(np->p.a, &np->seen, b);
	return 0;
}

int nest_parse_element(struct nest_parser *np, const struct tensor *t, const struct expr **index)
{
	const char *at = parse_at(&np->p);
	int depth;

	np->p.nodes = np->p.depth = 0;
	if (parse_index(&np->p, t, index, &depth) < 0)
		return -1;
	for (int i = 0; i < t->ndim; i++)
		if (!nest_indices_fit(index[i]))
			return parse_error(&np->p, at, "index arithmetic is beyond any buffer, or "
					   "nests too deep");
	return 0;
}

/* [WORD N]. */
static int number_of(struct nest_parser *np, const char *word, int *out)
{
	enum { MOST = 1024 };
	const char *at = parse_at(&np->p);
	int64_t n;

	if (!nest_parse_word(np, word))
		return 0;
	if (!scan_int(&np->p.s, &n) || n < 1 || n > MOST)
		return parse_error(&np->p, at, "a number of %s from 1 to %d", word, MOST);
	*out = (int)n;
	return 0;
}

int nest_parse_copies(struct nest_parser *np, struct buffer *b)
{
	return number_of(np, "slices", &b->slices) < 0 || number_of(np, "copies", &b->copies) < 0 ? -1 : 0;
}

int nest_parse_storage(struct nest_parser *np, struct buffer *b)
{
	struct arrangement how;
	const char *at = parse_at(&np->p);
	int64_t count = 1;

	if (!nest_parse_word(np, "in"))
		return 0;
	b->by_reader = nest_parse_word(np, "reading");
	if (parse_expect(&np->p, "order") < 0)
		return -1;
	if (b->by_reader)
		return 0;
	if (arrangement_scan(&np->p.s, &how) < 0)
		return -1;
	if (!arrangement_covers(&how, b->tensor.ndim))
		return parse_error(&np->p, at, "not every dim is stored once");
	b->order = arena_memdup(np->p.a, &how, sizeof(how));
	for (int i = 0; i < how.n; i++) {
		int64_t extent = arrangement_extent(&how, &b->tensor, i);

		if (extent > ELEMENTS_MAX / count)
			return parse_error(&np->p, at, "more than %jd elements", (intmax_t)ELEMENTS_MAX);
		count *= extent;
	}
	return 0;
}

/* --- the head */

/* "target" NAME */
static int target(struct nest_parser *np)
{
	if (parse_expect(&np->p, "target") < 0)
		return -1;
	const char *at = parse_at(&np->p);
	char *name = arena_strndup(np->p.a, at, strcspn(at, " \t\r\n#"));

	np->program->target = target_named(name);
	if (!np->program->target)
		return parse_error(&np->p, at, "there is no target %s", name);
	np->p.s.at = at + strlen(name);
	if (nest_parse_line_end(np) < 0)
		return -1;
	np->program->overlaps = nest_parse_word(np, "tiles");
	if (!np->program->overlaps)
		return 0;
	return parse_expect(&np->p, "overlap") < 0 ? -1 : nest_parse_line_end(np);
}

/* A tensor, behind "input", "const" or "output". */
static int argument(struct nest_parser *np, enum buffer_kind kind, bool constant)
{
	struct program *program = np->program;
	struct buffer *b = arena_one(np->p.a, struct buffer);
	const char *at = parse_at(&np->p);

	b->kind = kind;
	b->constant = constant;
	b->arg = program->args.n;
	if (parse_tensor(&np->p, &b->tensor) < 0 || nest_parse_storage(np, b) < 0)
		return -1;
	if (b->order || (b->by_reader && !constant))
		return parse_error(&np->p, at, "an argument is stored as its caller has it");
	if (kind == BUFFER_INPUT && b->arg > 0 &&
	    program->args.at[b->arg - 1]->kind == BUFFER_OUTPUT)
		return parse_error(&np->p, at, "an input behind an output; outputs are last");
	if (nest_parse_see(np, at, b) < 0)
		return -1;
	vec_push(np->p.a, &program->args, b);
	vec_push(np->p.a, &np->buffers, b);
	return nest_parse_line_end(np);
}

static int arguments(struct nest_parser *np)
{
	for (;;) {
		int rc;

		if (nest_parse_word(np, "input"))
			rc = argument(np, BUFFER_INPUT, false);
		else if (nest_parse_word(np, "const"))
			rc = argument(np, BUFFER_INPUT, true);
		else if (nest_parse_word(np, "output"))
			rc = argument(np, BUFFER_OUTPUT, false);
		else
			break;
		if (rc < 0)
			return -1;
	}
	int n = np->program->args.n;

	if (n > 0 && np->program->args.at[n - 1]->kind == BUFFER_OUTPUT)
		return 0;
	return parse_error(&np->p, parse_at(&np->p), "expected input, const or output; a program "
			   "has an output");
}

/* --- packs */

/* The constant that NAME is, not packed yet; NULL and a message. */
static struct buffer *raw_constant(struct nest_parser *np)
{
	const char *at = parse_at(&np->p);
	char *name = parse_new_name(&np->p, "a constant");
	const struct tensor *t = name ? seen_tensor(&np->p, name) : NULL;

	if (!name)
		return NULL;
	if (t && buffer_of(t)->constant && !program_pack(np->program, buffer_of(t)->arg))
		return buffer_of(t);
	parse_error(&np->p, at, "%s is no constant above that is not packed", name);
	return NULL;
}

/* What the body of K sees: the constant, and what is made of it. */
static int pack_body(struct nest_parser *np, struct pack *k)
{
	struct buffer_vec seen = np->seen;

	np->seen = (struct buffer_vec){ 0 };
	vec_push(np->p.a, &np->seen, k->raw);
	vec_push(np->p.a, &np->seen, k->packed);
	np->packed = k->packed;
	if (nest_parse_list(np, 1, &k->body) < 0)
		return -1;
	np->packed = NULL;
	np->seen = seen;
	for (int i = np->seen.n - 1; i >= 0; i--)	/* it is there for the pack alone */
		if (np->seen.at[i] == k->raw)
			vec_remove(&np->seen, i);
	return 0;
}

/* A tensor [storage] "of" NAME, behind "pack", and below it what makes the one of the other. */
static int pack(struct nest_parser *np)
{
	struct buffer *b = arena_one(np->p.a, struct buffer);
	const char *at = parse_at(&np->p);

	if (parse_tensor(&np->p, &b->tensor) < 0 || nest_parse_storage(np, b) < 0 ||
	    parse_expect(&np->p, "of") < 0)
		return -1;
	const struct buffer *raw = raw_constant(np);

	if (!raw || nest_parse_see(np, at, b) < 0)
		return -1;
	struct pack *k = program_add_pack(np->program, raw->arg);

	b->kind = BUFFER_INPUT;
	b->constant = true;
	b->arg = raw->arg;
	vec_push(np->p.a, &np->buffers, b);
	k->packed = np->program->args.at[b->arg] = b;
	if (nest_parse_line_end(np) < 0 || pack_body(np, k) < 0)
		return -1;
	nest_survey(k->body);
	return 0;
}

static int packs(struct nest_parser *np)
{
	while (nest_parse_word(np, "pack"))
		if (pack(np) < 0)
			return -1;
	return 0;
}

/* --- */

struct program *program_parse(struct arena *a, const char *file, const char *text)
{
	struct program *program = arena_one(a, struct program);
	struct nest_parser np = {
		.p = { .s = scan_text(file, text), .a = a, .tensor = seen_tensor },
		.program = program,
	};

	program->arena = a;
	scan_line_end(&np.p.s);
	if (target(&np) < 0 || arguments(&np) < 0 || packs(&np) < 0 ||
	    nest_parse_list(&np, 0, &program->body) < 0)
		return NULL;
	nest_survey(program->body);
	return program;
}
