/* SPDX-License-Identifier: Apache-2.0 */
/* target/vdla/machine.c - the fields of a VDLA's description, from machine.def. */
#include "target/vdla/machine.h"

#include <stddef.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"

static const struct vdla_field {
	const char *name;
	size_t offset;
	int least, most;
} fields[] = {
#define X(field, standard, least, most, meaning) { #field, offsetof(struct vdla_machine, field), least, most },
#include "target/vdla/machine.def"
#undef X
};

/* All of them, each behind a space. */
#define X(field, standard, least, most, meaning) " " #field
static const char field_names[] =
#include "target/vdla/machine.def"
	;
#undef X

enum { MACHINE_FILE_BYTES = 1 << 16, FIELDS = sizeof(fields) / sizeof(fields[0]) };

const struct vdla_machine vdla_machine_default = {
#define X(field, standard, least, most, meaning) .field = standard,
#include "target/vdla/machine.def"
#undef X
};

const char *const vdla_scratchpad_names[VDLA_SCRATCHPADS] = { "inputs", "weights", "accumulators" };

static int value(const struct vdla_machine *m, const struct vdla_field *f)
{
	return *(const int *)((const char *)m + f->offset);
}

static bool is_scratchpad(const struct vdla_field *f)
{
	return f->offset == offsetof(struct vdla_machine, input_bytes)
	    || f->offset == offsetof(struct vdla_machine, weight_bytes)
	    || f->offset == offsetof(struct vdla_machine, accumulator_bytes);
}

static bool allows(const struct vdla_field *f, int64_t v)
{
	return v >= f->least && v <= f->most && (!is_scratchpad(f) || (v & (v - 1)) == 0);
}

const char *vdla_machine_wrong(const struct vdla_machine *m)
{
	for (int i = 0; i < FIELDS; i++)
		if (!allows(&fields[i], value(m, &fields[i])))
			return fields[i].name;
	return NULL;
}

int vdla_machine_scan(struct vdla_machine *out, struct scan *s)
{
	int i = 0;
	int64_t v;

	while (i < FIELDS && !scan_token(s, fields[i].name))
		i++;
	if (i == FIELDS)
		return scan_error(s, "expected a field of a machine (%s)", field_names + 1);
	const struct vdla_field *f = &fields[i];

	if (!scan_int(s, &v) || !allows(f, v))
		return scan_error(s, "%s: a whole number from %d to %d%s", f->name, f->least, f->most,
				  is_scratchpad(f) ? ", a power of two" : "");
	*(int *)((char *)out + f->offset) = (int)v;
	return scan_line_end(s) ? 0 : scan_error(s, "expected the end of the line");
}

int vdla_machine_parse(struct vdla_machine *out, const char *file, const char *text)
{
	struct scan s = scan_text(file, text);

	*out = vdla_machine_default;
	scan_line_end(&s);
	while (!scan_at_end(&s))
		if (vdla_machine_scan(out, &s) < 0)
			return -1;
	return 0;
}

int vdla_machine_load(struct vdla_machine *out, const char *path)
{
	struct arena *a = arena_new();
	const char *text = file_read(a, path, MACHINE_FILE_BYTES, NULL);
	int rc = text ? vdla_machine_parse(out, path, text) : -1;

	arena_free(a);
	return rc;
}

void vdla_machine_print(struct text *out, const struct vdla_machine *m)
{
	for (int i = 0; i < FIELDS; i++)
		text_printf(out, "%s %d\n", fields[i].name, value(m, &fields[i]));
}

/* Numbers alone, without holes. */
bool vdla_machine_equal(const struct vdla_machine *a, const struct vdla_machine *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

int vdla_entry_bytes(enum vdla_scratchpad s)
{
	static const int bytes[] = { VDLA_LANES, VDLA_LANES * VDLA_LANES, VDLA_LANES * 4 };

	return bytes[s];
}

int vdla_entries(const struct vdla_machine *m, enum vdla_scratchpad s)
{
	const int bytes[] = { m->input_bytes, m->weight_bytes, m->accumulator_bytes };

	return bytes[s] / vdla_entry_bytes(s);
}

int vdla_entry_bits(const struct vdla_machine *m, enum vdla_scratchpad s)
{
	return __builtin_ctz((unsigned)vdla_entries(m, s));
}

const char *vdla_scratchpad_name(enum vdla_scratchpad s)
{
	return vdla_scratchpad_names[s];
}
