/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/induction.c - pointers that a loop moves along what its turns read, in the place of indices.
 *
 * Some processors split what computes with memory where it is addressed by two registers: with an index a multiply-add with a number for all
 * lanes is two operations, with a pointer alone one (docs/performance.md). Of loops that add to registers compilers keep to how it is written;
 * others store between loads, which a pointer may tell them less of than an index into what is restricted. */
#include <inttypes.h>

#include "codegen/emitter.h"

/* Does LIST store to registers alone, without a loop that goes round? */
static bool adds_to_registers(const struct nest *list)
{
	for (const struct nest *n = list; n; n = n->next) {
		bool written_out = n->annotation == ANNOTATION_UNROLL || n->annotation == ANNOTATION_VECTOR || n->intrinsic;

		if ((n->kind == NEST_LOOP && !written_out) || (n->kind == NEST_STORE && !n->buffer->registers) ||
		    !adds_to_registers(n->body) || !adds_to_registers(n->other))
			return false;
	}
	return true;
}

static bool suits(const struct emitter *e, const struct nest *n)
{
	return n != e->shared && n->annotation == ANNOTATION_NONE && n->turns != TURNS_FEW && adds_to_registers(n->body);
}

/* Is X, an atom of an offset, the same in all turns of the loop that moves pointers? */
static bool stays(const struct emitter *e, const struct expr *x)
{
	for (int i = e->inductions.bound; i < e->bindings.n; i++)
		if (!e->bindings.at[i].known && expr_uses_axis(x, e->bindings.at[i].axis))
			return false;
	return x->loads == 0;
}

int induction_term(const struct emitter *e, const struct linear *l)
{
	int moved = -1;

	if (!e->inductions.axis)
		return -1;
	for (int i = 0; i < l->n; i++)
		if (l->term[i].atom->kind == EXPR_AXIS && l->term[i].atom->axis == e->inductions.axis)
			moved = i;
		else if (!stays(e, l->term[i].atom))
			return -1;
	return moved;
}

const char *induction_of(struct emitter *e, const struct place_name *p, const struct offset *o)
{
	struct inductions *c = &e->inductions;
	int i = 0;

	if (o->step == 0)
		return NULL;
	while (i < c->n && (c->at[i].place != p->name || c->at[i].step != o->step || strcmp(c->at[i].rest, o->rest) != 0))
		i++;
	if (i == MOST_INDUCTIONS)
		return NULL;
	if (i == c->n) {
		const char *name = emit_name(e, arena_printf(e->a, "%s.at", p->buffer->tensor.name));

		c->at[c->n++] = (struct induction){ p->name, p->buffer->tensor.dtype, o->rest, o->step, name };
	}
	return c->at[i].name;
}

/* Before the loop. Behind its last turn they are a turn further, where nothing is read. */
static void emit_beginnings(struct emitter *e)
{
	for (int i = 0; i < e->inductions.n; i++) {
		const struct induction *c = &e->inductions.at[i];

		emit_line(e, "const %s *%s = %s + %s%s%" PRId64 ";", dtype_c(c->dtype), c->name, c->place, c->rest,
			  *c->rest ? " + " : "", c->step * e->inductions.axis->lo);
	}
}

void emit_induction_moves(struct emitter *e)
{
	for (int i = 0; i < e->inductions.n; i++)
		emit_line(e, "%s += %" PRId64 ";", e->inductions.at[i].name, e->inductions.at[i].step);
}

bool emit_moving(struct emitter *e, const struct nest *n)
{
	struct text before = e->body;

	if (!suits(e, n))
		return false;
	e->body = (struct text){ 0 };	/* which pointers it moves is known behind the loop */
	e->inductions = (struct inductions){ .axis = n->axis, .bound = e->bindings.n };
	emit_for(e, n);
	struct text loop = e->body;

	e->body = before;
	emit_beginnings(e);
	text_puts(&e->body, text_str(&loop));
	text_free(&loop);
	e->inductions = (struct inductions){ 0 };
	return true;
}
