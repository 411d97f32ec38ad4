/* SPDX-License-Identifier: Apache-2.0 */
/* target/vdla/binary.c - writes and reads files of programs for a VDLA, and checks them whole. */
#include "target/vdla/binary.h"

#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "base/integer.h"

enum { VERSION = 2, TENSORS_MOST = 4096 };	/* each is compared with each */

static const char magic[4] = { 'V', 'D', 'L', 'A' };

static const int64_t most_units = 1LL << VDLA_ADDRESS_BITS;

const char *const vdla_role_names[VDLA_ROLES] = { "input", "output", "constant" };

/* --- what holds */

static int64_t units(int64_t bytes)
{
	return ceil_div(bytes, VDLA_UNIT_BYTES);
}

static bool apart(const struct vdla_tensor *t, const struct vdla_tensor *u)
{
	return t->address + units(t->bytes) <= u->address || u->address + units(u->bytes) <= t->address;
}

static int check_tensors(const struct vdla_binary *b, const char *file)
{
	if (b->tensors.n > TENSORS_MOST)
		return err_set("%s: %d tensors; up to %d are read", file, b->tensors.n, TENSORS_MOST);
	for (int i = 0; i < b->tensors.n; i++) {
		const struct vdla_tensor *t = &b->tensors.at[i];

		if (!*t->name)
			return err_set("%s: tensor %d has no name", file, i);
		if ((int)t->role < 0 || t->role > VDLA_CONSTANT || (t->data && t->role != VDLA_CONSTANT))
			return err_set("%s: tensor %s: an unknown role, or data that is not a constant's", file, t->name);
		if (t->address < 0 || t->bytes < 1 || t->bytes > b->memory_bytes
		    || t->address > b->memory_bytes / VDLA_UNIT_BYTES - units(t->bytes))
			return err_set("%s: tensor %s is not inside of the memory", file, t->name);
		for (int k = 0; k < i; k++)
			if (!apart(&b->tensors.at[k], t))
				return err_set("%s: tensors %s and %s share memory", file, b->tensors.at[k].name, t->name);
	}
	return 0;
}

/* NULL, or what is wrong. */
static const char *check_instruction(const struct vdla_binary *b, const struct vdla_instruction *i)
{
	const char *why = vdla_fits(&b->machine, i);
	const struct vdla_transfer *t = &i->transfer;

	if (why || i->op == VDLA_GEMM || i->op == VDLA_ALU || t->rows == 0)
		return why;
	int64_t end = t->address + (t->rows - 1) * t->row_stride
		      + (int64_t)t->columns * vdla_entry_units(t->scratchpad, t->form);

	return end > b->memory_bytes / VDLA_UNIT_BYTES ? "an address outside of the memory" : NULL;
}

static int check_machine(const struct vdla_binary *b, const char *file)
{
	const char *wrong = vdla_machine_wrong(&b->machine);

	return wrong ? err_set("%s: the machine's %s is impossible", file, wrong) : 0;
}

int vdla_binary_check(const struct vdla_binary *b, const char *file)
{
	if (check_machine(b, file) < 0)
		return -1;
	if (b->memory_bytes < 0 || b->memory_bytes % VDLA_UNIT_BYTES
	    || b->memory_bytes / VDLA_UNIT_BYTES > most_units)
		return err_set("%s: a memory of %lld bytes; a multiple of %d is", file, (long long)b->memory_bytes,
			       VDLA_UNIT_BYTES);
	if (check_tensors(b, file) < 0)
		return -1;
	for (int i = 0; i < b->code.n; i++) {
		const char *why = check_instruction(b, &b->code.at[i]);

		if (why)
			return err_set("%s: instruction %d: %s", file, i, why);
	}
	return 0;
}

/* --- the file: one description for writing and reading */

static void machine(struct bytes *s, struct vdla_machine *m)
{
#define X(field, ...) m->field = (int)bytes_number(s, 4, m->field);
#include "target/vdla/machine.def"
#undef X
}

static void tensor(struct bytes *s, struct vdla_tensor *t)
{
	t->name = bytes_string(s, t->name);
	t->role = (enum vdla_role)bytes_number(s, 4, (int64_t)t->role);
	bool has = bytes_number(s, 4, t->data != NULL) != 0;

	t->address = bytes_number(s, 8, t->address);
	t->bytes = bytes_number(s, 8, t->bytes);
	const void *data = has ? bytes_data(s, (uint64_t)t->bytes, t->data) : NULL;

	if (!s->out)
		t->data = data ? arena_memdup(s->arena, data, (size_t)t->bytes) : NULL;
}

void vdla_binary_write(struct text *out, const struct vdla_binary *b)
{
	struct bytes s = { .out = out };
	struct vdla_machine m = b->machine;
	size_t from = out->n;

	bytes_data(&s, sizeof(magic), magic);
	bytes_number(&s, 4, VERSION);
	machine(&s, &m);
	bytes_number(&s, 8, b->memory_bytes);
	bytes_number(&s, 4, b->tensors.n);
	bytes_number(&s, 4, b->code.n);
	for (int i = 0; i < b->tensors.n; i++)
		tensor(&s, &b->tensors.at[i]);
	for (int i = 0; i < b->code.n; i++) {
		uint8_t code[VDLA_INSTRUCTION_BYTES];

		vdla_encode(&m, &b->code.at[i], code);
		bytes_data(&s, sizeof(code), code);
	}
	bytes_seal(out, from);
}

/* What stands before the machine, and the hash, which the stream leaves out from then on. */
static int read_head(struct bytes *s, const char *file)
{
	const uint8_t *mark = bytes_data(s, sizeof(magic), NULL);

	if (!mark || memcmp(mark, magic, sizeof(magic)) != 0)
		return err_set("%s: this is no program for a VDLA", file);
	int64_t version = bytes_number(s, 4, 0);

	if (s->ended || s->left < BYTES_SEAL)
		return err_set("%s: it is cut off", file);
	if (version != VERSION)
		return err_set("%s: version %lld of the format; this hone reads %d", file, (long long)version, VERSION);
	if (!bytes_unseal(s))
		return err_set("%s: it is damaged or cut off: its hash is another one", file);
	return 0;
}

static int read_code(struct bytes *s, struct vdla_binary *b, const char *file, int64_t n)
{
	if (s->ended || n < 0 || (uint64_t)n * VDLA_INSTRUCTION_BYTES != s->left)
		return err_set("%s: its tensors and instructions are not as many as it says", file);
	vec_reserve(s->arena, &b->code, (int)n);
	for (int i = 0; i < (int)n; i++) {
		struct vdla_instruction op;
		const char *why = vdla_decode(&b->machine, bytes_data(s, VDLA_INSTRUCTION_BYTES, NULL), &op);

		if (why)
			return err_set("%s: instruction %d: %s", file, i, why);
		vec_push(s->arena, &b->code, op);
	}
	return 0;
}

struct vdla_binary *vdla_binary_read(struct arena *a, const char *file, const void *data, size_t n)
{
	struct bytes s = { .begin = data, .at = data, .left = n, .arena = a };
	struct vdla_binary *b = arena_one(a, struct vdla_binary);

	if (read_head(&s, file) < 0)
		return NULL;
	machine(&s, &b->machine);
	if (check_machine(b, file) < 0)
		return NULL;
	b->memory_bytes = bytes_number(&s, 8, 0);
	int64_t tensors = bytes_number(&s, 4, 0), instructions = bytes_number(&s, 4, 0);

	for (int64_t i = 0; i < tensors && !s.ended; i++) {
		struct vdla_tensor t = { 0 };

		tensor(&s, &t);
		vec_push(a, &b->tensors, t);
	}
	if (read_code(&s, b, file, tensors < 0 ? -1 : instructions) < 0)
		return NULL;
	return vdla_binary_check(b, file) < 0 ? NULL : b;
}
