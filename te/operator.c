/* SPDX-License-Identifier: Apache-2.0 */
/* te/operator.c - reads `name:key=value,...` and builds the operator. */
#include "te/operator.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"
#include "base/near.h"
#include "te/limits.h"
#include "te/text/text.h"

enum { PARAMS_MAX = 20, SPEC_MAX = 4096, TE_FILE_MAX = 1 << 20 };

struct arg {
	const char *text;
	int64_t number[TENSOR_MAX_DIMS];
	int n;
	enum dtype dtype;
	enum layout layout;
};

struct args {
	const struct operator *op;
	struct arg at[PARAMS_MAX];
};

static const struct operator *const operators[] = {
#define X(name) &operator_##name,
#include "te/operators.def"
#undef X
	NULL,
};

const struct operator *operator_at(int i)
{
	return i >= 0 && (size_t)i < sizeof(operators) / sizeof(*operators) ? operators[i] : NULL;
}

const struct operator *operator_find(const char *name)
{
	const struct operator *nearest = operators[0];

	for (int i = 0; operators[i]; i++) {
		if (strcmp(operators[i]->name, name) == 0)
			return operators[i];
		if (near_distance(name, operators[i]->name) < near_distance(name, nearest->name))
			nearest = operators[i];
	}
	if (near_is(name, nearest->name))
		err_set("there is no operator '%.64s'; did you mean %s? `hone ops` lists them",
			name, nearest->name);
	else
		err_set("there is no operator '%.64s'; `hone ops` lists them", name);
	return NULL;
}

/* --- reading values */

static int bad_value(const struct operator *op, const struct param *p, const char *text, const char *need)
{
	return err_set("%s: %s=%.64s is not %s", op->name, p->key, text, need);
}

/* LO..HI numbers with x between, one where not SHAPE. */
static int read_numbers(const struct operator *op, const struct param *p, struct arg *arg)
{
	bool any = p->lo == 0 && p->hi == 0;
	int64_t lo = any ? 1 : p->lo;
	int64_t hi = any ? EXTENT_MAX : p->hi;
	int max = p->kind == PARAM_SHAPE ? TENSOR_MAX_DIMS : 1;
	const char *at = arg->text;
	char need[128];

	snprintf(need, sizeof(need), "%s in %jd..%jd",
		 max > 1 ? "a number, or numbers with x between," : "a whole number", (intmax_t)lo,
		 (intmax_t)hi);
	for (;;) {
		char *end;

		errno = 0;
		if (!isdigit((unsigned char)*at) || arg->n == max)
			return bad_value(op, p, arg->text, need);
		long long v = strtoll(at, &end, 10);

		if (errno != 0 || v < lo || v > hi)
			return bad_value(op, p, arg->text, need);
		arg->number[arg->n++] = v;
		if (*end == '\0')
			return 0;
		if (*end != 'x')
			return bad_value(op, p, arg->text, need);
		at = end + 1;
	}
}

static int read_word(const struct operator *op, const struct param *p, struct arg *arg)
{
	size_t n = strlen(arg->text);

	for (const char *w = p->words; *w;) {
		size_t length = strcspn(w, "|");

		if (length == n && strncmp(w, arg->text, n) == 0)
			return 0;
		w += length + (w[length] == '|');
	}
	return bad_value(op, p, arg->text, p->words);
}

static int read_layout(const struct operator *op, const struct param *p, struct arg *arg)
{
	const char *text = arg->text;
	char *end;

	arg->number[0] = 1;
	arg->layout = strcmp(text, "nhwc") == 0 ? LAYOUT_NHWC : LAYOUT_NCHW;
	if (strcmp(text, "nhwc") == 0 || strcmp(text, "nchw") == 0)
		return 0;
	arg->layout = LAYOUT_BLOCKED;
	if (strncmp(text, "nchw", 4) == 0 && isdigit((unsigned char)text[4])) {
		arg->number[0] = strtoll(text + 4, &end, 10);
		if (strcmp(end, "c") == 0 && arg->number[0] > 0 && arg->number[0] <= 1024)
			return 0;
	}
	return bad_value(op, p, text, "nchw, nhwc, or nchw<B>c with B in 1..1024");
}

static int read_value(const struct operator *op, const struct param *p, struct arg *arg)
{
	switch (p->kind) {
	case PARAM_INT:
	case PARAM_SHAPE:
		return read_numbers(op, p, arg);
	case PARAM_WORD:
		return read_word(op, p, arg);
	case PARAM_LAYOUT:
		return read_layout(op, p, arg);
	case PARAM_DTYPE:
		if (dtype_parse(arg->text, &arg->dtype) && arg->dtype != DTYPE_BOOL)
			return 0;
		return bad_value(op, p, arg->text, "an element type such as f32");
	}
	return 0;
}

static int unknown_key(const struct operator *op, const char *key)
{
	struct text known = { 0 };

	for (const struct param *p = op->params; p->key; p++)
		text_printf(&known, "%s%s", p == op->params ? "" : ", ", p->key);
	err_set("%s: has no parameter '%.64s'; it has %s", op->name, key, text_str(&known));
	text_free(&known);
	return -1;
}

/* One "key=value". */
static int read_arg(struct args *args, char *text)
{
	char *equals = strchr(text, '=');

	if (!equals || equals == text)
		return err_set("%s: '%.64s' is not key=value", args->op->name, text);
	*equals = '\0';
	for (int i = 0; args->op->params[i].key; i++) {
		if (strcmp(args->op->params[i].key, text) != 0)
			continue;
		if (args->at[i].text)
			return err_set("%s: %s is given twice", args->op->name, text);
		args->at[i].text = equals + 1;
		return read_value(args->op, &args->op->params[i], &args->at[i]);
	}
	return unknown_key(args->op, text);
}

/* "key=value,..." in LIST, which is cut up. */
static int read_args(struct args *args, char *list)
{
	while (*list) {
		size_t n = strcspn(list, ",");
		char *rest = list + n + (list[n] == ',');

		list[n] = '\0';
		if (read_arg(args, list) < 0)
			return -1;
		list = rest;
	}
	for (int i = 0; args->op->params[i].key; i++) {
		const struct param *p = &args->op->params[i];

		assert(i < PARAMS_MAX);
		if (args->at[i].text)
			continue;
		if (!p->fallback)
			return err_set("%s: %s is missing (%s)", args->op->name, p->key, p->help);
		args->at[i].text = p->fallback;
		if (read_value(args->op, p, &args->at[i]) < 0)
			return -1;
	}
	return 0;
}

const struct args *args_read(struct arena *a, const char *spec)
{
	struct args *args = arena_one(a, struct args);

	*args = (struct args){ 0 };
	if (strlen(spec) > SPEC_MAX) {
		err_set("an operator of more than %d characters", SPEC_MAX);
		return NULL;
	}
	char *name = arena_strdup(a, spec);
	char *list = name + strcspn(name, ":");

	if (*list)
		*list++ = '\0';
	args->op = operator_find(name);
	return args->op && read_args(args, list) == 0 ? args : NULL;
}

const char *args_operator(const struct args *args)
{
	return args->op->name;
}

struct dag *operator_build(struct arena *a, const char *spec)
{
	const struct args *args = args_read(a, spec);

	if (!args)
		return NULL;
	struct dag *d = dag_new(a, args->op->name);

	if (!args->op->build(d, args) || dag_freeze(d) < 0) {
		err_prefix("%s", args->op->name);
		return NULL;
	}
	return d;
}

struct dag *source_dag(struct arena *a, const char *source)
{
	size_t n = strlen(source);
	size_t size;

	if (n < 3 || strcmp(source + n - 3, ".te") != 0)
		return operator_build(a, source);
	char *text = file_read(a, source, TE_FILE_MAX, &size);

	if (!text)
		return NULL;
	if (strlen(text) != size) {
		err_set("%s: holds a zero byte, so it is no text", source);
		return NULL;
	}
	return dag_parse(a, source, text);
}

/* --- for builders */

static int find(const struct args *args, const char *key)
{
	for (int i = 0; args->op->params[i].key; i++)
		if (strcmp(args->op->params[i].key, key) == 0)
			return i;
	return -1;
}

static const struct arg *get(const struct args *args, const char *key)
{
	int i = find(args, key);

	if (i < 0)
		die("operator %s has no parameter %s", args->op->name, key);
	return &args->at[i];
}

int64_t args_int(const struct args *args, const char *key)
{
	return get(args, key)->number[0];
}

int args_shape(const struct args *args, const char *key, int64_t *extent)
{
	const struct arg *arg = get(args, key);

	memcpy(extent, arg->number, (size_t)arg->n * sizeof(*extent));
	return arg->n;
}

const char *args_word(const struct args *args, const char *key)
{
	return get(args, key)->text;
}

enum dtype args_dtype(const struct args *args)
{
	return get(args, "dtype")->dtype;
}

enum dtype args_weight_dtype(const struct args *args)
{
	enum dtype t = args_dtype(args);

	dtype_parse(args_word(args, "wdtype"), &t);	/* "same" is none */
	return t;
}

enum layout args_layout(const struct args *args, int64_t *block)
{
	const struct arg *arg = get(args, "layout");

	*block = arg->number[0];
	return arg->layout;
}

int args_spatial(const struct args *args, const char *key, int spatial, int64_t *out)
{
	const struct arg *arg = get(args, key);

	if (arg->n != 1 && arg->n != spatial)
		return err_set("%s=%s: %d numbers for %d spatial dimensions", key, arg->text,
			       arg->n, spatial);
	for (int i = 0; i < spatial; i++)
		out[i] = arg->number[arg->n == 1 ? 0 : i];
	return 0;
}

int args_conv(const struct args *args, int spatial, struct conv *out)
{
	int64_t block;

	*out = conv_plain(spatial, LAYOUT_NCHW);
	if (args_spatial(args, "s", spatial, out->stride) < 0 ||
	    args_spatial(args, "p", spatial, out->pad_begin) < 0 ||
	    (find(args, "dil") >= 0 && args_spatial(args, "dil", spatial, out->dilation) < 0))
		return -1;
	memcpy(out->pad_end, out->pad_begin, sizeof(out->pad_end));
	if (find(args, "g") >= 0)
		out->groups = args_int(args, "g");
	if (find(args, "layout") >= 0)
		out->layout = args_layout(args, &block);
	return 0;
}

struct op *build_input(struct dag *d, const char *name, enum dtype t, int ndim,
		       const int64_t *shape, bool constant)
{
	if (shape_check(name, ndim, shape) < 0)
		return NULL;
	return dag_input(d, name, t, ndim, shape, constant);
}

struct op *build_image(struct dag *d, const char *name, const struct args *args, int64_t batch,
		       int64_t channels, int spatial, const int64_t *extent)
{
	int64_t block;
	enum layout layout = args_layout(args, &block);
	int64_t shape[SPATIAL_MAX + 3] = { batch };
	int n = 1;

	if (channels % block != 0) {
		err_set("%jd channels are not a multiple of the block %jd; use layout=nchw",
			(intmax_t)channels, (intmax_t)block);
		return NULL;
	}
	if (layout != LAYOUT_NHWC)
		shape[n++] = channels / block;
	for (int i = 0; i < spatial; i++)
		shape[n++] = extent[i];
	if (layout != LAYOUT_NCHW)
		shape[n++] = layout == LAYOUT_NHWC ? channels : block;
	return build_input(d, name, args_dtype(args), n, shape, false);
}

struct op *build_epilogue(struct dag *d, struct op *x, const struct args *args, int64_t channels,
		    enum layout layout)
{
	if (x && args_int(args, "bias"))
		x = op_bias(d, x, build_input(d, "bias", x->tensor.dtype, 1, &channels, true),
			    layout);
	x = op_activation(d, x, args_word(args, "act"));
	return x && find(args, "shift") >= 0 && args_int(args, "shift") > 0 ? op_narrow(d, x, (int)args_int(args, "shift")) : x;
}
