/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/list/string.c - tensors of strings, which are UTF-8. */
#include <locale.h>
#include <stdlib.h>
#include <wchar.h>
#include <wctype.h>

#include "graph/op/move/axes.h"
#include "graph/op/move/strided.h"

static int check_strings(const struct infer *x)
{
	for (int i = 0; i < x->call->nargs; i++)
		if (infer_class(x, i, CLASS_BIT(STRING)) < 0)
			return -1;
	return 0;
}

/* --- string_concat(a, b) */

static int concat_type(struct infer *x)
{
	return check_strings(x) < 0 ? -1 : infer_broadcast(x, ELEMENT_STRING);
}

/* The strides of X where it is broadcast to RANK. */
static void broadcast_strides(const struct array *x, int rank, int64_t *stride)
{
	int64_t dense[GRAPH_MAX_RANK];

	dense_strides(x->rank, x->dim, dense);
	for (int i = 0; i < rank; i++) {
		int of_x = i - (rank - x->rank);

		stride[i] = of_x < 0 || x->dim[of_x] == 1 ? 0 : dense[of_x];
	}
}

static int concat_eval(struct eval *x)
{
	const struct array *a = eval_array(x, 0), *b = eval_array(x, 1);
	int64_t dim[GRAPH_MAX_RANK], of_a[GRAPH_MAX_RANK], of_b[GRAPH_MAX_RANK];
	int rank;
	struct text text = { 0 };

	if (eval_broadcast(x, &rank, dim) < 0)
		return -1;
	struct array *y = eval_result(x, 0, ELEMENT_STRING, rank, dim);

	if (!y)
		return -1;
	broadcast_strides(a, rank, of_a);
	broadcast_strides(b, rank, of_b);
	struct odometer at_a = { rank, dim, of_a, { 0 }, 0 }, at_b = { rank, dim, of_b, { 0 }, 0 };

	for (int64_t i = 0; i < y->count; i++) {
		text.n = 0;
		text_puts(&text, array_string(a, at_a.offset));
		text_puts(&text, array_string(b, at_b.offset));
		((const char **)y->data)[i] = eval_string(x, text_str(&text), text.n);
		odometer_next(&at_a);
		odometer_next(&at_b);
	}
	text_free(&text);
	return 0;
}

const struct core_op core_string_concat = {
	.name = "string_concat",
	.summary = "the strings of b behind those of a",
	.min_args = 2,
	.max_args = 2,
	.fusion = FUSION_OPAQUE,
	.type = concat_type,
	.eval = concat_eval,
};

/* --- string_split(x) */

static int split_type(struct infer *x)
{
	const struct type *from = infer_type(x, 0);
	struct dim dim[GRAPH_MAX_RANK];
	const struct type *fields[2] = { type_unranked(x->arena, ELEMENT_STRING),
					 type_unranked(x->arena, ELEMENT_I64) };

	if (check_strings(x) < 0)
		return -1;
	if (type_is_ranked(from)) {
		if (from->rank == GRAPH_MAX_RANK)
			return infer_error(x, "rank %d", from->rank);
		memcpy(dim, from->dim, (size_t)from->rank * sizeof(*dim));
		dim[from->rank] = dim_unknown();
		fields[0] = type_tensor(x->arena, ELEMENT_STRING, from->rank + 1, dim);
		fields[1] = type_tensor(x->arena, ELEMENT_I64, from->rank, dim);
	}
	return infer_tuple(x, 2, fields);
}

/* The next part of a string, and its length; what is left is moved on behind the delimiter. */
struct cutter {
	const char *left;	/* NULL: nothing */
	const char *delimiter;	/* "": white space, however much */
	int64_t cuts;		/* that may still be made */
};

static const char *next_part(struct cutter *c, size_t *length)
{
	static const char blanks[] = " \t\n\r\v\f";
	bool by_blanks = !*c->delimiter;

	if (c->left && by_blanks)
		c->left += strspn(c->left, blanks);
	if (!c->left || (by_blanks && !*c->left))
		return NULL;
	const char *part = c->left, *end = NULL;

	*length = strlen(part);
	if (c->cuts > 0) {
		c->cuts--;
		end = by_blanks ? part + strcspn(part, blanks) : strstr(part, c->delimiter);
		end = end && *end ? end : NULL;
	}
	c->left = end ? end + strlen(c->delimiter) : NULL;
	if (end)
		*length = (size_t)(end - part);
	return part;
}

static struct cutter cutter_of(const struct eval *x, const char *string)
{
	int64_t max = call_int(x->call, "max");

	return (struct cutter){ string, call_string(x->call, "delimiter"),
				max < 0 ? INT64_MAX : max };
}

static int split_eval(struct eval *x)
{
	const struct array *from = eval_array(x, 0);
	int64_t dim[GRAPH_MAX_RANK + 1], most = 0;
	size_t length;
	struct array *counts = eval_result(x, 1, ELEMENT_I64, from->rank, from->dim);

	for (int64_t i = 0; counts && i < from->count; i++) {
		struct cutter c = cutter_of(x, array_string(from, i));
		int64_t n = 0;

		while (next_part(&c, &length))
			n++;
		((int64_t *)counts->data)[i] = n;
		most = n > most ? n : most;
	}
	memcpy(dim, from->dim, sizeof(from->dim));
	dim[from->rank] = most;
	struct array *parts = counts ? eval_result(x, 0, ELEMENT_STRING, from->rank + 1, dim) : NULL;

	for (int64_t i = 0; parts && i < from->count; i++) {
		struct cutter c = cutter_of(x, array_string(from, i));
		const char **to = (const char **)parts->data + i * most;

		for (const char *part; (part = next_part(&c, &length)); to++)
			*to = eval_string(x, part, length);
	}
	return parts ? 0 : -1;
}

const struct core_op core_string_split = {
	.name = "string_split",
	.summary = "the parts of each string between delimiters, filled up with \"\"; how many there are",
	.min_args = 1,
	.max_args = 1,
	.attrs = (const struct attr_spec[]){
		{ "delimiter", ATTR_STRING, 0, "", "between parts; \"\": white space" },
		{ "max", ATTR_INT, -1, NULL, "so many cuts at most; -1: any number" },
		{ 0 } },
	.fusion = FUSION_OPAQUE,
	.type = split_type,
	.eval = split_eval,
};

/* --- string_normalize(x) */

static int normalize_type(struct infer *x)
{
	const struct type *from = infer_type(x, 0);
	struct dim dim[2] = { dim_unknown(), dim_unknown() };

	if (check_strings(x) < 0)
		return -1;
	if (!type_is_ranked(from))
		return infer_unranked(x, ELEMENT_STRING);
	if (from->rank != 1 && !(from->rank == 2 && (from->dim[0].n == 1 || from->dim[0].n < 0)))
		return infer_error(x, "a tensor that is neither [n] nor [1, n]");
	if (from->rank == 2)
		dim[0] = dim_number(1);
	return infer_tensor(x, ELEMENT_STRING, from->rank, dim);
}

/* S in small or capital letters. */
static const char *change_case(struct eval *x, const char *s, bool upper, locale_t locale)
{
	locale_t before = uselocale(locale);
	size_t n = mbstowcs(NULL, s, 0);
	const char *out = s;

	if (n != (size_t)-1) {
		wchar_t *wide = eval_scratch(x, (n + 1) * sizeof(*wide));
		char *narrow = eval_scratch(x, n * MB_CUR_MAX + 1);

		mbstowcs(wide, s, n + 1);
		for (size_t i = 0; i < n; i++)
			wide[i] = (wchar_t)(upper ? towupper_l((wint_t)wide[i], locale)
						  : towlower_l((wint_t)wide[i], locale));
		size_t bytes = wcstombs(narrow, wide, n * MB_CUR_MAX + 1);

		out = bytes == (size_t)-1 ? s : eval_string(x, narrow, bytes);
	}
	uselocale(before);
	return out;
}

/* Is S one of the lines of WORDS? */
static bool is_line(const char *words, const char *s)
{
	size_t n = strlen(s);

	for (const char *at = words; *words && at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
		if (strncmp(at, s, n) == 0 && (at[n] == '\n' || at[n] == '\0'))
			return true;
	return false;
}

static locale_t open_locale(const char *name)
{
	locale_t locale = *name ? newlocale(LC_CTYPE_MASK, name, (locale_t)0) : (locale_t)0;

	return locale ? locale : newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

static int normalize_eval(struct eval *x)
{
	const struct array *from = eval_array(x, 0);
	const char *how = call_string(x->call, "case");
	bool sensitive = call_flag(x->call, "case_sensitive");
	bool upper = strcmp(how, "upper") == 0, changes = upper || strcmp(how, "lower") == 0;
	const char **kept = eval_scratch(x, (size_t)(from->count + 1) * sizeof(*kept));
	locale_t locale = open_locale(call_string(x->call, "locale"));
	const char *words = call_string(x->call, "stopwords");
	int64_t n = 0, dim[2];

	if (!locale)
		return eval_error(x, "this system has no locale C.UTF-8");
	if (!sensitive)
		words = change_case(x, words, false, locale);
	for (int64_t i = 0; i < from->count; i++) {
		const char *s = array_string(from, i);

		if (is_line(words, sensitive ? s : change_case(x, s, false, locale)))
			continue;
		kept[n++] = changes ? change_case(x, s, upper, locale) : s;
	}
	freelocale(locale);
	dim[0] = dim[1] = n > 0 ? n : 1;	/* one empty string where all are gone */
	if (from->rank == 2)
		dim[0] = 1;
	struct array *y = eval_result(x, 0, ELEMENT_STRING, from->rank, dim);

	if (y && n > 0)
		memcpy(y->data, kept, array_bytes(y));
	return y ? 0 : -1;
}

const struct core_op core_string_normalize = {
	.name = "string_normalize",
	.summary = "the strings of x, [n] or [1, n], without stop words, in small or capital letters",
	.min_args = 1,
	.max_args = 1,
	.attrs = (const struct attr_spec[]){
		{ "case", ATTR_STRING, 0, "none", "none, lower, upper" },
		{ "case_sensitive", ATTR_INT, 0, NULL, "1: stop words are as they are written" },
		{ "stopwords", ATTR_STRING, 0, "", "a line each" },
		{ "locale", ATTR_STRING, 0, "", "whose letters they are" },
		{ 0 } },
	.fusion = FUSION_OPAQUE,
	.type = normalize_type,
	.eval = normalize_eval,
};
