/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/onnxruntime.c - ONNX Runtime: a region as a model of ONNX, and a session that runs it.
 *
 * In:   a region of f32; what is moved, compared, or an index may be of other types.
 * Out:  an artifact that is a model to all that reads ONNX, constants and all; results of a session of it.
 * Holds: a run reads inputs and writes outputs where hone has them; nothing is copied at the border. */
#include <onnxruntime_c_api.h>

#include "graph/onnx/draft.h"
#include "include/hone_generator_read.h"

typedef const struct hone_region region;
typedef const struct hone_region_call call;
typedef const struct hone_region_tensor tensor;
enum { OPSET = 20, IR_VERSION = 9 };	/* gelu came with the one, which came with the other */

/* ONNX's number of each type that ONNX Runtime moves, also in its C interface, and letters that take it. */
static const struct { int onnx; char letters[5]; } types[HONE_OTHER + 1] = {
	[HONE_F32] = { 1, "fne" }, [HONE_I32] = { 6, "ine" }, [HONE_I64] = { 7, "line" },
	[HONE_BOOL] = { 9, "e" }, [HONE_F64] = { 11, "e" }, [HONE_U8] = { 2, "e" }, [HONE_I8] = { 3, "e" },
};

/* Types of operands, the last of which stands for more, and of the result: f f32, l i64, i an index, n f32 or
 * an index, e any that the operator has; hone's operators of these, each with ONNX's behind it. */
static const char *const ways[][2] = {
	{ "ff", " conv Conv max_pool MaxPool avg_pool AveragePool matmul MatMul normalize Div silu Mul "
	  "clip Clip add Add sub Sub mul Mul div Div pow Pow min Min max Max relu Relu sigmoid Sigmoid "
	  "hard_sigmoid HardSigmoid hard_swish HardSwish leaky_relu LeakyRelu elu Elu selu Selu celu Celu "
	  "softplus Softplus softsign Softsign gelu Gelu prelu PRelu neg Neg abs Abs sign Sign floor Floor "
	  "ceil Ceil round Round sqrt Sqrt exp Exp log Log erf Erf sin Sin cos Cos tan Tan asin Asin "
	  "acos Acos atan Atan sinh Sinh cosh Cosh tanh Tanh asinh Asinh acosh Acosh atanh Atanh "
	  "softmax Softmax log_softmax LogSoftmax" },
	{ "flf", " reduce_sum ReduceSum reduce_mean ReduceMean reduce_max ReduceMax reduce_min ReduceMin "
	  "reduce_prod ReduceProd cumsum CumSum " },
	{ "ffflf", " resize Resize " },
	{ "fe", " arg_max ArgMax arg_min ArgMin is_nan IsNaN is_inf IsInf " },
	{ "ne", " equal Equal less Less less_equal LessOrEqual " },
	{ "enn", " where Where " },
	{ "ee", " identity Identity cast Cast transpose Transpose concat Concat and And or Or xor Xor "
	  "not Not " },
	{ "ele", " reshape Reshape squeeze Squeeze unsqueeze Unsqueeze expand Expand tile Tile "
	  "gather_nd GatherND " },
	{ "eie", " slice Slice gather Gather gather_elements GatherElements " },
	{ "eleie", " pad Pad " },
	{ "fiff", " scatter_elements ScatterElements " },
	{ "flff", " scatter_nd ScatterND " },
};

/* Hone's attributes that ONNX calls otherwise; -: it is said in another way. */
static const char *const renamed = " auto_pad - pads - ceil - trans_a - trans_b - groups group "
	"kernel kernel_shape last select_last_index noop noop_with_empty_axes negative detect_negative "
	"positive detect_positive nearest nearest_mode coordinates coordinate_transformation_mode "
	"cubic_a cubic_coeff_a extrapolation extrapolation_value keep_aspect keep_aspect_ratio_policy ";
static const char *const lists = " perm , axes , strides , dilations , kernel_shape , ";

/* What is behind WORD in such pairs, to be ended by its space; NULL: it is not there. */
static const char *behind(const char *pairs, const char *word)
{
	char key[64];
	int n = snprintf(key, sizeof(key), " %s ", word);
	const char *at = strstr(pairs, key);
	return at ? at + n : NULL;
}

#define BYTES(t)     ((size_t)hone_count(t, 0) * hone_type_bytes((t)->type))
#define BORDER(r, i) ((i) < (r)->ninputs ? (r)->inputs[i] : (r)->outputs[(i) - (r)->ninputs])
#define ORT	     (OrtGetApiBase()->GetApi(ORT_API_VERSION))

/* May C be said in ONNX, and does ONNX Runtime do it? NULL, or why not. */
static const char *check_window(region *r, call *c)
{
	struct hone_window w = hone_window_of(r, c);
	bool pool = !hone_is_op(c, "conv"), wide = false;
	for (int d = 0; d < w.dims; d++)
		wide |= w.begin[d] >= w.kernel[d] || w.end[d] >= w.kernel[d];
	return w.crops ? "negative padding" :
	       w.dims > 3 ? "windows of more than three dims" :
	       pool && w.empty ? "windows of padding alone" :
	       pool && wide ? "padding as wide as its windows" :
	       w.beyond && hone_attr_int(c, "count_include_pad", 0, 0) ?
		       "an average that counts padding, and not what is beyond it" : NULL;
}

static const char *check(region *r, call *c)
{
	tensor *x = hone_operand(r, c, 0), *y = &r->tensors[c->output];
	tensor *low = hone_operand(r, c, 1), *high = hone_operand(r, c, 2);
	bool pixels = x->rank == 4 && x->dim[0] == y->dim[0] && x->dim[1] == y->dim[1];
	bool filters = hone_attr_int(c, "antialias", 0, 0) || hone_attr_int(c, "exclude_outside", 0, 0);
	const struct { const char *op; bool it_is; const char *why; } no[] = {
		/* of which 1.31 forgets a Transpose in front */
		{ "matmul", x->rank < 2 || (low && low->rank < 2), "a product with a vector" },
		{ "clip", (low && low->rank) || (high && high->rank), "limits that have dims" },
		{ "cast", x->type <= HONE_BF16 && y->type > HONE_BF16, "floats that become integers" },
		{ "normalize", hone_attr_int(c, "axes", 0, INT64_MAX) == INT64_MAX, "a mean over no axis" },
		{ "prelu", hone_count(x, 0) < hone_count(y, 0) || x->rank < y->rank, "slopes that repeat x" },
		{ "resize", !pixels || filters, "other than pixels between their neighbours" },
		{ "resize", hone_attr_is(c, "coordinates", "tf_half_pixel_for_nn"), "obsolete coordinates" },
	};
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		if (no[i].it_is && hone_is_op(c, no[i].op))
			return no[i].why;
	return hone_attr(c, "pads") ? check_window(r, c) : NULL;
}

/* ONNX's operator for C, to be ended by its space; NULL and the reason where it has none. */
static const char *op_of(region *r, call *c, char *why)
{
	const char *op = NULL, *letters = NULL, *no;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]) && !op; i++)
		op = behind(ways[i][1], c->op), letters = ways[i][0];
	if (!op)
		return hone_refuse(why, "%s is not written as ONNX", c->op), NULL;
	for (int i = 0, last = (int)strlen(letters) - 1; i <= c->ninputs; i++) {
		tensor *t = i < c->ninputs ? hone_operand(r, c, i) : &r->tensors[c->output];
		int at = i == c->ninputs ? last : i < last ? i : last - 1;
		if (t && !strchr(types[t->type].letters, letters[at]))
			return hone_refuse(why, "%s of other types than ONNX Runtime's", c->op), NULL;
		if (t && !t->data && hone_count(t, 0) == 0)
			return hone_refuse(why, "a tensor without elements"), NULL;
	}
	return (no = check(r, c)) ? hone_refuse(why, "%s", no), NULL : op;
}

static int claims(region *r, char *why)
{
	for (int i = 0; i < r->ncalls; i++)
		if (!op_of(r, &r->calls[i], why))
			return -1;
	return 0;
}

/* What is in front of C's node, which reads IN then. True: ONNX has no operator for C, it is all but the last
 * of the steps by which exporters say it, which ONNX Runtime knows. */
static bool write_steps(struct draft *d, region *r, call *c, const char **in)
{
	for (int i = 0; i < 2 && hone_is_op(c, "matmul"); i++) {	/* a Transpose becomes part of it */
		int64_t perm[HONE_MAX_RANK] = { 0, 1, 2, 3, 4, 5, 6, 7 };
		int rank = hone_operand(r, c, i)->rank;
		if (!hone_attr_int(c, i ? "trans_b" : "trans_a", 0, 0))
			continue;
		perm[rank - 2] = rank - 1, perm[rank - 1] = rank - 2;
		in[i] = draft_step(d, "Transpose", in[i], NULL, NULL);
		draft_ints(d, "perm", perm, rank);
	}
	if (hone_is_op(c, "silu")) {	/* x times the logistic function of alpha x */
		in[1] = draft_step(d, "Mul", in[0], draft_number(d, hone_attr_float(c, "alpha", 0, 1)), NULL);
		in[1] = draft_step(d, "Sigmoid", in[1], NULL, NULL);
	} else if (hone_is_op(c, "normalize")) {
		const struct hone_region_attr *axes = hone_attr(c, "axes");
		const char *mean = "ReduceMean", *over = draft_constant(d, NULL, types[HONE_I64].onnx, 1,
			&(int64_t){ axes->n }, axes->ints, sizeof(*axes->ints) * (size_t)axes->n);
		if (hone_attr_int(c, "center", 0, 1))
			in[0] = draft_step(d, "Sub", in[0], draft_step(d, mean, in[0], over, NULL), NULL);
		in[1] = draft_step(d, "Pow", in[0], draft_number(d, 2), NULL);
		in[1] = draft_step(d, mean, in[1], over, NULL);
		in[1] = draft_step(d, "Add", in[1], draft_number(d, *hone_attr(c, "epsilon")->floats), NULL);
		in[1] = draft_step(d, "Sqrt", in[1], NULL, NULL);
	}
	return hone_is_op(c, "silu") || hone_is_op(c, "normalize");
}

static void write_attrs(struct draft *d, region *r, call *c)
{
	for (const struct hone_region_attr *at = c->attrs; at < c->attrs + c->nattrs; at++) {
		const char *other = behind(renamed, at->name);
		const char *name = other ? arena_strndup(d->a, other, strcspn(other, " ")) : at->name;
		if (at->text && name[0] != '-')
			draft_text(d, name, at->text);
		else if (at->n && at->floats)
			draft_float(d, name, at->floats[0]);
		else if (at->n && behind(lists, name))
			draft_ints(d, name, at->ints, at->n);
		else if (at->n && name[0] != '-')
			draft_int(d, name, strcmp(name, "to") ? at->ints[0] :
						    types[r->tensors[c->output].type].onnx);
	}
	if (!hone_attr(c, "pads"))
		return;
	struct hone_window w = hone_window_of(r, c);	/* padding is said as it is, whatever asked for it */
	memcpy(w.begin + w.dims, w.end, sizeof(*w.end) * (size_t)w.dims);
	draft_ints(d, "pads", w.begin, 2 * w.dims);
}

static int compile(region *r, void (*write)(void *sink, const void *bytes, size_t n), void *sink, char *why)
{
	if (claims(r, why) < 0)
		return -1;
	struct arena *a = arena_new();
	struct draft d = draft_begin(a);
	const char **name = arena_many(a, const char *, r->ntensors);
	for (int i = 0; i < r->ntensors; i++) {
		tensor *t = &r->tensors[i];
		name[i] = arena_printf(a, "t%d", i);
		if (t->data)
			draft_constant(&d, name[i], types[t->type].onnx, t->rank, t->dim, t->data, BYTES(t));
	}
	for (call *c = r->calls; c < r->calls + r->ncalls; c++) {
		const char **in = arena_many(a, const char *, c->ninputs + 1), *op = op_of(r, c, why);
		for (int k = 0; k < c->ninputs; k++)
			in[k] = c->inputs[k] < 0 ? "" : name[c->inputs[k]];
		bool steps = write_steps(&d, r, c, in);
		op = arena_strndup(a, op, strcspn(op, " "));
		draft_node(&d, op, steps ? 2 : c->ninputs, in, name[c->output]);
		if (!steps)
			write_attrs(&d, r, c);
	}
	for (int i = 0; i < r->ninputs + r->noutputs; i++) {
		tensor *t = &r->tensors[BORDER(r, i)];
		draft_value(&d, i < r->ninputs ? &d.inputs : &d.outputs, name[BORDER(r, i)],
			    types[t->type].onnx, t->rank, t->dim);
	}
	bool fits = draft_write(draft_model(&d, IR_VERSION, OPSET), write, sink);
	arena_free(a);
	return fits ? 0 : hone_refuse(why, "constants that are too large for a model of ONNX");
}

struct ort_session {
	struct arena *a;
	region *r;
	const char **names;	/* inputs, then outputs */
	OrtValue **values;
	OrtEnv *env;
	OrtMemoryInfo *at;
	OrtSession *session;
};

static bool fails(OrtStatus *status, char *why)
{
	if (status)
		hone_refuse(why, "%s", ORT->GetErrorMessage(status)), ORT->ReleaseStatus(status);
	return status != NULL;
}

static void release(void *handle)
{
	struct ort_session *x = handle;
	for (int i = 0; i < x->r->ninputs + x->r->noutputs; i++)
		ORT->ReleaseValue(x->values[i]);
	ORT->ReleaseSession(x->session), ORT->ReleaseMemoryInfo(x->at), ORT->ReleaseEnv(x->env);
	arena_free(x->a);
}

static int init(region *r, const void *artifact, size_t size, int threads, void **handle, char *why)
{
	if (!ORT)
		return hone_refuse(why, "ONNX Runtime: it is older than that which hone was built with");
	struct arena *a = arena_new();
	struct ort_session *x = arena_one(a, struct ort_session);
	int n = r->ninputs + r->noutputs;
	OrtSessionOptions *o = NULL;
	x->a = a, x->r = r;
	x->names = arena_many(a, const char *, n), x->values = arena_many(a, OrtValue *, n);
	for (int i = 0; i < n; i++)
		x->names[i] = arena_printf(a, "t%d", BORDER(r, i));
	/* Defaults are all optimisations, and one node at a time. Threads look out for work within a run and
	 * rest behind it: what comes next may be a kernel of hone's, on the same cores. */
	bool bad = fails(ORT->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "hone", &x->env), why) ||
		   fails(ORT->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &x->at), why) ||
		   fails(ORT->CreateSessionOptions(&o), why) ||
		   fails(ORT->SetIntraOpNumThreads(o, threads), why) ||
		   fails(ORT->AddSessionConfigEntry(o, "session.force_spinning_stop", "1"), why) ||
		   fails(ORT->CreateSessionFromArray(x->env, artifact, size, o, &x->session), why);
	ORT->ReleaseSessionOptions(o);
	*handle = bad ? release(x), NULL : x;
	return bad ? -1 : 0;
}

static int run(void *handle, const void *const *inputs, void *const *outputs, char *why)
{
	struct ort_session *x = handle;
	int in = x->r->ninputs, out = x->r->noutputs;
	for (int i = 0; i < in + out; i++) {
		tensor *t = &x->r->tensors[BORDER(x->r, i)];
		void *data = i < in ? (void *)(uintptr_t)inputs[i] : outputs[i - in];
		ORT->ReleaseValue(x->values[i]), x->values[i] = NULL;
		if (fails(ORT->CreateTensorWithDataAsOrtValue(x->at, data, BYTES(t), t->dim, (size_t)t->rank,
							      types[t->type].onnx, &x->values[i]), why))
			return -1;
	}
	return fails(ORT->Run(x->session, NULL, x->names, (const OrtValue *const *)x->values, (size_t)in,
			      x->names + in, (size_t)out, x->values + in), why) ? -1 : 0;
}

static const char *version(void)
{
	static char text[64];
	snprintf(text, sizeof(text), "ONNX Runtime %s", OrtGetApiBase()->GetVersionString());
	return text;
}

__attribute__((visibility("default"))) const struct hone_generator hone_generator = {
	.abi = HONE_GENERATOR_ABI, .name = "onnxruntime", .grain = HONE_REGIONS, .extension = "onnx",
	.summary = "ONNX Runtime: all that is written as ONNX, in regions as large as they get",
	.patterns = (const struct hone_pattern[]){ { "any", "any" }, { NULL, NULL } },
	.most_bytes = (size_t)INT32_MAX / 16 * 15,	/* one message of protobuf has them, and names */
	.version = version, .claims = claims, .compile = compile,
	.init = init, .run = run, .release = release,
};
