/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/values/npy.c - the header of an .npy file, read and written. */
#include "runtime/values/npy.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"
#include "base/text.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "elements are read as they lie there");

#define MAGIC "\x93NUMPY"

enum { MAGIC_BYTES = 6, HEADER_ALIGN = 64 };
#define MOST_BYTES ((size_t)16 << 30)

static const struct {
	const char *descr;	/* without the byte order */
	enum element element;
} types[] = {
	{ "f4", ELEMENT_F32 }, { "f8", ELEMENT_F64 }, { "f2", ELEMENT_F16 }, { "i1", ELEMENT_I8 },
	{ "i2", ELEMENT_I16 }, { "i4", ELEMENT_I32 }, { "i8", ELEMENT_I64 }, { "u1", ELEMENT_U8 },
	{ "u2", ELEMENT_U16 }, { "u4", ELEMENT_U32 }, { "u8", ELEMENT_U64 }, { "b1", ELEMENT_BOOL },
};

/* What the header, a literal of Python, says. */
struct header {
	enum element element;
	int rank;
	int64_t dim[GRAPH_MAX_RANK];
};

/* Where the value of KEY begins; NULL where it is not there. */
static const char *value_of(const char *header, const char *key)
{
	const char *at = strstr(header, key);

	at = at ? strchr(at, ':') : NULL;
	return at ? at + 1 + strspn(at + 1, " ") : NULL;
}

static int read_type(const char *header, enum element *out)
{
	const char *at = value_of(header, "'descr'");

	if (!at || *at != '\'' || strlen(at) < 4 || !strchr("<|=", at[1]))
		return err_set("its elements are not little-endian numbers");
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strncmp(at + 2, types[i].descr, 2) == 0 && at[4] == '\'') {
			*out = types[i].element;
			return 0;
		}
	return err_set("elements of type %.6s are not supported", at);
}

static int read_shape(const char *header, struct header *h)
{
	const char *at = value_of(header, "'shape'");

	if (!at || *at++ != '(')
		return err_set("it has no shape");
	while (*at && *at != ')') {
		char *end;
		long long v = strtoll(at, &end, 10);

		if (end == at || v < 0)
			return err_set("its shape cannot be read");
		if (h->rank == GRAPH_MAX_RANK)
			return err_set("more than %d dims", GRAPH_MAX_RANK);
		h->dim[h->rank++] = v;
		at = end + strspn(end, " ,");
	}
	return 0;
}

static int read_header(const char *text, struct header *h)
{
	const char *order = value_of(text, "'fortran_order'");

	if (!order || strncmp(order, "False", 5) != 0)
		return err_set("its elements are in Fortran's order: save "
			       "numpy.ascontiguousarray() of it");
	return read_type(text, &h->element) < 0 ? -1 : read_shape(text, h);
}

static const struct array *parse(struct arena *a, char *data, size_t size)
{
	struct header h = { .rank = 0 };
	size_t length_bytes = size > MAGIC_BYTES && data[MAGIC_BYTES] >= 2 ? 4 : 2;
	size_t begin = MAGIC_BYTES + 2 + length_bytes;
	uint32_t length = 0;

	if (size < begin || memcmp(data, MAGIC, MAGIC_BYTES) != 0) {
		err_set("not an .npy file");
		return NULL;
	}
	memcpy(&length, data + MAGIC_BYTES + 2, length_bytes);
	if (length > size - begin) {
		err_set("cut off");
		return NULL;
	}
	if (read_header(arena_strndup(a, data + begin, length), &h) < 0)
		return NULL;
	int64_t count = shape_count(h.rank, h.dim);
	size_t have = size - begin - length;

	if (count < 0 || (size_t)count > have / element_bytes(h.element)) {
		err_set("cut off: %zu bytes are too few for its shape", have);
		return NULL;
	}
	struct array *x = array_in(a, h.element, h.rank, h.dim);

	memcpy(x->data, data + begin + length, array_bytes(x));
	return x;
}

const struct array *npy_read(struct arena *a, const char *path)
{
	size_t size;
	char *data = file_read(a, path, MOST_BYTES, &size);
	const struct array *x = data ? parse(a, data, size) : NULL;

	if (data && !x)
		err_prefix("%s", path);
	return x;
}

/* The type that a file has for elements E. */
static enum element written_as(enum element e)
{
	if (element_is_float(e) && element_dtype(e) == DTYPE_COUNT)
		return ELEMENT_F32;
	switch (e) {
	case ELEMENT_BF16:
		return ELEMENT_F32;
	case ELEMENT_I4:
	case ELEMENT_I2:
		return ELEMENT_I8;
	case ELEMENT_U4:
	case ELEMENT_U2:
		return ELEMENT_U8;
	default:
		return e;
	}
}

static void write_header(struct text *out, const struct array *x, enum element e)
{
	struct text header = { 0 };
	size_t which = 0;

	while (types[which].element != e)
		which++;
	text_printf(&header, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
		    element_bytes(e) == 1 ? '|' : '<', types[which].descr);
	for (int i = 0; i < x->rank; i++)
		text_printf(&header, "%lld,%s", (long long)x->dim[i], i < x->rank - 1 ? " " : "");
	text_puts(&header, "), }");
	while ((MAGIC_BYTES + 4 + header.n + 1) % HEADER_ALIGN)
		text_puts(&header, " ");
	text_puts(&header, "\n");
	uint16_t length = (uint16_t)header.n;

	text_putn(out, MAGIC "\x01\0", MAGIC_BYTES + 2);
	text_putn(out, (const char *)&length, sizeof(length));
	text_putn(out, header.s, header.n);
	text_free(&header);
}

int npy_write(const char *path, const struct array *x)
{
	enum element e = written_as(x->element);
	struct text out = { 0 };
	struct arena *a = arena_new();

	if (x->element == ELEMENT_STRING) {
		arena_free(a);
		return err_set("%s: strings are not written as .npy", path);
	}
	if (e != x->element) {
		struct array *wide = array_in(a, e, x->rank, x->dim);

		for (int64_t i = 0; i < x->count; i++)
			element_store(e, wide->data, i, array_float(x, i));
		x = wide;
	}
	write_header(&out, x, e);
	text_putn(&out, x->data, array_bytes(x));
	int rc = file_write(path, out.s, out.n);

	text_free(&out);
	arena_free(a);
	return rc;
}
