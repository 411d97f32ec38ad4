/* SPDX-License-Identifier: Apache-2.0 */
/* te/text/parse.c - reads the statements of the .te text form. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "te/limits.h"
#include "te/text/parse.h"
#include "te/text/text.h"

/* What passes over a DAG is quadratic in its ops and linear in nodes, or recursive in their depth;
 * the deepest network block has some tens of ops. */
enum { OPS_MAX = 1024 };

const char *parse_at(struct parser *p)
{
	scan_blanks(&p->s);
	return p->s.at;
}

int parse_expect(struct parser *p, const char *token)
{
	if (scan_token(&p->s, token))
		return 0;
	return parse_error(p, parse_at(p), "expected '%s'", token);
}

int parse_number(struct parser *p, struct literal *out)
{
	const char *from = parse_at(p);
	const char *c = from;
	char digits[64];

	while (isdigit((unsigned char)*c))
		c++;
	out->is_int = c > from;
	if (c[0] == '.' && c[1] != '.') {
		out->is_int = false;
		for (c++; isdigit((unsigned char)*c);)
			c++;
	}
	if ((*c == 'e' || *c == 'E') && c > from) {
		const char *e = c + 1 + (c[1] == '-' || c[1] == '+');

		if (isdigit((unsigned char)*e)) {
			out->is_int = false;
			for (c = e; isdigit((unsigned char)*c);)
				c++;
		}
	}
	if (c == from || !isdigit((unsigned char)*from))
		return parse_error(p, from, "expected a number");
	if (c - from >= (ptrdiff_t)sizeof(digits))
		return parse_error(p, from, "a number of more than %zu digits", sizeof(digits) - 1);
	memcpy(digits, from, (size_t)(c - from));
	digits[c - from] = '\0';
	p->s.at = c;
	out->f = strtod(digits, NULL);
	errno = 0;
	out->i = out->is_int ? strtoll(digits, NULL, 10) : 0;
	out->is_int &= errno == 0;
	return isfinite(out->f) ? 0 : parse_error(p, from, "the number is too large");
}

char *parse_new_name(struct parser *p, const char *what)
{
	const char *at = parse_at(p);
	char *name = scan_name(&p->s, p->a);

	if (!name)
		parse_error(p, at, "expected the name of %s", what);
	return name;
}

static int extent(struct parser *p, int64_t *out)
{
	const char *at = parse_at(p);
	struct literal number;

	if (parse_number(p, &number) < 0)
		return -1;
	if (!number.is_int || number.i < 1 || number.i > EXTENT_MAX)
		return parse_error(p, at, "an extent is a whole number in 1..%jd",
				   (intmax_t)EXTENT_MAX);
	*out = number.i;
	return 0;
}

static int check_shape(struct parser *p, const char *at, const char *name, int ndim,
		       const int64_t *shape)
{
	if (shape_check(name, ndim, shape) == 0)
		return 0;
	char *why = arena_strdup(p->a, err_get());

	return parse_error(p, at, "%s", why);
}

int parse_tensor(struct parser *p, struct tensor *out)
{
	const char *at = parse_at(p);

	*out = (struct tensor){ .name = parse_new_name(p, "a tensor") };
	if (!out->name || parse_expect(p, ":") < 0)
		return -1;
	const char *type_at = parse_at(p);
	char *type = scan_name(&p->s, p->a);

	if (!type || !dtype_parse(type, &out->dtype))
		return parse_error(p, type_at, "expected an element type such as f32");
	if (parse_expect(p, "[") < 0)
		return -1;
	while (!scan_token(&p->s, "]")) {
		if (out->ndim > 0 && parse_expect(p, ",") < 0)
			return -1;
		if (out->ndim == TENSOR_MAX_DIMS)
			return parse_error(p, p->s.at, "more than %d dimensions", TENSOR_MAX_DIMS);
		if (extent(p, &out->shape[out->ndim++]) < 0)
			return -1;
	}
	return check_shape(p, at, out->name, out->ndim, out->shape);
}

/* --- declarations */

static int signed_number(struct parser *p, double *out)
{
	bool negative = scan_token(&p->s, "-");
	struct literal number;

	if (parse_number(p, &number) < 0)
		return -1;
	*out = negative ? -number.f : number.f;
	return 0;
}

static int data_range(struct parser *p, struct op *op)
{
	const char *at = parse_at(p);

	if (signed_number(p, &op->low) < 0)
		return -1;
	const char *dots = parse_at(p);

	if (strncmp(dots, "..", 2) != 0)
		return parse_error(p, dots, "expected '..'");
	p->s.at = dots + 2;
	if (signed_number(p, &op->high) < 0)
		return -1;
	if (!(op->low < op->high))
		return parse_error(p, at, "the range is empty; write in LOW..HIGH, LOW < HIGH");
	return 0;
}

/* Refuses a name that is taken, and more ops than a task has. */
static int check_new_op(struct parser *p, const char *at, const char *name)
{
	if (dag_find(p->d, name))
		return parse_error(p, at, "there is a tensor %s already", name);
	if (p->d->ops.n >= OPS_MAX)
		return parse_error(p, at, "more than %d tensors", OPS_MAX);
	return 0;
}

/* A tensor ["in" LOW ".." HIGH] */
static int declaration(struct parser *p, bool constant)
{
	const char *at = parse_at(p);
	struct tensor t;

	if (parse_tensor(p, &t) < 0 || check_new_op(p, at, t.name) < 0)
		return -1;
	struct op *op = dag_input(p->d, t.name, t.dtype, t.ndim, t.shape, constant);

	return scan_token(&p->s, "in") ? data_range(p, op) : 0;
}

static int output(struct parser *p)
{
	const char *at = parse_at(p);
	char *name = parse_new_name(p, "a tensor");

	if (!name)
		return -1;
	struct op *op = dag_find(p->d, name);

	if (!op || op->kind != OP_COMPUTE)
		return parse_error(p, at, "%s is no tensor that was computed above", name);
	op->output = true;
	return 0;
}

/* --- equations */

/* NAME ["<" extent] { "," ... } up to CLOSE; extents are required where REDUCE. */
static int axis_list(struct parser *p, const char *close, bool reduce, int *count)
{
	static const char *const reserved[] = { "true", "false", "inf", "nan" };

	for (*count = 0; !scan_token(&p->s, close); ++*count) {
		if (*count > 0 && parse_expect(p, ",") < 0)
			return -1;
		const char *at = parse_at(p);
		char *name = parse_new_name(p, "an axis");

		if (!name)
			return -1;
		for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved); i++)
			if (strcmp(name, reserved[i]) == 0)
				return parse_error(p, at, "%s is a constant, no axis", name);
		for (int i = 0; i < p->axes.n; i++)
			if (strcmp(p->axes.at[i].axis->name, name) == 0)
				return parse_error(p, at, "there is an axis %s already", name);
		if (*count == TENSOR_MAX_DIMS)
			return parse_error(p, at, "more than %d axes", TENSOR_MAX_DIMS);
		struct axis *axis = arena_one(p->a, struct axis);
		bool declared = scan_token(&p->s, "<");

		axis->name = name;
		axis->reduce = reduce;
		if (declared ? extent(p, &axis->hi) < 0 : false)
			return -1;
		vec_push(p->a, &p->axes, (struct parse_axis){ axis, declared });
	}
	return 0;
}

/* sum(k < 3, l < 4) in front of a body; max and min may be functions instead, whose first
 * argument cannot be a comparison. */
static int reduction(struct parser *p, enum reducer *reducer, int *nreduce)
{
	const char *start = parse_at(p);

	*reducer = REDUCE_NONE;
	*nreduce = 0;
	for (enum reducer r = REDUCE_SUM; r <= REDUCE_PROD; r++) {
		p->s.at = start;
		if (!scan_token(&p->s, reducer_name(r)) || !scan_token(&p->s, "("))
			continue;
		const char *inside = p->s.at;
		bool axis = scan_name(&p->s, p->a) && !scan_token(&p->s, "<=") &&
			    (scan_token(&p->s, "<") || r == REDUCE_SUM || r == REDUCE_PROD);

		if (!axis)
			continue;
		p->s.at = inside;
		*reducer = r;
		if (axis_list(p, ")", true, nreduce) < 0)
			return -1;
		return *nreduce > 0 ? 0 : parse_error(p, inside, "expected an axis");
	}
	p->s.at = start;
	return 0;
}

static int finish_equation(struct parser *p, const char *at, const char *name, int nspace,
			   enum reducer reducer, const struct expr *body)
{
	int64_t shape[TENSOR_MAX_DIMS];
	struct axis *axes[2 * TENSOR_MAX_DIMS];

	for (int i = 0; i < p->axes.n; i++) {
		axes[i] = p->axes.at[i].axis;
		if (axes[i]->hi == 0)
			return parse_error(p, at, "the extent of axis %s does not follow from an "
					   "index; write %s < EXTENT", axes[i]->name,
					   axes[i]->name);
		if (i < nspace)
			shape[i] = axes[i]->hi;
	}
	if (!indices_fit(body))
		return parse_error(p, at, "index arithmetic of %s goes beyond %jd or nests too "
				   "deep", name, (intmax_t)EXTENT_MAX);
	if (check_shape(p, at, name, nspace, shape) < 0)
		return -1;
	dag_reduce(p->d, name, axes, nspace, reducer, axes + nspace, p->axes.n - nspace, body);
	return 0;
}

/* NAME "[" axes "]" "=" [reducer "(" axes ")"] body */
static int equation(struct parser *p)
{
	const char *at = parse_at(p);
	char *name = scan_name(&p->s, p->a);
	enum reducer reducer;
	int nspace, nreduce;

	p->axes.n = 0;
	p->nodes = 0;
	p->depth = 0;
	if (check_new_op(p, at, name) < 0 || parse_expect(p, "[") < 0 ||
	    axis_list(p, "]", false, &nspace) < 0 || parse_expect(p, "=") < 0 ||
	    reduction(p, &reducer, &nreduce) < 0)
		return -1;
	const char *body_at = parse_at(p);
	const struct expr *body = parse_body(p);

	if (!body)
		return -1;
	if (body->dtype == DTYPE_BOOL && reducer != REDUCE_NONE)
		return parse_error(p, body_at, "%s of bool; cast it, as in i32(x)",
				   reducer_name(reducer));
	const char *end = p->s.at;

	if (finish_equation(p, at, name, nspace, reducer, body) < 0)
		return -1;
	p->s.at = end;
	return 0;
}

static int statement(struct parser *p)
{
	const char *start = parse_at(p);
	char *word = scan_name(&p->s, p->a);

	if (word && scan_token(&p->s, "[")) {
		p->s.at = start;
		return equation(p);
	}
	if (word && strcmp(word, "input") == 0)
		return declaration(p, false);
	if (word && strcmp(word, "const") == 0)
		return declaration(p, true);
	if (word && strcmp(word, "output") == 0)
		return output(p);
	return parse_error(p, start, "expected input, const, output or an equation such as "
			   "C[i, j] = A[i, j] + 1");
}

/* The file's name without folders and its ending. */
static char *base_name(struct arena *a, const char *file)
{
	const char *slash = strrchr(file, '/');
	const char *base = slash ? slash + 1 : file;
	const char *dot = strrchr(base, '.');

	return arena_strndup(a, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

static const struct tensor *computed_above(const struct parser *p, const char *name)
{
	const struct op *op = dag_find(p->d, name);

	return op ? &op->tensor : NULL;
}

struct dag *dag_parse(struct arena *a, const char *file, const char *text)
{
	struct parser p = { .s = scan_text(file, text), .a = a, .tensor = computed_above };

	p.d = dag_new(a, base_name(a, file));
	scan_line_end(&p.s);
	while (!scan_at_end(&p.s)) {
		if (statement(&p) < 0)
			return NULL;
		if (!scan_line_end(&p.s)) {
			parse_error(&p, p.s.at, "expected the end of the line");
			return NULL;
		}
	}
	if (dag_freeze(p.d) < 0) {
		err_prefix("%s", file);
		return NULL;
	}
	return p.d;
}
