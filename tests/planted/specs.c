/* SPDX-License-Identifier: Apache-2.0 */
/* tests/planted/specs.c - draws a value for each parameter that an operator has, until it builds. */
#include "tests/planted/specs.h"

#include <string.h>

#include "base/err.h"
#include "te/operator.h"

static const char *const dtypes[] = { "f32", "f32", "f32", "f64", "f16", "bf16",
				      "i8",  "u8",  "i32", "i64" };

enum { DTYPES = sizeof(dtypes) / sizeof(*dtypes) };

/* The last dimensions of an elementwise operator, and of rows that a reduction takes together. */
enum { LONG_ROW = 5000 };

static int64_t number(struct rng *r, const struct param *p)
{
	int64_t lo = p->hi ? p->lo : 1, hi = p->hi ? p->hi : 1;

	if (strcmp(p->key, "n") == 0 || strcmp(p->key, "k") == 0)
		hi = rng_chance(r, 0.3) ? LONG_ROW : 24;
	else if (strcmp(p->key, "p") == 0 || strcmp(p->key, "op") == 0)
		hi = 2;
	else if (strcmp(p->key, "s") == 0 || strcmp(p->key, "dil") == 0 || strcmp(p->key, "g") == 0)
		hi = 2;
	else if (p->hi == 0)
		hi = 17;
	return lo + rng_below(r, hi - lo + 1);
}

static const char *word(struct arena *a, struct rng *r, const char *words)
{
	int n = 1;

	for (const char *s = words; *s; s++)
		n += *s == '|';
	for (int64_t skip = rng_below(r, n); skip > 0; skip--)
		words = strchr(words, '|') + 1;
	return arena_strndup(a, words, strcspn(words, "|"));
}

static const char *layout(struct rng *r)
{
	static const char *const layouts[] = { "nchw", "nhwc", "nchw4c", "nchw16c" };

	return layouts[rng_below(r, 4)];
}

/* A window is small; other shapes are long now and then. */
static void put_value(struct text *t, struct arena *a, struct rng *r, const struct param *p)
{
	int64_t window = 1 + rng_below(r, 4);

	switch (p->kind) {
	case PARAM_INT:
		text_printf(t, "%jd", (intmax_t)number(r, p));
		return;
	case PARAM_SHAPE:
		text_printf(t, "%jd", (intmax_t)(strcmp(p->key, "k") == 0 ? window : number(r, p)));
		return;
	case PARAM_WORD:
		text_puts(t, word(a, r, p->words));
		return;
	case PARAM_LAYOUT:
		text_puts(t, layout(r));
		return;
	case PARAM_DTYPE:
		text_puts(t, dtypes[rng_below(r, DTYPES)]);
		return;
	}
}

static const char *draw(struct arena *a, struct rng *r)
{
	struct text t = { 0 };
	int n = 0;

	while (operator_at(n))
		n++;
	const struct operator *op = operator_at((int)rng_below(r, n));

	text_puts(&t, op->name);
	for (const struct param *p = op->params; p->key; p++) {
		if (p->fallback && p->kind != PARAM_DTYPE && rng_chance(r, 0.5))
			continue;
		text_puts(&t, strchr(text_str(&t), ':') ? "," : ":");
		text_printf(&t, "%s=", p->key);
		put_value(&t, a, r, p);
	}
	const char *spec = arena_strdup(a, text_str(&t));

	text_free(&t);
	return spec;
}

struct dag *random_operator(struct arena *a, struct rng *r, const char **spec)
{
	for (;;) {
		*spec = draw(a, r);
		struct dag *d = operator_build(a, *spec);

		if (d && dag_flop(d) <= SPEC_MAX_FLOP)
			return d;
	}
}
