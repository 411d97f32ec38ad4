/* SPDX-License-Identifier: Apache-2.0 */
/* partition/pattern.c - patterns become programs of a machine that tries one way after the other
 * [Thompson, CACM 1968; Cox, Regular Expression Matching: the Virtual Machine Approach, 2009]. */
#include "partition/pattern.h"

#include <ctype.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "partition/predicate.h"

enum pattern_code {
	CODE_CALL,	/* one call */
	CODE_SPLIT,	/* go on behind, and where that fails at `other` */
	CODE_JUMP,	/* to `other` */
	CODE_END,
};

struct pattern_step {
	enum pattern_code code;
	const struct core_op *op;	/* CODE_CALL; NULL: any */
	struct predicate_vec predicates;
	int other;
};

struct pattern_step_vec VEC(struct pattern_step);

struct pattern {
	struct pattern_step_vec steps;
};

/* What a word stands for beside an operator's own name. */
struct pattern_word {
	const char *word, *op, *predicates;
};

static const struct pattern_word words[] = {
#define X(word, op, predicates) { #word, op, predicates },
#include "partition/words.def"
#undef X
};

/* --- reading */

struct pattern_reader {
	struct arena *a;
	const char *text, *at;
	struct pattern_step_vec steps;
};

static int fail(const struct pattern_reader *r, const char *what)
{
	return err_set("pattern '%s', column %d: %s", r->text, (int)(r->at - r->text) + 1, what);
}

static void skip_blanks(struct pattern_reader *r)
{
	r->at += strspn(r->at, " \t\n");
}

static int emit(struct pattern_reader *r, struct pattern_step s)
{
	vec_push(r->a, &r->steps, s);
	return r->steps.n - 1;
}

/* Predicates up to END, each behind a comma. */
static int add_predicates(struct pattern_reader *r, struct pattern_step *s, const char *text, size_t n)
{
	const char *end = text + n;

	while (text < end) {
		size_t one = strcspn(text, ",");
		struct predicate p;

		one = one > (size_t)(end - text) ? (size_t)(end - text) : one;
		const char *from = text;

		text += one + (text + one < end);
		while (one && isblank((unsigned char)*from)) {
			from++;
			one--;
		}
		while (one && isblank((unsigned char)from[one - 1]))
			one--;
		if (predicate_parse(r->a, s->op, arena_strndup(r->a, from, one), &p) < 0)
			return fail(r, arena_strdup(r->a, err_get()));
		vec_push(r->a, &s->predicates, p);
	}
	return 0;
}

/* WORD of length N as a step. */
static int find_op(struct pattern_reader *r, const char *word, struct pattern_step *s)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i].word, word) == 0) {
			s->op = words[i].op ? core_op_find(words[i].op) : NULL;
			return add_predicates(r, s, words[i].predicates, strlen(words[i].predicates));
		}
	s->op = core_op_find(word);
	return s->op ? 0 : fail(r, arena_printf(r->a, "'%s' is no operator; docs/partition.md lists them",
						word));
}

static int read_call(struct pattern_reader *r)
{
	struct pattern_step s = { .code = CODE_CALL };
	size_t n = 0;

	while (isalnum((unsigned char)r->at[n]) || r->at[n] == '_')
		n++;
	if (n == 0)
		return fail(r, *r->at ? "an operator is missing" : "it ends too early");
	if (find_op(r, arena_strndup(r->a, r->at, n), &s) < 0)
		return -1;
	r->at += n;
	if (*r->at == '[') {
		const char *end = strchr(r->at, ']');

		if (!end)
			return fail(r, "']' is missing");
		if (add_predicates(r, &s, r->at + 1, (size_t)(end - r->at) - 1) < 0)
			return -1;
		r->at = end + 1;
	}
	emit(r, s);
	return 0;
}

static int read_sequence(struct pattern_reader *r, int depth);

/* (x | y | z), the parenthesis has been read: each but the last is a way to try first. */
static int read_alternatives(struct pattern_reader *r, int depth)
{
	struct value_vec ends = { 0 };

	for (;;) {
		int split = emit(r, (struct pattern_step){ .code = CODE_SPLIT });

		if (read_sequence(r, depth + 1) < 0)
			return -1;
		if (*r->at != '|' && *r->at != ')')
			return fail(r, "')' is missing");
		int end = emit(r, (struct pattern_step){ .code = CODE_JUMP });

		vec_push(r->a, &ends, end);
		/* The last one has no other way: it splits into itself. */
		r->steps.at[split].other = *r->at == '|' ? r->steps.n : split + 1;
		if (*r->at++ == ')')
			break;
	}
	for (int i = 0; i < ends.n; i++)
		r->steps.at[ends.at[i]].other = r->steps.n;
	return 0;
}

/* What may have ? behind it. */
static int read_part(struct pattern_reader *r, int depth)
{
	enum { MAX_DEPTH = 16 };

	int split = emit(r, (struct pattern_step){ .code = CODE_SPLIT });
	int rc;

	if (depth > MAX_DEPTH)
		return fail(r, "too many parentheses in each other");
	if (*r->at == '(') {
		r->at++;
		rc = read_alternatives(r, depth);
	} else {
		rc = read_call(r);
	}
	if (rc < 0)
		return -1;
	skip_blanks(r);
	r->steps.at[split].other = *r->at == '?' ? r->steps.n : split + 1;
	r->at += *r->at == '?';
	return 0;
}

static int read_sequence(struct pattern_reader *r, int depth)
{
	do {
		skip_blanks(r);
		if (read_part(r, depth) < 0)
			return -1;
		skip_blanks(r);
	} while (*r->at && *r->at != '|' && *r->at != ')');
	return 0;
}

const struct pattern *pattern_parse(struct arena *a, const char *text)
{
	struct pattern_reader r = { .a = a, .text = text, .at = text };
	struct pattern *p = arena_one(a, struct pattern);

	if (read_sequence(&r, 0) < 0)
		return NULL;
	if (*r.at) {
		fail(&r, "nothing opens this");
		return NULL;
	}
	emit(&r, (struct pattern_step){ .code = CODE_END });
	p->steps = r.steps;
	return p;
}

/* --- matching */

struct pattern_matcher {
	struct arena *a;
	const struct pattern *pattern;
	const struct flow *flow;
	int begin;
	struct value_vec members;
};

/* The value that alone reads V; VALUE_NONE where there are several, or it is a result. */
static int sole_reader(const struct flow *x, int v)
{
	int reader = x->first[v] < x->first[v + 1] ? x->reader[x->first[v]] : VALUE_NONE;

	for (int i = x->first[v]; i < x->first[v + 1]; i++)
		if (x->reader[i] != reader)
			return VALUE_NONE;
	return reader >= 0 && x->dominator[v] == reader ? reader : VALUE_NONE;
}

/* The call that would be the next member. */
static int next_value(const struct pattern_matcher *m)
{
	int n = m->members.n;

	return n ? sole_reader(m->flow, m->members.at[n - 1]) : m->begin;
}

static bool is_call(const struct pattern_matcher *m, const struct pattern_step *s, int value)
{
	const struct function *f = m->flow->function;
	const struct binding *b = value < 0 ? NULL : function_at(f, value);
	int from = m->members.n ? m->members.at[m->members.n - 1] : VALUE_NONE;

	if (!b || b->kind != BIND_CALL || (s->op && b->op != s->op) || !m->flow->needed[value])
		return false;
	for (int i = 0; i < s->predicates.n; i++)
		if (!predicate_holds(&s->predicates.at[i], f, b, from))
			return false;
	return true;
}

/* From step AT on. What was tried in vain is no member any more. */
static bool run(struct pattern_matcher *m, int at)
{
	for (;;) {
		const struct pattern_step *s = &m->pattern->steps.at[at];
		int n = m->members.n, value = VALUE_NONE;

		switch (s->code) {
		case CODE_CALL:
			value = next_value(m);
			if (!is_call(m, s, value))
				return false;
			vec_push(m->a, &m->members, value);
			at++;
			break;
		case CODE_SPLIT:
			if (s->other != at + 1 && run(m, at + 1))
				return true;
			m->members.n = n;
			at = s->other;
			break;
		case CODE_JUMP:
			at = s->other;
			break;
		case CODE_END:
			return n > 0;
		}
	}
}

bool pattern_match(struct arena *a, const struct pattern *p, const struct flow *flow, int value,
		   struct value_vec *members)
{
	struct pattern_matcher m = { .a = a, .pattern = p, .flow = flow, .begin = value };
	bool matched = run(&m, 0);

	*members = matched ? m.members : (struct value_vec){ 0 };
	return matched;
}
