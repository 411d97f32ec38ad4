/* SPDX-License-Identifier: Apache-2.0 */
/* measure/build/toolchain_kept.c - what compilers answered, as files in the user's cache folder. */
#include "config.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "measure/device/cpuinfo.h"
#include "measure/build/toolchain.h"

/* Compilers with their flags that one works with at a time, and more. */
enum { MOST_KEPT = 64 };

/* The file that NAME stands for, as a shell would find it; NULL where there is none. */
static const char *find_program(struct arena *a, const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return name;
	while (path && *path) {
		size_t n = strcspn(path, ":");
		const char *file = arena_printf(a, "%.*s/%s", (int)n, n ? path : ".", name);

		if (access(file, X_OK) == 0)
			return file;
		path += n + (path[n] == ':');
	}
	return NULL;
}

/* Is PATH a program of its own, rather than a script that may run any? */
static bool is_binary(const char *path)
{
	static const char magic[] = "\177ELF";
	char begin[sizeof(magic) - 1];
	FILE *f = fopen(path, "re");
	bool same = f && fread(begin, sizeof(begin), 1, f) == 1 &&
		    memcmp(begin, magic, sizeof(begin)) == 0;

	if (f)
		fclose(f);
	return same;
}

/* Behind all links; NULL where that is a script, or by its name none of what it was called: ccache
 * stands for any compiler. */
static const char *real_program(struct arena *a, const char *cc)
{
	const char *found = find_program(a, cc);
	char *real = found ? realpath(found, NULL) : NULL;
	const char *kept = real ? arena_strdup(a, real) : NULL;

	free(real);
	if (!kept || !strstr(basename(kept), basename(cc)) || !is_binary(kept))
		return NULL;
	return kept;
}

static void hash_strings(struct hasher *h, const struct strings *s)
{
	hasher_int(h, s->n);
	for (int i = 0; i < s->n; i++)
		hasher_str(h, s->at[i]);
}

static void hash_machine(struct arena *a, struct hasher *h)
{
	struct cpuinfo cpu = cpuinfo_read(a);

	hasher_str(h, cpu.vendor);
	hasher_str(h, cpu.model);
	hasher_int(h, cpu.family);
	hasher_int(h, cpu.model_number);
	hasher_int(h, cpu.stepping);
	hasher_str(h, cpu.flags);
}

const char *toolchain_place(struct arena *a, const struct toolchain *t)
{
	const char *cache = dir_cache(a);
	const char *program = cache ? real_program(a, t->cc) : NULL;
	char hex[HASH_TEXT];

	if (!program)
		return NULL;
	struct hasher *h = hasher_new();

	hasher_str(h, PACKAGE_VERSION);
	hasher_str(h, program);
	hasher_file(h, program);
	hash_machine(a, h);
	hasher_str(h, t->target->name);	/* the text has it */
	hash_strings(h, &t->flags);
	hash_strings(h, &t->link);
	hash_strings(h, &t->user);
	return arena_printf(a, "%s/toolchains/%s.json", cache, hash_text(hasher_end(h), hex));
}

static bool read_strings(struct arena *a, const json_t *list, struct strings *out)
{
	size_t i;
	json_t *one;

	if (!json_is_array(list))
		return false;
	*out = (struct strings){ 0 };
	json_array_foreach((json_t *)(uintptr_t)list, i, one) {
		if (!json_is_string(one))
			return false;
		vec_push(a, out, arena_strdup(a, json_string_value(one)));
	}
	return true;
}

bool toolchain_recall(struct arena *a, const char *place, struct toolchain *t)
{
	json_t *json = json_load_file(place, 0, NULL), *flags, *link;
	const char *line;
	struct toolchain kept = *t;
	bool whole = json && json_unpack(json, "{s:s, s:o, s:o}", "toolchain", &line, "flags", &flags,
				 "link", &link) == 0 &&
		     read_strings(a, flags, &kept.flags) && read_strings(a, link, &kept.link);

	if (whole) {
		*t = kept;
		t->text = arena_strdup(a, line);
	}
	json_decref(json);
	return whole;
}

static json_t *list_strings(const struct strings *s)
{
	json_t *list = json_array();

	for (int i = 0; i < s->n; i++)
		json_array_append_new(list, json_string(s->at[i]));
	return list;
}

void toolchain_keep(const char *place, const struct toolchain *t)
{
	json_t *json = json_pack("{s:s, s:o, s:o}", "toolchain", t->text, "flags",
				 list_strings(&t->flags), "link", list_strings(&t->link));
	char *text = json ? json_dumps(json, JSON_INDENT(1)) : NULL;

	if (text)
		file_keep(place, text, strlen(text), MOST_KEPT);
	free(text);
	json_decref(json);
}
