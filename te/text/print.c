/* SPDX-License-Identifier: Apache-2.0 */
/* te/text/print.c - writes the .te text form. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "te/text/text.h"

/* Binding of what an operator stands between; prefix operators bind tighter than any infix. */
enum { LEVEL_ANY = 0, LEVEL_PREFIX = 7 };

struct printer {
	struct text *out;
	const struct expr_names *names;
};

static int level_of(enum expr_kind k)
{
	static const struct {
		enum expr_kind kind;
		int level;
	} table[] = {
#define X(token, kind, level, swapped) { EXPR_##kind, level },
#include "te/text/infix.def"
#undef X
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (table[i].kind == k)
			return table[i].level;
	return LEVEL_ANY;
}

static bool is_const(const struct expr *e)
{
	return e->kind == EXPR_INT || e->kind == EXPR_FLOAT;
}

/* The shortest decimal that is read back as the same V of type T. */
static void print_double(struct text *t, enum dtype type, double v)
{
	char s[40];

	if (isnan(v) || isinf(v) || v == 0) {
		text_puts(t, signbit(v) ? "-" : "");
		text_puts(t, isnan(v) ? "nan" : isinf(v) ? "inf" : signbit(v) ? "0.0" : "0");
		return;
	}
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(s, sizeof(s), "%.*g", digits, v);
		double back = dtype_round(type, strtod(s, NULL));

		if (!(back < v) && !(back > v))
			break;
	}
	text_puts(t, s);
}

/* BARE: the reader knows the type from what stands beside. */
static void print_const(struct text *t, const struct expr *e, bool bare)
{
	if (e->dtype == DTYPE_BOOL) {
		text_puts(t, e->i ? "true" : "false");
		return;
	}
	if (!bare)
		text_printf(t, "%s(", dtype_name(e->dtype));
	if (e->kind == EXPR_INT)
		text_printf(t, "%jd", (intmax_t)e->i);
	else
		print_double(t, e->dtype, e->f);
	if (!bare)
		text_puts(t, ")");
}

static void print(const struct printer *p, const struct expr *e, int level, bool bare);

/* X and Y have one type: one of them has to show it. */
static void print_pair(const struct printer *p, const struct expr *x, const struct expr *y,
		       const char *between, int left, int right)
{
	print(p, x, left, !is_const(y));
	text_puts(p->out, between);
	print(p, y, right, true);
}

static void print_load(const struct printer *p, const struct expr *e)
{
	text_printf(p->out, "%s[", p->names->tensor(p->names, e->tensor));
	for (int i = 0; i < e->tensor->ndim; i++) {
		text_puts(p->out, i ? ", " : "");
		print(p, e->index[i], LEVEL_ANY, true);
	}
	text_puts(p->out, "]");
}

static void print_call(const struct printer *p, const struct expr *e)
{
	text_printf(p->out, "%s(",
		    e->kind == EXPR_CAST ? dtype_name(e->dtype) : expr_kind_text(e->kind));
	if (expr_kind_arity(e->kind) == 1) {
		print(p, e->arg[0], LEVEL_ANY, false);
	} else if (e->kind == EXPR_SELECT) {
		print(p, e->arg[0], LEVEL_ANY, false);
		text_puts(p->out, ", ");
		print_pair(p, e->arg[1], e->arg[2], ", ", LEVEL_ANY, LEVEL_ANY);
	} else {
		print_pair(p, e->arg[0], e->arg[1], ", ", LEVEL_ANY, LEVEL_ANY);
	}
	text_puts(p->out, ")");
}

static void print_infix(const struct printer *p, const struct expr *e, int level)
{
	int own = level_of(e->kind);
	char token[8];

	snprintf(token, sizeof(token), " %s ", expr_kind_text(e->kind));
	text_puts(p->out, own < level ? "(" : "");
	print_pair(p, e->arg[0], e->arg[1], token, own, own + 1);
	text_puts(p->out, own < level ? ")" : "");
}

static void print(const struct printer *p, const struct expr *e, int level, bool bare)
{
	if (is_const(e)) {
		print_const(p->out, e, bare);
	} else if (e->kind == EXPR_AXIS) {
		text_puts(p->out, p->names->axis(p->names, e->axis));
	} else if (e->kind == EXPR_LOAD) {
		print_load(p, e);
	} else if (expr_kind_form(e->kind) == FORM_PREFIX) {
		text_puts(p->out, expr_kind_text(e->kind));
		print(p, e->arg[0], LEVEL_PREFIX, false);
	} else if (expr_kind_form(e->kind) == FORM_INFIX) {
		print_infix(p, e, level);
	} else {
		print_call(p, e);
	}
}

void expr_print_named(struct text *t, const struct expr *e, const struct expr_names *names)
{
	struct printer p = { t, names };

	print(&p, e, LEVEL_ANY, false);
}

static const char *own_tensor_name(const struct expr_names *names, const struct tensor *t)
{
	(void)names;
	return t->name;
}

static const char *own_axis_name(const struct expr_names *names, const struct axis *axis)
{
	(void)names;
	return axis->name;
}

void expr_print(struct text *t, const struct expr *e)
{
	static const struct expr_names own = { own_tensor_name, own_axis_name };

	expr_print_named(t, e, &own);
}

/* --- names */

const char *name_unique(struct arena *a, const char *name, const char *const *taken, int n)
{
	static const char *const reserved[] = { "true", "false", "inf", "nan" };
	char *base = arena_printf(a, "%s%s", isalpha((unsigned char)*name) ? "" : "_",
				  *name == '_' ? name + 1 : name);

	for (char *c = base; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_' && *c != '.')
			*c = '_';
	for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved); i++)
		if (strcmp(base, reserved[i]) == 0)
			base = arena_printf(a, "%s_", base);
	const char *unique = base;

	for (int suffix = 1;; suffix++) {
		bool used = false;

		for (int i = 0; i < n; i++)
			used |= strcmp(taken[i], unique) == 0;
		if (!used)
			return unique;
		unique = arena_printf(a, "%s_%d", base, suffix);
	}
}

struct dag_printer {
	struct expr_names names;	/* must stay first: the two below cast */
	struct text *out;
	struct arena *arena;	/* owner of the names below */
	const struct dag *dag;
	const struct op *op;
	const char **op_name;	/* one an op of the DAG */
	const char **axis_name;	/* of op: space, then reduce */
};

static const char *tensor_name(const struct expr_names *names, const struct tensor *t)
{
	const struct dag_printer *p = (const struct dag_printer *)names;

	for (int i = 0; i < p->dag->ops.n; i++)
		if (&p->dag->ops.at[i]->tensor == t)
			return p->op_name[i];
	return t->name;
}

static const char *axis_name(const struct expr_names *names, const struct axis *axis)
{
	const struct dag_printer *p = (const struct dag_printer *)names;
	int n = p->op->tensor.ndim;

	for (int i = 0; i < n; i++)
		if (p->op->space[i] == axis)
			return p->axis_name[i];
	for (int i = 0; i < p->op->nreduce; i++)
		if (p->op->reduce[i] == axis)
			return p->axis_name[n + i];
	return axis->name;
}

static void name_ops(struct dag_printer *p)
{
	p->op_name = arena_many(p->arena, const char *, p->dag->ops.n);
	for (int i = 0; i < p->dag->ops.n; i++)
		p->op_name[i] =
			name_unique(p->arena, p->dag->ops.at[i]->tensor.name, p->op_name, i);
}

static void name_axes(struct dag_printer *p)
{
	int ndim = p->op->tensor.ndim;
	int n = ndim + p->op->nreduce;

	p->axis_name = arena_many(p->arena, const char *, n);
	for (int i = 0; i < n; i++) {
		const struct axis *axis = i < ndim ? p->op->space[i] : p->op->reduce[i - ndim];

		p->axis_name[i] = name_unique(p->arena, axis->name, p->axis_name, i);
	}
}

/* --- the DAG */

static void print_input(const struct dag_printer *p, const char *name)
{
	const struct op *op = p->op;
	struct dag *plain = dag_new(p->arena, "");
	const struct op *usual = dag_input(plain, "", op->tensor.dtype, op->tensor.ndim,
					   op->tensor.shape, false);

	text_printf(p->out, "%s %s: %s[", op->kind == OP_CONST ? "const" : "input", name,
		    dtype_name(op->tensor.dtype));
	for (int i = 0; i < op->tensor.ndim; i++)
		text_printf(p->out, "%s%jd", i ? ", " : "", (intmax_t)op->tensor.shape[i]);
	text_puts(p->out, "]");
	if (memcmp(&op->low, &usual->low, sizeof(op->low)) != 0 ||
	    memcmp(&op->high, &usual->high, sizeof(op->high)) != 0) {
		text_puts(p->out, " in ");
		print_double(p->out, DTYPE_F64, op->low);
		text_puts(p->out, "..");
		print_double(p->out, DTYPE_F64, op->high);
	}
	text_puts(p->out, "\n");
}

static void print_axes(const struct dag_printer *p, struct axis *const *axis, int n, int first)
{
	for (int i = 0; i < n; i++)
		text_printf(p->out, "%s%s < %jd", i ? ", " : "", p->axis_name[first + i],
			    (intmax_t)axis[i]->hi);
}

static void print_compute(struct dag_printer *p, const char *name)
{
	const struct op *op = p->op;

	name_axes(p);
	text_printf(p->out, "%s[", name);
	print_axes(p, op->space, op->tensor.ndim, 0);
	text_puts(p->out, "] = ");
	if (op->reducer != REDUCE_NONE) {
		text_printf(p->out, "%s(", reducer_name(op->reducer));
		print_axes(p, op->reduce, op->nreduce, op->tensor.ndim);
		text_puts(p->out, ") ");
	}
	expr_print_named(p->out, op->body, &p->names);
	text_puts(p->out, "\n");
}

void dag_print(struct text *t, const struct dag *d)
{
	struct dag_printer p = {
		.names = { tensor_name, axis_name }, .out = t, .arena = arena_new(), .dag = d
	};

	name_ops(&p);
	for (int i = 0; i < d->ops.n; i++) {
		p.op = d->ops.at[i];
		if (p.op->kind == OP_COMPUTE)
			print_compute(&p, p.op_name[i]);
		else
			print_input(&p, p.op_name[i]);
	}
	for (int i = 0; i < d->ops.n; i++)
		if (d->ops.at[i]->output && dag_consumers(d, &d->ops.at[i]->tensor) > 0)
			text_printf(t, "output %s\n", p.op_name[i]);
	arena_free(p.arena);
}
