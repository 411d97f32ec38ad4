/* SPDX-License-Identifier: Apache-2.0 */
/* tools/describe/roff.c - a token at a time. */
#include "tools/describe/roff.h"

#include <ctype.h>
#include <string.h>

#include "tools/describe/options.h"

/* Of a line of source, and of an example on a terminal of 80 columns. */
enum { SOURCE_COLUMNS = 76, EXAMPLE_COLUMNS = 66 };

void roff_escape(struct text *out, const char *s, size_t n)
{
	static const struct {
		char c;
		const char *as;
	} special[] = {
		{ '\\', "\\e" }, { '\'', "\\(aq" }, { '`', "\\(ga" }, { '~', "\\(ti" }, { '^', "\\(ha" }, { '"', "\\(dq" },
	};

	for (size_t i = 0; i < n; i++) {
		bool hyphen = i > 0 && i + 1 < n && isalpha((unsigned char)s[i - 1]) &&
			      isalpha((unsigned char)s[i + 1]);
		const char *as = NULL;

		for (size_t k = 0; k < sizeof(special) / sizeof(*special); k++)
			if (s[i] == special[k].c)
				as = special[k].as;
		/* a minus is what can be copied to a command line */
		if (s[i] == '-' && !hyphen)
			as = "\\-";
		if (as)
			text_puts(out, as);
		else
			text_putn(out, s + i, 1);
	}
}

/* In the font of LETTER; no hyphens there. */
static void print_in(struct text *out, char letter, const char *s, size_t n)
{
	text_printf(out, "\\f%c", letter);
	for (size_t i = 0; i < n; i++)
		if (s[i] == '-')
			text_puts(out, "\\-");
		else
			roff_escape(out, s + i, 1);
	text_puts(out, "\\fR");
}

/* Is the character at S, which END is behind, one to be typed? */
static bool is_literal(const char *s, const char *end)
{
	if (*s == '.')
		return s + 1 < end && isalnum((unsigned char)s[1]);
	return islower((unsigned char)*s) || isdigit((unsigned char)*s) || *s == '-';
}

void roff_word(struct text *out, const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t k = i;

		while (k < n && isupper((unsigned char)s[k]))
			k++;
		if (k > i) {
			print_in(out, 'I', s + i, k - i);
			i = k;
			continue;
		}
		while (k < n && is_literal(s + k, s + n))
			k++;
		if (k > i)
			print_in(out, 'B', s + i, k - i);
		else
			roff_escape(out, s + k++, 1);
		i = k;
	}
}

/* Does it stand for a value in the tables of PART of C? */
static bool is_word(const struct command *c, const struct command *part, const char *s, size_t n)
{
	const struct argp *argp = command_argp(part ? part : c);
	struct listed_option_vec options;
	struct arena *a = arena_new();
	bool found = false, more;
	const char *arguments = arguments_list(a, argp, &more);

	for (const char *at = arguments; *at && !found; at += strspn(at, " ")) {
		size_t length = strcspn(at, " ");

		found = length == n && strncmp(at, s, n) == 0;
		at += length;
	}
	options_list(a, argp, &options);
	for (int i = 0; i < options.n && !found; i++)
		found = options.at[i].value && strlen(options.at[i].value) == n &&
			strncmp(options.at[i].value, s, n) == 0;
	arena_free(a);
	return found;
}

/* The length of the name of a command at S, "tune"; 0 where there is none. */
static size_t command_length(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz");

	for (int i = 0; command_at(i); i++)
		if (strlen(command_at(i)->name) == n && strncmp(command_at(i)->name, s, n) == 0)
			return n;
	return 0;
}

static const char *token_end(const char *s, const char *end)
{
	while (s < end && *s != ' ' && *s != '\n')
		s++;
	return s;
}

/* The N bytes at S: an option, a word that stands for a value, or text. */
static void print_core(struct text *out, const struct command *c, const struct command *part, const char *s, size_t n)
{
	if (n > 1 && *s == '-' && (s[1] == '-' || isalpha((unsigned char)s[1]))) {
		const char *equals = memchr(s, '=', n);
		size_t name = equals ? (size_t)(equals - s) : n;

		print_in(out, 'B', s, name);
		roff_word(out, s + name, n - name);
	} else if (n > 0 && is_word(c, part, s, n)) {
		roff_word(out, s, n);
	} else {
		roff_escape(out, s, n);
	}
}

/* Of S, up to END: a token with the brackets and points around it, "(--top,"; "hone tune" is one. Behind it. */
static const char *print_token(struct text *out, const struct command *c, const struct command *part, const char *s,
			       const char *end)
{
	const char *to = token_end(s, end), *at = s;
	size_t n;

	while (at < to && strchr("(\"`'", *at))
		at++;
	roff_escape(out, s, (size_t)(at - s));
	n = (size_t)(to - at);
	if (n == 4 && strncmp(at, "hone", 4) == 0 && to < end && *to == ' ' && command_length(to + 1)) {
		n += 1 + command_length(to + 1);
		to = token_end(to + 1, end);
		print_in(out, 'B', at, n);
	} else {
		while (n > 0 && strchr(".,;:!?)\"`'", at[n - 1]))
			n--;
		print_core(out, c, part, at, n);
	}
	roff_escape(out, at + n, (size_t)(to - at) - n);
	return to;
}

/* A sentence ends: its space is wider, and its line of source ends. */
static bool ends_sentence(const char *s, const char *stop)
{
	return stop > s && strchr(".?!", stop[-1]);
}

static void print_paragraph(struct text *out, const struct command *c, const struct command *part, const char *s,
			    const char *end)
{
	size_t column = 0;
	bool fresh = true;

	while (s < end) {
		struct text token = { 0 };

		if (*s == ' ') {
			s++;
			continue;
		}
		const char *stop = print_token(&token, c, part, s, end);

		if (!fresh && column + 1 + token.n > SOURCE_COLUMNS) {
			text_puts(out, "\n");
			fresh = true;
		}
		if (fresh && strchr(".'", *text_str(&token)))
			text_puts(out, "\\&");
		text_printf(out, "%s%s", fresh ? "" : " ", text_str(&token));
		column = fresh ? token.n : column + 1 + token.n;
		fresh = ends_sentence(s, stop);
		if (fresh && stop < end)
			text_puts(out, "\n");
		text_free(&token);
		s = stop;
	}
	text_puts(out, "\n");
}

void roff_prose(struct text *out, const struct command *c, const struct command *part, const char *s, size_t n,
		bool indented)
{
	const char *end = s + n;
	bool first = true;

	while (s < end) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));

		stop = stop ? stop : end;
		if (stop > s) {
			if (!first)
				text_puts(out, indented ? ".IP\n" : ".PP\n");
			print_paragraph(out, c, part, s, stop);
			first = false;
		}
		s = stop + 1;
	}
}

/* A minus is a minus here. */
static void print_typed(struct text *out, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] == '-')
			text_puts(out, "\\-");
		else
			roff_escape(out, s + i, 1);
}

/* Where a line that is too long goes on in the next: an option stays with its value, where that leaves much of the line.
 * 0: nowhere. */
static size_t find_cut(const char *s, size_t columns)
{
	size_t cut = columns;

	while (cut > 0 && s[cut] != ' ')
		cut--;
	for (size_t i = cut; i > columns / 2; i--)
		if (s[i] == ' ' && strchr("-&", s[i + 1]))
			return i;
	return cut;
}

static void print_example(struct text *out, const char *s, size_t n)
{
	size_t columns = EXAMPLE_COLUMNS, cut;

	while (n > columns && (cut = find_cut(s, columns)) > 0) {
		print_typed(out, s, cut);
		text_puts(out, " \\e\n    ");
		s += cut + 1;
		n -= cut + 1;
		columns = EXAMPLE_COLUMNS - 4;
	}
	print_typed(out, s, n);
	text_puts(out, "\n");
}

void roff_examples(struct text *out, const char *s)
{
	text_puts(out, ".nf\n.RS 4\n");
	while (*s) {
		size_t n = strcspn(s, "\n"), indent = strspn(s, " ");

		print_example(out, s + indent, n - indent);
		s += n + (s[n] == '\n');
	}
	text_puts(out, ".RE\n.fi\n");
}
