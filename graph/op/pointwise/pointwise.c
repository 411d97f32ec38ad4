/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/pointwise/pointwise.c - the operators of graph/op/pointwise/pointwise.def: what they are
 * and which types they have. */
#include "graph/op/pointwise/pointwise.h"

#include <ctype.h>

#include "base/err.h"
#include "graph/ir/infer.h"

static const struct pointwise table[] = {
#define PRIMITIVE(name, signature, ...)                                                            \
	{ &core_##name, signature, PRIMITIVE_##name, NULL },
#define FORMULA(name, least, signature, attrs, formula, summary)                                          \
	{ &core_##name, signature, PRIMITIVE_COUNT, formula },
#include "graph/op/pointwise/pointwise.def"
#undef PRIMITIVE
#undef FORMULA
};

const struct pointwise *pointwise_of(const struct core_op *op)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (table[i].op == op)
			return &table[i];
	die("%s is no pointwise operator", op->name);
}

const struct formula *formula_of_call(struct arena *a, const struct binding *call)
{
	const struct pointwise *p = pointwise_of(call->op);
	const struct formula *arg[PRIMITIVE_ARITY] = { NULL };

	for (int i = 0; i < call->nargs; i++)
		arg[i] = call->args[i] == VALUE_NONE ? NULL : formula_operand(a, i);
	return p->formula ? formula_parse(a, p->formula, call, arg, NULL)
			  : formula_call(a, p->primitive, arg);
}

/* --- types */

static unsigned classes_of(char letter)
{
	switch (tolower(letter)) {
	case 'n':
		return CLASS_NUMBERS;
	case 'f':
		return CLASS_BIT(FLOAT);
	case 'i':
		return CLASS_INTEGERS;
	case 'b':
		return CLASS_BIT(BOOL);
	default:	/* c, e */
		return CLASS_NUMBERS | CLASS_BIT(BOOL) | CLASS_BIT(STRING);
	}
}

/* Takes operand I for one of the type that LETTER stands for; *ELEMENT is that of those before. */
static int check_operand(const struct infer *x, int i, char letter, enum element *element)
{
	enum element e = infer_type(x, i)->element;

	if (infer_class(x, i, classes_of(letter)) < 0)
		return -1;
	if (isupper(letter) || e == ELEMENT_COUNT)
		return 0;
	if (*element != ELEMENT_COUNT && *element != e)
		return infer_error(x, "operands of %s and %s", element_name(*element),
				   element_name(e));
	*element = e;
	return 0;
}

int pointwise_type(struct infer *x)
{
	const char *letter = pointwise_of(x->call->op)->signature;
	enum element element = ELEMENT_COUNT;	/* of the operands with the small letter */

	for (int i = 0; *letter != '>'; i++, letter++)
		if (infer_has(x, i) && check_operand(x, i, *letter, &element) < 0)
			return -1;
	return infer_broadcast(x, letter[1] == 'b' ? ELEMENT_BOOL : element);
}

/* --- arithmetic on extents */

static struct dim truncated(struct arena *a, struct dim x, struct dim y)
{
	int64_t vx, vy;

	if (!dim_value(y, &vy) || vy <= 0)
		return dim_unknown();
	/* a division of dims rounds down: only of what is not negative it is the same */
	return dim_value(x, &vx) && vx < 0 ? dim_of(a, vx / vy) : dim_div(a, x, y);
}

static struct dim negative(struct arena *a, struct dim x, struct dim y)
{
	(void)y;
	return dim_sub(a, dim_number(0), x);
}

/* What P does to extents; NULL where nothing can be said. */
static struct dim (*on_dims(enum primitive p))(struct arena *, struct dim, struct dim)
{
	switch (p) {
	case PRIMITIVE_add:
		return dim_add;
	case PRIMITIVE_sub:
		return dim_sub;
	case PRIMITIVE_mul:
		return dim_mul;
	case PRIMITIVE_div:
		return truncated;
	case PRIMITIVE_min:
		return dim_min;
	case PRIMITIVE_max:
		return dim_max;
	case PRIMITIVE_neg:
		return negative;
	case PRIMITIVE_equal:
		return dim_is_equal;
	case PRIMITIVE_less:
		return dim_is_less;
	case PRIMITIVE_less_equal:
		return dim_is_at_most;
	default:
		return NULL;
	}
}

/* Element I of N elements that repeat where there is but one. */
static struct dim repeated(const struct dim *at, int n, int i)
{
	return at[n == 1 ? 0 : i];
}

static bool where_elements(struct infer *x, int64_t count, struct dim *out)
{
	int n[3];
	const struct dim *at[3];
	int64_t taken;

	for (int i = 0; i < 3; i++)
		if (!(at[i] = infer_elements(x, i, &n[i])))
			return false;
	for (int i = 0; i < count; i++) {
		struct dim first = repeated(at[1], n[1], i), second = repeated(at[2], n[2], i);

		if (dim_value(repeated(at[0], n[0], i), &taken))
			out[i] = taken ? first : second;
		else
			out[i] = dim_equal(first, second) ? first : dim_unknown();
	}
	return true;
}

bool pointwise_elements(struct infer *x, struct dim *out)
{
	enum primitive p = pointwise_of(x->call->op)->primitive;
	struct dim (*combine)(struct arena *, struct dim, struct dim) = on_dims(p);
	int64_t count = type_count(x->result);
	int n[2] = { 1, 1 };
	struct dim none = dim_unknown();
	const struct dim *at[2] = { NULL, &none };

	if (p == PRIMITIVE_where)
		return where_elements(x, count, out);
	if (!combine)
		return false;
	for (int i = 0; i < x->call->nargs; i++) {
		at[i] = infer_elements(x, i, &n[i]);
		if (!at[i])
			return false;
	}
	for (int i = 0; i < count; i++)
		out[i] = combine(x->arena, repeated(at[0], n[0], i), repeated(at[1], n[1], i));
	return true;
}

/* --- the operators */

#define NO_ATTRS   NULL
#define ATTRS(...) (const struct attr_spec[]){ __VA_ARGS__, { 0 } }
#define D(...)	   pointwise_gradient
#define NONE	   NULL
#define OPERANDS(signature) (int)(sizeof(signature) - sizeof(">n"))
#define OPERATOR(id, least, most, text, derivatives, ...)                                          \
	const struct core_op core_##id = {                                                         \
		.name = #id,                                                                       \
		.summary = text,                                                                   \
		.min_args = least,                                                                 \
		.max_args = most,                                                                  \
		.attrs = __VA_ARGS__,                                                              \
		.fusion = FUSION_INJECTIVE,                                                        \
		.pointwise = true,                                                                 \
		.type = pointwise_type,                                                            \
		.elements = pointwise_elements,                                                    \
		.eval = pointwise_eval,                                                            \
		.express = pointwise_express,                                                      \
		.gradient = derivatives,                                                           \
	};
#define PRIMITIVE(name, signature, te, real, integer, derivatives, summary)                        \
	OPERATOR(name, OPERANDS(signature), OPERANDS(signature), summary, derivatives, NULL)
#define FORMULA(name, least, signature, attrs, formula, summary)                                   \
	OPERATOR(name, least, OPERANDS(signature), summary, pointwise_gradient, attrs)
#include "graph/op/pointwise/pointwise.def"
