/* SPDX-License-Identifier: Apache-2.0 */
/* measure/build/join.c - names at file scope, renamed by the preprocessor. */
#include "measure/build/join.h"

#include <string.h>

#include "base/arena.h"
#include "base/vec.h"
#include "codegen/callable.h"
#include "measure/trial.h"

struct join_names VEC(const char *);

/* What a text defines at file scope. */
struct file_scope {
	struct arena *arena;
	struct join_names names;	/* of types, static functions and data */
	struct join_names macros;
};

/* Adds the word that ends at END, blanks aside, not before BEGIN. */
static void add_word(struct file_scope *s, struct join_names *to, const char *begin, const char *end)
{
	while (end > begin && !text_in_identifier(end[-1]))
		end--;
	const char *from = end;

	while (from > begin && text_in_identifier(from[-1]))
		from--;
	if (from == end)
		return;
	const char *word = arena_strndup(s->arena, from, (size_t)(end - from));

	for (int i = 0; i < to->n; i++)
		if (strcmp(to->at[i], word) == 0)
			return;
	vec_push(s->arena, to, word);
}

static bool starts(const char *line, const char *with)
{
	return strncmp(line, with, strlen(with)) == 0;
}

/* Where the declarator of a typedef of LINE, of N characters, ends. */
static const char *typedef_end(const char *line, size_t n)
{
	const char *attribute = memmem(line, n, " __attribute__", 14);

	return attribute ? attribute : line + n;
}

static void look_at_line(struct file_scope *s, const char *line, size_t n)
{
	static const char define[] = "#define ";

	if (starts(line, define)) {
		const char *name = line + strlen(define), *end = name;

		while (text_in_identifier(*end))
			end++;
		add_word(s, &s->macros, name, end);
	} else if (starts(line, "typedef ")) {
		add_word(s, &s->names, line, typedef_end(line, n));
	} else if (starts(line, "static ")) {
		size_t to = strcspn(line, "([=;\n");

		add_word(s, &s->names, line, line + to);
	}
}

static struct file_scope scope_of(struct arena *a, const char *source)
{
	struct file_scope s = { .arena = a };

	for (const char *line = source; *line;) {
		size_t n = strcspn(line, "\n");

		look_at_line(&s, line, n);
		line += n + (line[n] == '\n');
	}
	for (int i = 0; callable_suffix[i]; i++)
		vec_push(a, &s.macros, arena_printf(a, "%s%s", TRIAL_SYMBOL, callable_suffix[i]));
	return s;
}

const char *join_symbol(struct arena *a, int i)
{
	return arena_printf(a, "%s_%d", TRIAL_SYMBOL, i);
}

void join_kernel(struct text *out, const char *source, int i)
{
	struct arena *a = arena_new();
	struct file_scope s = scope_of(a, source);
	const char *symbol = join_symbol(a, i);

	for (int j = 0; callable_suffix[j]; j++)
		text_printf(out, "#define %s%s %s%s\n", TRIAL_SYMBOL, callable_suffix[j], symbol,
			    callable_suffix[j]);
	/* no name of a text ends in _k and a number, so that none becomes another one's */
	for (int j = 0; j < s.names.n; j++)
		text_printf(out, "#define %s %s_k%d\n", s.names.at[j], s.names.at[j], i);
	text_printf(out, "%s\n", source);
	for (int j = 0; j < s.names.n; j++)
		text_printf(out, "#undef %s\n", s.names.at[j]);
	for (int j = 0; j < s.macros.n; j++)
		text_printf(out, "#undef %s\n", s.macros.at[j]);
	arena_free(a);
}
