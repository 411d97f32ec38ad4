/* SPDX-License-Identifier: Apache-2.0 */
/* tools/ops.c - `hone ops`: the operators of the command line and their parameters. */
#include <argp.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "te/operator.h"
#include "tools/args/words.h"
#include "tools/command.h"
#include "tools/json.h"

struct ops_options {
	bool json;
	const char *name;	/* NULL: all */
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct ops_options *o = state->input;

	switch (key) {
	case 'j':
		o->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (o->name)
			argp_usage(state);
		o->name = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option option_list[] = {
	{ "json", 'j', NULL, 0, "print a JSON array", 0 },
	{ 0 },
};

static const struct argp argp = {
	.options = option_list,
	.parser = parse,
	.args_doc = "[OPERATOR]",
	.doc = "Lists the operators that a command line may name as NAME:KEY=VALUE,... and their "
	       "parameters.\v"
	       "Example:\n"
	       "  hone ops conv2d\n"
	       "  hone tune conv2d:ic=64,h=56,w=56,oc=64,k=3,p=1,layout=nchw16c --db tune.db",
};

static void print_params(const struct operator *op)
{
	for (const struct param *p = op->params; p->key; p++) {
		printf("    %-10s %s", p->key, p->help);
		if (p->words)
			printf(": %s", p->words);
		if (p->fallback)
			printf(" (%s)", p->fallback);
		puts("");
	}
}

/* What must be given, and what it does. */
static void print_line(const struct operator *op)
{
	char separator = ':';

	printf("%s", op->name);
	for (const struct param *p = op->params; p->key; p++) {
		if (p->fallback)
			continue;
		printf("%c%s=", separator, p->key);
		separator = ',';
	}
	printf("  %s\n", op->summary);
}

static json_t *describe(const struct operator *op)
{
	json_t *params = json_array();

	for (const struct param *p = op->params; p->key; p++) {
		json_t *one = json_pack("{s:s, s:s, s:b}", "parameter", p->key, "meaning", p->help,
					"required", p->fallback == NULL);

		if (p->fallback)
			json_object_set_new(one, "default", json_label(p->fallback));
		if (p->words)
			json_object_set_new(one, "values", json_string(p->words));
		json_array_append_new(params, one);
	}
	return json_pack("{s:s, s:s, s:o}", "name", op->name, "summary", op->summary, "params",
			 params);
}

static void print_all(const struct ops_options *o)
{
	json_t *list = json_array();

	for (int i = 0; operator_at(i); i++)
		if (!o->name || strcmp(operator_at(i)->name, o->name) == 0)
			json_array_append_new(list, describe(operator_at(i)));
	json_print(list);
}

static int run(int argc, char **argv)
{
	struct ops_options o = { 0 };

	if (argp_parse(&argp, argc, argv, 0, NULL, &o) != 0)
		return EXIT_USAGE;
	if (o.name && !operator_find(o.name)) {
		fprintf(stderr, "hone: %s\n", err_get());
		return EXIT_USAGE;
	}
	if (o.json) {
		print_all(&o);
		return EXIT_OK;
	}
	for (int i = 0; operator_at(i); i++) {
		if (o.name && strcmp(operator_at(i)->name, o.name) != 0)
			continue;
		print_line(operator_at(i));
		if (o.name)
			print_params(operator_at(i));
	}
	return EXIT_OK;
}

static void list_operators(struct text *out)
{
	for (int i = 0; operator_at(i); i++)
		text_printf(out, "%s%s", i ? ", " : "", operator_at(i)->name);
}

static const struct word words[] = {
	{ "OPERATOR", NULL, false, list_operators },
	{ 0 },
};

const struct command command_ops = {
	.name = "ops",
	.summary = "list operators and their parameters",
	.argp = &argp,
	.words = words,
	.run = run,
};
