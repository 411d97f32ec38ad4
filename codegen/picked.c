/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/picked.c - vectors whose lanes are in variables, but not those of one in their order: picked out of one or two, where
 * a compiler would take them one by one. */
#include <inttypes.h>
#include <string.h>

#include "base/integer.h"
#include "codegen/emitter.h"

/* The variables that lanes are in, and their numbers there, those of the second behind those of the first. */
struct pick {
	const char *from[2];
	int variables;
	struct text numbers;
};

/* S, as the next lane of TO; false where that is in a third variable, or in none. */
static bool add_lane(struct pick *to, const struct slot *s, int lanes)
{
	int i = 0;

	while (i < to->variables && strcmp(to->from[i], s->variable) != 0)
		i++;
	if (!s->within || i == 2)
		return false;
	if (i == to->variables)
		to->from[to->variables++] = s->variable;
	text_printf(&to->numbers, ", %d", i * lanes + s->lane);
	return true;
}

/* The lanes of X that are turns of the loop; those behind it are any. */
static bool find_lanes(struct emitter *e, const struct expr *x, const struct place_name *p, struct pick *to)
{
	const struct axis *axis = e->vector_axis;
	int64_t turns = least(e->lanes, axis->hi - e->vector_start);
	bool found = true;

	e->vector_axis = NULL;
	for (int64_t i = 0; i < turns && found; i++) {
		emit_bind(e, (struct bound_axis){ axis, true, e->vector_start + i, NULL });
		struct slot s = slot_of(e, p, x->index);

		found = add_lane(to, &s, p->layout->lanes);
		e->bindings.n--;
	}
	e->vector_axis = axis;
	for (int64_t i = turns; i < e->lanes; i++)
		text_puts(&to->numbers, ", 0");
	return found;
}

const char *picked_text(struct emitter *e, const struct expr *x, const struct place_name *p)
{
	struct pick pick = { .variables = 0 };
	int lanes = p->layout->lanes;

	if (lanes < e->lanes || !find_lanes(e, x, p, &pick)) {
		text_free(&pick.numbers);
		return NULL;
	}
	const char *type = vector_type(e, x->dtype, lanes), *second = pick.from[pick.variables - 1];
	const char *numbers = take_text(e, &pick.numbers);

	if (lanes == e->lanes)
		return arena_printf(e->a, "PICK(%s_mask, %s, %s%s)", type, pick.from[0], second, numbers);
	return arena_printf(e->a, "PICK_FEWER(%s, %s_mask, %s, %s%s)", vector_type(e, x->dtype, e->lanes), type, pick.from[0], second, numbers);
}
