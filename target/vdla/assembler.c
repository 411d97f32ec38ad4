/* SPDX-License-Identifier: Apache-2.0 */
/* target/vdla/assembler.c - prints programs of a VDLA, and reads them back. */
#include "target/vdla/assembler.h"

void vdla_binary_print(struct text *out, const struct vdla_binary *b)
{
	text_puts(out, "machine\n");
	vdla_machine_print(out, &b->machine);
	text_printf(out, "memory %lld\n", (long long)b->memory_bytes);
	for (int i = 0; i < b->tensors.n; i++) {
		const struct vdla_tensor *t = &b->tensors.at[i];

		text_printf(out, "%s ", vdla_role_names[t->role]);
		text_name(out, t->name);
		text_printf(out, " at %lld bytes %lld\n", (long long)t->address, (long long)t->bytes);
	}
	for (int i = 0; i < b->code.n; i++) {
		vdla_instruction_print(out, &b->code.at[i]);
		text_printf(out, "\t# %d\n", i);
	}
}

/* WORD and a number. */
static int scan_labelled(struct scan *s, const char *word, int64_t *out)
{
	return scan_token(s, word) && scan_int(s, out) ? 0 : scan_error(s, "expected %s and a number", word);
}

static int line_end(struct scan *s)
{
	return scan_line_end(s) ? 0 : scan_error(s, "expected the end of the line");
}

/* The machine and its memory. */
static int head(struct scan *s, struct vdla_binary *b)
{
	scan_line_end(s);
	if (!scan_token(s, "machine"))
		return scan_error(s, "expected 'machine', which programs for a VDLA begin with");
	if (line_end(s) < 0)
		return -1;
	while (*s->at && strncmp(s->at, "memory", strlen("memory")) != 0)
		if (vdla_machine_scan(&b->machine, s) < 0)
			return -1;
	return scan_labelled(s, "memory", &b->memory_bytes) < 0 ? -1 : line_end(s);
}

/* A tensor or an instruction. */
static int line(struct scan *s, struct arena *a, struct vdla_binary *b)
{
	struct vdla_tensor t = { .role = VDLA_INPUT };

	while (t.role < VDLA_ROLES && !scan_token(s, vdla_role_names[t.role]))
		t.role++;
	if (t.role == VDLA_ROLES) {
		struct vdla_instruction i;

		if (vdla_instruction_scan(s, &b->machine, &i) < 0)
			return -1;
		vec_push(a, &b->code, i);
		return line_end(s);
	}
	scan_blanks(s);
	t.name = *s->at == '"' ? scan_quoted(s, a) : scan_name(s, a);
	if (!t.name)
		return scan_error(s, "expected a name");
	if (scan_labelled(s, "at", &t.address) < 0 || scan_labelled(s, "bytes", &t.bytes) < 0)
		return -1;
	vec_push(a, &b->tensors, t);
	return line_end(s);
}

struct vdla_binary *vdla_binary_parse(struct arena *a, const char *file, const char *text)
{
	struct scan s = scan_text(file, text);
	struct vdla_binary *b = arena_one(a, struct vdla_binary);

	b->machine = vdla_machine_default;
	if (head(&s, b) < 0)
		return NULL;
	while (!scan_at_end(&s))
		if (line(&s, a, b) < 0)
			return NULL;
	return vdla_binary_check(b, file) < 0 ? NULL : b;
}
