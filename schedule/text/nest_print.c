/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/text/nest_print.c - printing programs: the writing half of schedule/text/nest_text.h. */
#include "schedule/text/nest_text.h"

#include "te/text/text.h"

struct pack *program_pack(const struct program *p, int arg)
{
	for (int i = 0; i < p->packs.n; i++)
		if (p->packs.at[i]->input == arg)
			return p->packs.at[i];
	return NULL;
}

struct pack *program_add_pack(struct program *p, int arg)
{
	struct pack *k = program_pack(p, arg);

	if (k)
		return k;
	k = arena_one(p->arena, struct pack);
	k->input = arg;
	k->raw = p->args.at[arg];
	vec_push(p->arena, &p->packs, k);
	return k;
}

const char *turns_name(enum turns t)
{
	static const char *const names[] = { "", "few", "reload", "alike", "transposed", "interleaved" };

	return names[t];
}

const char *guard_name(enum guard g)
{
	static const char *const names[] = { "", "tile", "loop" };

	return names[g];
}

/* --- names */

struct text_name_vec VEC(const char *);

struct program_printer {
	struct expr_names names;	/* must stay first: the two below cast */
	struct text *out;
	struct arena *arena;		/* owner of the names */
	struct buffer_vec buffers;	/* of the program, each once */
	struct text_name_vec buffer_names;
	struct axis_list axes;		/* around this place, outermost first */
	struct text_name_vec axis_names;
};

static const char *tensor_name(const struct expr_names *names, const struct tensor *t)
{
	const struct program_printer *p = (const struct program_printer *)names;

	for (int i = 0; i < p->buffers.n; i++)
		if (&p->buffers.at[i]->tensor == t)
			return p->buffer_names.at[i];
	return t->name;
}

static const char *axis_name(const struct expr_names *names, const struct axis *axis)
{
	const struct program_printer *p = (const struct program_printer *)names;

	for (int i = p->axes.n - 1; i >= 0; i--)
		if (p->axes.at[i] == axis)
			return p->axis_names.at[i];
	return axis->name;
}

static void name_buffer(struct program_printer *p, struct buffer *b)
{
	for (int i = 0; i < p->buffers.n; i++)
		if (p->buffers.at[i] == b)
			return;
	const char *name =
		name_unique(p->arena, b->tensor.name, p->buffer_names.at, p->buffer_names.n);

	vec_push(p->arena, &p->buffers, b);
	vec_push(p->arena, &p->buffer_names, name);
}

static void name_allocations(struct program_printer *p, const struct nest *n)
{
	for (; n; n = n->next) {
		if (n->kind == NEST_ALLOC)
			name_buffer(p, n->buffer);
		name_allocations(p, n->body);
		name_allocations(p, n->other);
	}
}

/* AXIS is seen from here on; its name. */
static const char *open_axis(struct program_printer *p, const struct axis *axis)
{
	const char *name = name_unique(p->arena, axis->name, p->axis_names.at, p->axis_names.n);

	vec_push(p->arena, &p->axes, axis);
	vec_push(p->arena, &p->axis_names, name);
	return name;
}

static void close_axes(struct program_printer *p, int n)
{
	p->axes.n -= n;
	p->axis_names.n -= n;
}

/* --- parts of lines */

static void print_expr(const struct program_printer *p, const struct expr *e)
{
	expr_print_named(p->out, e, &p->names);
}

static void print_word(const struct program_printer *p, const char *word)
{
	text_printf(p->out, "%s%s", word, *word ? " " : "");
}

static void print_buffer(const struct program_printer *p, const char *kind, const struct buffer *b)
{
	const struct tensor *t = &b->tensor;

	text_printf(p->out, "%s %s: %s[", kind, tensor_name(&p->names, t), dtype_name(t->dtype));
	for (int i = 0; i < t->ndim; i++)
		text_printf(p->out, "%s%jd", i ? ", " : "", (intmax_t)t->shape[i]);
	text_puts(p->out, b->by_reader ? "] in reading order" : b->order ? "] in order " : "]");
	if (b->order)
		arrangement_print(p->out, b->order);
}

/* A number in an index needs no type. */
static void print_element(const struct program_printer *p, const char *name,
			  const struct expr *const *index, int n)
{
	int64_t v;

	text_printf(p->out, "%s[", name);
	for (int i = 0; i < n; i++) {
		text_puts(p->out, i ? ", " : "");
		if (expr_is_int(index[i], &v))
			text_printf(p->out, "%jd", (intmax_t)v);
		else
			print_expr(p, index[i]);
	}
	text_puts(p->out, "]");
}

static void print_axis(const struct program_printer *p, const struct axis *axis, const char *name)
{
	text_printf(p->out, "%s in %jd..%jd%s", name, (intmax_t)axis->lo, (intmax_t)axis->hi,
		    axis->reduce ? " reduced" : "");
}

/* --- nodes: a line each */

static void print_loop(struct program_printer *p, const struct nest *n)
{
	print_word(p, turns_name(n->turns));
	print_word(p, annotation_name(n->annotation));
	print_word(p, "for");
	print_axis(p, n->axis, open_axis(p, n->axis));
	if (n->lanes)
		text_printf(p->out, " of %d", n->lanes);
	if (n->intrinsic)
		text_printf(p->out, " by %s", n->intrinsic->name);
	if (n->border)
		text_printf(p->out, " border %s", border_name(n->border));
	text_puts(p->out, n->pipelined ? " pipelined" : "");
	for (int i = 0; i < n->prefetches.n; i++)
		text_printf(p->out, " prefetch %s %jd", tensor_name(&p->names, &n->prefetches.at[i].buffer->tensor),
			    (intmax_t)n->prefetches.at[i].turns);
}

static void print_prefetch(const struct program_printer *p, const struct nest *n)
{
	text_printf(p->out, "prefetch %s at ", tensor_name(&p->names, &n->buffer->tensor));
	print_expr(p, n->value);
	text_puts(p->out, n->far ? ", far" : "");
}

static void print_let(struct program_printer *p, const struct nest *n)
{
	print_word(p, "let");
	print_axis(p, n->axis, open_axis(p, n->axis));
	text_puts(p->out, " = ");
	print_expr(p, n->value);
}

static void print_if(const struct program_printer *p, const struct nest *n)
{
	print_word(p, "if");
	print_expr(p, n->value);
	if (n->guard)
		text_printf(p->out, ", guard of %s", guard_name(n->guard));
}

static void print_layout(const struct program_printer *p, const struct lane_layout *l)
{
	if (l->lanes == 1)
		text_puts(p->out, " as 1 lane");
	else
		text_printf(p->out, " as %d lanes along dim %d", l->lanes, l->dim);
	if (l->stride != 1)
		text_printf(p->out, ", %jd apart", (intmax_t)l->stride);
	if (l->overruns)
		text_puts(p->out, ", may overrun");
}

static void print_alloc(const struct program_printer *p, const struct nest *n)
{
	const struct buffer *b = n->buffer;

	const char *kind = b->registers ? "registers"
			   : b->scratchpad ? memory_scope_name(b->scratchpad)
			   : b->kind == BUFFER_TEMP ? "temp" : "local";

	print_buffer(p, kind, b);
	if (b->registers && n->layout)
		print_layout(p, n->layout);
	if (b->slices)
		text_printf(p->out, " slices %d", b->slices);
	if (b->copies)
		text_printf(p->out, " copies %d", b->copies);
}

static void print_store(const struct program_printer *p, const struct nest *n)
{
	const struct tensor *t = &n->buffer->tensor;

	print_word(p, n->streams ? "stream" : "");
	print_element(p, tensor_name(&p->names, t), n->index, t->ndim);
	switch (n->reducer) {
	case REDUCE_NONE:
		text_puts(p->out, " = ");
		break;
	case REDUCE_SUM:
		text_puts(p->out, " += ");
		break;
	case REDUCE_PROD:
		text_puts(p->out, " *= ");
		break;
	case REDUCE_MAX:
	case REDUCE_MIN:
		text_printf(p->out, " %s= ", reducer_name(n->reducer));
		break;
	}
	print_expr(p, n->value);
}

static void print_head(struct program_printer *p, const struct nest *n)
{
	switch (n->kind) {
	case NEST_LOOP:
		print_loop(p, n);
		break;
	case NEST_LET:
		print_let(p, n);
		break;
	case NEST_IF:
		print_if(p, n);
		break;
	case NEST_ALLOC:
		print_alloc(p, n);
		break;
	case NEST_STORE:
		print_store(p, n);
		break;
	case NEST_PREFETCH:
		print_prefetch(p, n);
		break;
	}
	text_puts(p->out, "\n");
}

static void print_list(struct program_printer *p, const struct nest *n, int indent)
{
	for (; n; n = n->next) {
		text_indent(p->out, indent);
		print_head(p, n);
		print_list(p, n->body, indent + 1);
		close_axes(p, n->axis ? 1 : 0);
		if (n->other) {
			text_indent(p->out, indent);
			text_puts(p->out, "else\n");
			print_list(p, n->other, indent + 1);
		}
	}
}

/* --- what a program begins with */

static void print_argument(const struct program_printer *p, const struct program *program, int i)
{
	const struct pack *k = program_pack(program, i);
	const struct buffer *b = k ? k->raw : program->args.at[i];

	print_buffer(p, b->kind == BUFFER_OUTPUT ? "output" : b->constant ? "const" : "input", b);
	text_puts(p->out, "\n");
}

static void print_pack(struct program_printer *p, const struct pack *k)
{
	print_buffer(p, "pack", k->packed);
	text_printf(p->out, " of %s\n", tensor_name(&p->names, &k->raw->tensor));
	print_list(p, k->body, 1);
}

void program_print(struct text *t, const struct program *program)
{
	struct program_printer p = {
		.names = { tensor_name, axis_name }, .out = t, .arena = arena_new()
	};

	for (int i = 0; i < program->args.n; i++) {
		const struct pack *k = program_pack(program, i);

		name_buffer(&p, k ? k->raw : program->args.at[i]);
	}
	for (int i = 0; i < program->packs.n; i++) {
		name_buffer(&p, program->packs.at[i]->packed);
		name_allocations(&p, program->packs.at[i]->body);
	}
	name_allocations(&p, program->body);
	text_printf(t, "target %s\n%s", program->target->name,
		    program->overlaps ? "tiles overlap\n" : "");
	for (int i = 0; i < program->args.n; i++)
		print_argument(&p, program, i);
	for (int i = 0; i < program->packs.n; i++)
		print_pack(&p, program->packs.at[i]);
	print_list(&p, program->body, 0);
	arena_free(p.arena);
}
