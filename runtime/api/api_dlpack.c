/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/api/api_dlpack.c - DLPack's tensors and hone's arrays. */
#include <stdlib.h>

#include "base/err.h"
#include "runtime/api/api.h"

/* Codes of DLPack 0.8 and 1.1, by number: Debian 12 has a header that lacks their names. Elements of
 * less than a byte, which DLPack packs and hone does not, have no form here. */
enum {
	DL_BOOL = 6,
	DL_F8E4M3FN = 10,
	DL_F8E4M3FNUZ = 11,
	DL_F8E5M2 = 12,
	DL_F8E5M2FNUZ = 13,
	DL_F8E8M0 = 14,
};

static const struct {
	enum element element;
	uint8_t code, bits;
} forms[] = {
	{ ELEMENT_F32, kDLFloat, 32 },
	{ ELEMENT_F64, kDLFloat, 64 },
	{ ELEMENT_F16, kDLFloat, 16 },
	{ ELEMENT_BF16, kDLBfloat, 16 },
	{ ELEMENT_F8E4M3FN, DL_F8E4M3FN, 8 },
	{ ELEMENT_F8E4M3FNUZ, DL_F8E4M3FNUZ, 8 },
	{ ELEMENT_F8E5M2, DL_F8E5M2, 8 },
	{ ELEMENT_F8E5M2FNUZ, DL_F8E5M2FNUZ, 8 },
	{ ELEMENT_F8E8M0, DL_F8E8M0, 8 },
	{ ELEMENT_I8, kDLInt, 8 },
	{ ELEMENT_I16, kDLInt, 16 },
	{ ELEMENT_I32, kDLInt, 32 },
	{ ELEMENT_I64, kDLInt, 64 },
	{ ELEMENT_U8, kDLUInt, 8 },
	{ ELEMENT_U16, kDLUInt, 16 },
	{ ELEMENT_U32, kDLUInt, 32 },
	{ ELEMENT_U64, kDLUInt, 64 },
	{ ELEMENT_BOOL, DL_BOOL, 8 },
};

enum { N_FORMS = sizeof(forms) / sizeof(forms[0]) };

DLDataType dlpack_type(enum element e)
{
	for (int i = 0; i < N_FORMS; i++)
		if (forms[i].element == e)
			return (DLDataType){ forms[i].code, forms[i].bits, 1 };
	return (DLDataType){ 0 };
}

/* ELEMENT_COUNT where hone has none. */
static enum element element_of(DLDataType t)
{
	for (int i = 0; i < N_FORMS && t.lanes == 1; i++)
		if (forms[i].code == t.code && forms[i].bits == t.bits)
			return forms[i].element;
	return ELEMENT_COUNT;
}

static int check(const DLTensor *t)
{
	if (t->device.device_type != kDLCPU)
		return api_fail(HONE_UNSUPPORTED, "device type %d: only kDLCPU",
				(int)t->device.device_type);
	if (element_of(t->dtype) == ELEMENT_COUNT)
		return api_fail(HONE_UNSUPPORTED, "type code %d of %d bits, %d lanes",
				t->dtype.code, t->dtype.bits, t->dtype.lanes);
	if (t->ndim < 0 || t->ndim > GRAPH_MAX_RANK)
		return api_fail(HONE_UNSUPPORTED, "%d dims: %d at most", (int)t->ndim,
				GRAPH_MAX_RANK);
	if (t->ndim > 0 && !t->shape)
		return api_fail(HONE_INVALID, "no shape");
	int64_t count = shape_count(t->ndim, t->shape);

	if (count < 0)
		return api_fail(HONE_INVALID, "a dim is negative, or there are too many elements");
	return count == 0 || t->data ? HONE_OK : api_fail(HONE_INVALID, "no data");
}

static unsigned char *data_of(const DLTensor *t)
{
	return (unsigned char *)t->data + t->byte_offset;
}

/* Where the elements of a tensor lie, beside the same in dense order. */
struct placement {
	const DLTensor *tensor;
	size_t element_bytes;
	int dense_from;		/* dims from this one on lie densely */
	size_t run_bytes;	/* that they take */
	bool out;		/* into the tensor */
};

static struct placement placement_of(const DLTensor *t, bool out)
{
	struct placement s = { t, t->dtype.bits / 8u, t->ndim, t->dtype.bits / 8u, out };
	int64_t count = 1;

	while (s.dense_from > 0) {
		int i = s.dense_from - 1;

		if (t->strides && t->shape[i] != 1 && t->strides[i] != count)
			break;
		count *= t->shape[i];
		s.dense_from = i;
	}
	s.run_bytes *= (size_t)count;
	return s;
}

/* Copies from dim D on, between AT of the tensor and DENSE; where DENSE goes on. */
static unsigned char *copy(const struct placement *s, int d, unsigned char *at, unsigned char *dense)
{
	if (d == s->dense_from) {
		memcpy(s->out ? at : dense, s->out ? dense : at, s->run_bytes);
		return dense + s->run_bytes;
	}
	for (int64_t i = 0; i < s->tensor->shape[d]; i++)
		dense = copy(s, d + 1,
			     at + i * s->tensor->strides[d] * (int64_t)s->element_bytes, dense);
	return dense;
}

/* Bytes that are true or false, whatever they were. */
static void make_bool(struct array *x)
{
	uint8_t *at = x->data;

	for (int64_t i = 0; i < x->count; i++)
		at[i] = at[i] != 0;
}

int dlpack_read(struct arena *a, const DLTensor *t, enum element e, struct value *out)
{
	int rc = check(t);

	if (rc < 0)
		return rc;
	struct placement s = placement_of(t, false);
	bool aligned = (uintptr_t)data_of(t) % s.element_bytes == 0;
	bool bytes_for_bool = e == ELEMENT_BOOL && element_of(t->dtype) == ELEMENT_U8;

	if (!bytes_for_bool)
		e = element_of(t->dtype);
	if (aligned && s.dense_from == 0 && !bytes_for_bool) {
		*out = value_of_array(array_around(a, e, t->ndim, t->shape, data_of(t)));
		return HONE_OK;
	}
	struct array *x = array_new(e, t->ndim, t->shape);

	if (!x)
		return HONE_FAILED;
	if (x->count > 0)
		copy(&s, 0, data_of(t), x->data);
	if (bytes_for_bool)
		make_bool(x);
	*out = value_of_array(x);
	return HONE_OK;
}

/* --- results */

/* A tensor that was given away. */
struct given_tensor {
	DLManagedTensor managed;
	const struct array *array;	/* held */
	int64_t strides[GRAPH_MAX_RANK];
};

static void release(DLManagedTensor *t)
{
	struct given_tensor *g = t->manager_ctx;

	array_release(g->array);
	free(g);
}

static int check_result(struct value v)
{
	if (v.kind != VALUE_ARRAY)
		return api_fail(HONE_UNSUPPORTED, "it is no tensor");
	if (dlpack_type(v.array->element).bits == 0)
		return api_fail(HONE_UNSUPPORTED, "DLPack has no form for elements of %s",
				element_name(v.array->element));
	return HONE_OK;
}

/* Has X's memory no other holder? */
static bool is_sole(const struct array *x)
{
	while (x && x->holders == 1)
		x = x->of;
	return !x;
}

/* X as an array with memory of its own. NULL and a message. */
static const struct array *own(const struct array *x)
{
	if (is_sole(x))
		return array_hold(x);
	struct array *y = array_new(x->element, x->rank, x->dim);

	if (y && x->count > 0)
		memcpy(y->data, x->data, array_bytes(x));
	return y;
}

int dlpack_give(struct value v, DLManagedTensor **out)
{
	int rc = check_result(v);

	if (rc < 0)
		return rc;
	const struct array *x = own(v.array);

	if (!x)
		return HONE_FAILED;
	struct given_tensor *g = calloc(1, sizeof(*g));

	if (!g)
		die("out of memory");
	int64_t stride = 1;

	for (int i = x->rank - 1; i >= 0; i--) {
		g->strides[i] = stride;
		stride *= x->dim[i];
	}
	g->array = x;
	g->managed = (DLManagedTensor){
		.dl_tensor = {
			.data = x->data,
			.device = { kDLCPU, 0 },
			.ndim = x->rank,
			.dtype = dlpack_type(x->element),
			.shape = (int64_t *)(uintptr_t)x->dim,
			.strides = g->strides,
		},
		.manager_ctx = g,
		.deleter = release,
	};
	*out = &g->managed;
	return HONE_OK;
}

int dlpack_write(struct value v, const DLTensor *t)
{
	int rc = check_result(v);

	if (rc == 0)
		rc = check(t);
	if (rc < 0)
		return rc;
	const struct array *x = v.array;

	if (element_of(t->dtype) != x->element)
		return api_fail(HONE_INVALID, "the tensor given for it is not of %s",
				element_name(x->element));
	if (t->ndim != x->rank || memcmp(t->shape, x->dim, (size_t)x->rank * sizeof(x->dim[0])))
		return api_fail(HONE_INVALID, "the tensor given for it has another shape");
	struct placement s = placement_of(t, true);

	if (x->count > 0)
		copy(&s, 0, data_of(t), x->data);
	return HONE_OK;
}
