/* SPDX-License-Identifier: Apache-2.0 */
/* tools/args/words.c - the words that more than one command has. */
#include "tools/args/words.h"

#include <string.h>

#include "search/strategies/strategy.h"
#include "target/target.h"
#include "te/operator.h"
#include "tools/args/backends.h"

static void list_operators(struct text *out)
{
	for (int i = 0; operator_at(i); i++)
		text_printf(out, "%s:, ", operator_at(i)->name);
}

static void list_targets(struct text *out)
{
	target_print_names(out, false);
}

static void list_strategies(struct text *out)
{
	text_puts(out, strategy_names());
}

static void list_cost_models(struct text *out)
{
#define X(name) text_puts(out, " " #name + (out->n == 0));
#include "costmodel/models.def"
#undef X
}

static void list_backends(struct text *out)
{
	text_puts(out, backend_names());
}

static void list_devices(struct text *out)
{
	text_puts(out, "vdla");
}

static void list_compilers(struct text *out)
{
	text_puts(out, "clang, gcc");
}

#define MODEL_FILES "onnx graph json"	/* as model_is() of graph/model.c has them */

static const struct word words[] = {
	/* arguments */
	{ "SOURCE", MODEL_FILES " te tasks", false, list_operators },
	{ "MODEL", MODEL_FILES, false, NULL },
	/* files */
	{ "FILE", "*", false, NULL },
	{ "FILE.hone", "hone", false, NULL },
	{ "DIR", NULL, true, NULL },
	/* names that hone has */
	{ "TARGET", NULL, false, list_targets },
	{ "STRATEGY", NULL, false, list_strategies },
	{ "RANKER", NULL, false, list_cost_models },
	{ "STRATEGY[:TRIALS]", NULL, false, list_strategies },
	{ "BACKEND", "so", false, list_backends },
	{ "COMPILER", "*", false, list_compilers },
	{ "vdla|FILE", "*", false, list_devices },
	/* numbers, and names of the user's */
	{ "N", NULL, false, NULL },
	{ "K", NULL, false, NULL },
	{ "P", NULL, false, NULL },
	{ "PERCENT", NULL, false, NULL },
	{ "S", NULL, false, NULL },
	{ "SIZE", NULL, false, NULL },
	{ "LABEL", NULL, false, NULL },
	{ "NAME", NULL, false, NULL },
	{ "CAMPAIGN", NULL, false, NULL },
	{ "TEXT", NULL, false, NULL },
};

const struct word *word_at(int i)
{
	return i < (int)(sizeof(words) / sizeof(*words)) ? &words[i] : NULL;
}

const struct word *word_find(const struct word *own, const char *name)
{
	for (; own && own->name; own++)
		if (strcmp(own->name, name) == 0)
			return own;
	for (int i = 0; word_at(i); i++)
		if (strcmp(words[i].name, name) == 0)
			return &words[i];
	return NULL;
}
