/* SPDX-License-Identifier: Apache-2.0 */
/* tools/model/tasks.c - `hone tasks`: what of a model can be tuned, or what a list names. */
#include <argp.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "graph/model.h"
#include "graph/task/task.h"
#include "tools/args/dims.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/source.h"

struct tasks_options {
	const char *source;
	bool json;
	struct dim_options dims;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct tasks_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->dims;
		return 0;
	case 'j':
		o->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			argp_error(state, "one SOURCE at a time");
		o->source = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which SOURCE?");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp_option option_list[] = {
	{ "json", 'j', NULL, 0, "print a JSON array", 0 },
	{ 0 },
};

static const struct argp_child children[] = { { &dims_argp, 0, NULL, 0 }, { 0 } };

static const struct argp argp = {
	.options = option_list,
	.parser = parse,
	.children = children,
	.args_doc = "SOURCE",
	.doc = "Lists the distinct tasks of SOURCE, an ONNX model, an operator (as hone ops has "
	       "them, or a *.te file) or a list of these (*.tasks): operator, shape, how often "
	       "it occurs, MFLOP of one run, and the task's key in a database. What cannot be "
	       "tuned is listed with the reason.\v"
	       "Example:\n"
	       "  hone tasks resnet18.onnx\n"
	       "  hone tasks operators.tasks\n"
	       "  hone tasks matmul:m=512,n=512,k=512\n"
	       "  hone tasks --dim batch_size=1 --json bert.onnx",
};

static int width(const struct model_task_vec *tasks, bool shape)
{
	size_t most = 8;

	for (int i = 0; i < tasks->n; i++) {
		size_t n = strlen(shape ? tasks->at[i].shape : tasks->at[i].op);

		most = n > most ? n : most;
	}
	return most < 60 ? (int)most : 60;
}

static void print_table(const struct model_task_vec *tasks)
{
	int op = width(tasks, false);
	int shape = width(tasks, true);
	double flop = 0;
	int tunable = 0, other = 0;

	printf("%-*s  %-*s %6s %9s  %s\n", op, "operator", shape, "shape", "weight", "MFLOP",
	       "task");
	for (int i = 0; i < tasks->n; i++) {
		const struct model_task *t = &tasks->at[i];
		char hex[HASH_TEXT];

		printf("%-*s  %-*s %6d ", op, t->op, shape, t->shape, t->weight);
		if (t->dag)
			printf("%9.3f  %s\n", t->flop / 1e6, hash_text(t->key, hex));
		else
			printf("%9s  not tunable: %s\n", "-", t->reason);
		flop += t->flop * t->weight;
		*(t->dag ? &tunable : &other) += t->weight;
	}
	printf("%d tasks for %d kernels, %.1f MFLOP; %d operators are not tunable\n",
	       tasks->n, tunable, flop / 1e6, other);
}

static void print_all(const struct model_task_vec *tasks)
{
	json_t *all = json_array();

	for (int i = 0; i < tasks->n; i++) {
		const struct model_task *t = &tasks->at[i];
		json_t *one = json_object();
		char hex[HASH_TEXT];

		json_object_set_new(one, "task",
				    t->dag ? json_string(hash_text(t->key, hex)) : json_null());
		json_object_set_new(one, "op", json_label(t->op));
		json_object_set_new(one, "shape", json_label(t->shape));
		json_object_set_new(one, "weight", json_integer(t->weight));
		json_object_set_new(one, "flop", json_real(t->flop));
		if (!t->dag)
			json_object_set_new(one, "reason", json_label(t->reason));
		json_array_append_new(all, one);
	}
	json_print(all);
}

static int model(struct arena *a, const struct tasks_options *o, struct model_task_vec *out)
{
	struct onnx_options options = { .dims = o->dims.at, .ndims = o->dims.n };
	struct graph *g = model_open(a, o->source, &options, NULL, NULL);

	if (!g)
		return -1;
	*out = graph_tasks(a, g);
	return 0;
}

/* What is no model, in the terms of one. */
static int others(struct arena *a, const struct tasks_options *o, struct model_task_vec *out)
{
	struct task_vec tasks = { 0 };

	if (o->dims.n)
		return err_set("--dim is for models: %s leaves no dim open", o->source);
	if (source_tasks(a, o->source, NULL, &tasks) < 0)
		return -1;
	for (int i = 0; i < tasks.n; i++) {
		const struct task *t = tasks.at[i];
		size_t colon = strcspn(t->name, ":");
		const char *params = t->name + colon + (t->name[colon] == ':');
		struct model_task m = { .op = t->op, .shape = *params ? params : t->shape,
					.dag = t->dag, .key = dag_key(t->dag),
					.flop = t->flop, .weight = (int)t->weight };

		vec_push(a, out, m);
	}
	return 0;
}

static int run(int argc, char **argv)
{
	struct tasks_options o = { 0 };
	struct model_task_vec tasks = { 0 };
	struct arena *a = arena_new();

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	int rc = source_is_model(o.source) ? model(a, &o, &tasks) : others(a, &o, &tasks);

	if (rc == 0 && o.json)
		print_all(&tasks);
	else if (rc == 0)
		print_table(&tasks);
	arena_free(a);
	return rc < 0 ? command_failed() : EXIT_OK;
}

const struct command command_tasks = {
	.name = "tasks",
	.summary = "list the tasks of a model, a list or an operator",
	.argp = &argp,
	.run = run,
};
