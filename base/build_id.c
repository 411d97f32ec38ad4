/* SPDX-License-Identifier: Apache-2.0 */
/* base/build_id.c - reads the note that ld --build-id leaves (elf(5), NT_GNU_BUILD_ID). */
#include "base/build_id.h"

#include <link.h>
#include <string.h>

#include "base/integer.h"
#include "base/text.h"

struct build_note {
	const unsigned char *at;
	size_t n;
};

/* Name and content of a note are padded to this. */
enum { NOTE_ALIGN = 4 };

static bool find_note(const char *at, size_t size, struct build_note *out)
{
	static const char gnu[] = "GNU";

	while (size >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)at;
		const char *name = at + sizeof(*note);
		size_t whole = sizeof(*note) + bytes_up(note->n_namesz, NOTE_ALIGN) +
			       bytes_up(note->n_descsz, NOTE_ALIGN);

		if (whole > size)
			return false;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof(gnu) &&
		    memcmp(name, gnu, sizeof(gnu)) == 0) {
			out->at = (const unsigned char *)name + bytes_up(note->n_namesz, NOTE_ALIGN);
			out->n = note->n_descsz;
			return true;
		}
		at += whole;
		size -= whole;
	}
	return false;
}

static bool contains(const struct dl_phdr_info *object, uintptr_t address)
{
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &object->dlpi_phdr[i];
		uintptr_t begin = object->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && address >= begin && address - begin < p->p_memsz)
			return true;
	}
	return false;
}

static int look(struct dl_phdr_info *object, size_t size, void *user)
{
	(void)size;
	if (!contains(object, (uintptr_t)look))
		return 0;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &object->dlpi_phdr[i];

		if (p->p_type == PT_NOTE &&
		    find_note((const char *)(object->dlpi_addr + p->p_vaddr), p->p_memsz, user))
			break;
	}
	return 1;
}

const char *build_id(struct arena *a)
{
	struct build_note note = { 0 };
	struct text hex = { 0 };

	dl_iterate_phdr(look, &note);
	if (note.n == 0)
		return NULL;
	for (size_t i = 0; i < note.n; i++)
		text_printf(&hex, "%02x", note.at[i]);
	const char *id = arena_strdup(a, text_str(&hex));

	text_free(&hex);
	return id;
}
