/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/list/regex.c - strings that a regular expression matches as a whole.
 *
 * ONNX's expressions are those of RE2. They are rewritten as POSIX has them: classes by letter become
 * bracket expressions, groups that capture nothing become ordinary ones. */
#include <regex.h>

#include "base/text.h"
#include "graph/op/move/axes.h"

static int match_type(struct infer *x)
{
	return infer_class(x, 0, CLASS_BIT(STRING)) < 0 ? -1 : infer_like(x, 0, ELEMENT_BOOL);
}

/* What \LETTER is, within brackets or outside of them; NULL: what POSIX has not. */
static const char *escape(char letter, bool inside)
{
	static const struct {
		char letter;
		const char *outside, *inside;
	} classes[] = {
		{ 'd', "[0-9]", "0-9" },
		{ 'D', "[^0-9]", NULL },
		{ 'w', "[0-9A-Za-z_]", "0-9A-Za-z_" },
		{ 'W', "[^0-9A-Za-z_]", NULL },
		{ 's', "[ \t\n\f\r]", " \t\n\f\r" },
		{ 'S', "[^ \t\n\f\r]", NULL },
		{ 'b', "\\b", NULL },	/* the end of a word: glibc has it */
		{ 'B', "\\B", NULL },
		{ 't', "\t", "\t" },
		{ 'n', "\n", "\n" },
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (classes[i].letter == letter)
			return inside ? classes[i].inside : classes[i].outside;
	return NULL;
}

static bool is_letter_or_digit(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* PATTERN as POSIX writes it, which the whole string must match; false where POSIX cannot. */
static bool rewrite(const char *pattern, struct text *out)
{
	bool inside = false;

	text_puts(out, "^(");
	for (const char *p = pattern; *p; p++) {
		const char *class = *p == '\\' && p[1] ? escape(p[1], inside) : NULL;

		if (class) {
			text_puts(out, class);
			p++;
		} else if (*p == '\\') {
			if (!p[1] || is_letter_or_digit(p[1]))
				return false;
			text_putn(out, inside ? p + 1 : p, inside ? 1 : 2);
			p++;
		} else if (!inside && strncmp(p, "(?:", 3) == 0) {
			text_puts(out, "(");
			p += 2;
		} else if (!inside && strncmp(p, "(?", 2) == 0) {
			return false;
		} else if (!inside && strchr("*+?}", *p) && (p[1] == '?' || p[1] == '+')) {
			text_putn(out, p, 1);	/* greedy or not, the whole string is matched or not */
			p++;
		} else {
			text_putn(out, p, 1);
			if (*p == '[' && !inside) {
				inside = true;
				if (p[1] == '^')
					text_putn(out, ++p, 1);
				if (p[1] == ']')
					text_putn(out, ++p, 1);
			} else if (*p == ']') {
				inside = false;
			}
		}
	}
	text_puts(out, ")$");
	return true;
}

static int match_eval(struct eval *x)
{
	const struct array *from = eval_array(x, 0);
	const char *pattern = call_string(x->call, "pattern");
	struct text posix = { 0 };
	regex_t regex;
	bool possible = rewrite(pattern, &posix) &&
			regcomp(&regex, text_str(&posix), REG_EXTENDED | REG_NOSUB) == 0;

	text_free(&posix);
	if (!possible)
		return eval_error(x, "'%s' is no regular expression that POSIX has", pattern);
	struct array *y = eval_result(x, 0, ELEMENT_BOOL, from->rank, from->dim);

	for (int64_t i = 0; y && i < y->count; i++)
		((bool *)y->data)[i] = regexec(&regex, array_string(from, i), 0, NULL, 0) == 0;
	regfree(&regex);
	return y ? 0 : -1;
}

const struct core_op core_regex_match = {
	.name = "regex_match",
	.summary = "whether each string as a whole is what the pattern describes",
	.min_args = 1,
	.max_args = 1,
	.attrs = (const struct attr_spec[]){
		{ "pattern", ATTR_STRING, 0, "", "a regular expression" },
		{ 0 } },
	.fusion = FUSION_OPAQUE,
	.type = match_type,
	.eval = match_eval,
};
