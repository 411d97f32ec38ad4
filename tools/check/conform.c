/* SPDX-License-Identifier: Apache-2.0 */
/* tools/check/conform.c - `hone conform`: the standard's own tests, each in a process of its own. */
#include <argp.h>
#include <fnmatch.h>
#include <ftw.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/vec.h"
#include "measure/build/pool.h"
#include "tools/args/words.h"
#include "tools/check/conform_case.h"
#include "tools/command.h"
#include "tools/json.h"

/* Cases are small; the real networks among them take a few seconds and a few hundred MB. */
enum { USUAL_SECONDS = 60, OUTPUT_BYTES = 4096, KEY_ONLY = 256, KEY_LIST, KEY_CASE };
#define CASE_MEMORY ((size_t)8 << 30)

struct conform_options {
	const char *folder;
	const char *only;	/* NULL: all */
	int jobs;
	double seconds;
	bool json, list, alone;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct conform_options *o = state->input;
	char *end;

	switch (key) {
	case 'j':
		o->json = true;
		return 0;
	case 'J':
		o->jobs = (int)strtol(arg, &end, 10);
		if (*end || o->jobs < 1 || o->jobs > 1024)
			argp_error(state, "--jobs '%s': give a number from 1 to 1024", arg);
		return 0;
	case 's':
		o->seconds = strtod(arg, &end);
		if (*end || !(o->seconds > 0))
			argp_error(state, "--seconds '%s': give a number above 0", arg);
		return 0;
	case KEY_ONLY:
		o->only = arg;
		return 0;
	case KEY_LIST:
		o->list = true;
		return 0;
	case KEY_CASE:
		o->alone = true;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			argp_error(state, "one DIR at a time");
		o->folder = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which DIR?");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp_option option_list[] = {
	{ "json", 'j', NULL, 0, "print a JSON object", 0 },
	{ "jobs", 'J', "N", 0, "so many cases at once; default: as there are cores", 0 },
	{ "seconds", 's', "S", 0, "a case that takes longer has failed; default 60", 0 },
	{ "only", KEY_ONLY, "PATTERN", 0, "cases whose name fits, as a shell's: '*conv*'", 0 },
	{ "list", KEY_LIST, NULL, 0, "print the names of the cases, run none", 0 },
	{ "case", KEY_CASE, NULL, OPTION_HIDDEN, "DIR is one case: run it in this process", 0 },
	{ 0 },
};

static const struct argp argp = {
	.options = option_list,
	.parser = parse,
	.args_doc = "DIR",
	.doc = "Runs the conformance tests below DIR in the interpreter: each folder with a "
	       "model.onnx and folders test_data_set_N of input_I.pb and output_I.pb, as ONNX "
	       "has them, is a case. It passes where the outputs have the expected types and "
	       "shapes and their elements are within ONNX's tolerance. A case whose model cannot "
	       "be read is unsupported; those that failed or are unsupported are printed with "
	       "the reason. The exit status is 3 where one failed.\v"
	       "Example:\n"
	       "  hone conform /usr/lib/python3/dist-packages/onnx/backend/test/data\n"
	       "  hone conform tests --only '*softmax*' --json",
};

/* --- the cases */

struct conform_name {
	const char *name;	/* the folder, relative to DIR */
	const char *folder;
};

struct conform_name_vec VEC(struct conform_name);

/* For nftw(3), which hands nothing on. */
static struct {
	struct arena *arena;
	size_t prefix;	/* of DIR in paths */
	const char *only;
	struct conform_name_vec cases;
} walk;

static int visit(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	if (type != FTW_F || strcmp(path + at->base, "model.onnx") != 0)
		return 0;
	size_t end = at->base > 0 ? (size_t)at->base - 1 : 0;
	size_t begin = walk.prefix < end ? walk.prefix : end;
	struct conform_name c = { arena_strndup(walk.arena, path + begin, end - begin),
				  arena_strndup(walk.arena, path, end) };

	if (!walk.only || fnmatch(walk.only, c.name, 0) == 0)
		vec_push(walk.arena, &walk.cases, c);
	return 0;
}

static int by_name(const void *x, const void *y)
{
	return strcmp(((const struct conform_name *)x)->name,
		      ((const struct conform_name *)y)->name);
}

static int find_cases(struct arena *a, const struct conform_options *o,
		      struct conform_name_vec *out)
{
	size_t n = strlen(o->folder);

	while (n > 1 && o->folder[n - 1] == '/')
		n--;
	walk.arena = a;
	walk.prefix = n + 1;
	walk.only = o->only;
	if (nftw(arena_strndup(a, o->folder, n), visit, 16, 0) < 0)
		return err_set("%s: cannot read this folder", o->folder);
	*out = walk.cases;
	if (out->n == 0)
		return err_set("%s: no case there%s (a case is a folder with a model.onnx)",
			       o->folder, o->only ? " whose name fits" : "");
	qsort(out->at, (size_t)out->n, sizeof(*out->at), by_name);
	return 0;
}

/* --- running them */

struct conform_result {
	enum conform_status status;
	const char *why;
};

static struct conform_result judge(struct arena *a, const struct command_run *run, double seconds)
{
	struct conform_result r = { CONFORM_FAILED, "" };

	if (run->timed_out) {
		r.why = arena_printf(a, "no end within %g s", seconds);
		return r;
	}
	if (WIFSIGNALED(run->status)) {
		r.why = arena_printf(a, "it died of signal %d (%s): a fault of hone",
				     WTERMSIG(run->status), strsignal(WTERMSIG(run->status)));
		return r;
	}
	r.why = arena_strndup(a, run->output, strcspn(run->output, "\n"));
	for (int s = CONFORM_PASSED; s <= CONFORM_UNSUPPORTED; s++) {
		const char *name = conform_status_name((enum conform_status)s);
		size_t n = strlen(name);

		if (strncmp(r.why, name, n) == 0) {
			r.status = (enum conform_status)s;
			r.why += n + strspn(r.why + n, ": ");
			break;
		}
	}
	return r;
}

static struct conform_result *run_cases(struct arena *a, const struct conform_options *o,
					const struct conform_name_vec *cases)
{
	struct command_run *runs = arena_many(a, struct command_run, cases->n);
	struct conform_result *results = arena_many(a, struct conform_result, cases->n);
	struct pool_limits limits = { .jobs = o->jobs, .limit_s = o->seconds,
				      .memory = CASE_MEMORY, .output = OUTPUT_BYTES };

	for (int i = 0; i < cases->n; i++) {
		const char **argv = arena_many(a, const char *, 5);

		argv[0] = "/proc/self/exe";
		argv[1] = "conform";
		argv[2] = "--case";
		argv[3] = cases->at[i].folder;
		runs[i].argv = argv;
	}
	if (pool_run(a, runs, cases->n, &limits, environ) < 0)
		return NULL;
	for (int i = 0; i < cases->n; i++)
		results[i] = judge(a, &runs[i], o->seconds);
	return results;
}

static int run_alone(struct arena *a, const struct conform_options *o)
{
	const char *why;
	enum conform_status status = conform_case(a, o->folder, &why);

	printf("%s%s%s\n", conform_status_name(status), *why ? ": " : "", why);
	return EXIT_OK;
}

/* --- telling */

static void count(const struct conform_result *results, int n, int *counts)
{
	for (int i = 0; i < n; i++)
		counts[results[i].status]++;
}

static void print_table(const struct conform_name_vec *cases,
			const struct conform_result *results, const int *counts)
{
	for (int i = 0; i < cases->n; i++)
		if (results[i].status != CONFORM_PASSED)
			printf("%s %s: %s\n", conform_status_name(results[i].status),
			       cases->at[i].name, results[i].why);
	printf("%d cases: %d passed, %d failed, %d unsupported\n", cases->n,
	       counts[CONFORM_PASSED], counts[CONFORM_FAILED], counts[CONFORM_UNSUPPORTED]);
}

static void print_all(const struct conform_name_vec *cases, const struct conform_result *results,
		      const int *counts)
{
	json_t *all = json_object(), *list = json_array();

	for (int s = CONFORM_PASSED; s <= CONFORM_UNSUPPORTED; s++)
		json_object_set_new(all, conform_status_name((enum conform_status)s),
				    json_integer(counts[s]));
	for (int i = 0; i < cases->n; i++) {
		json_t *one = json_object();
		const char *why = results[i].why;

		json_object_set_new(one, "name", json_label(cases->at[i].name));
		json_object_set_new(one, "status",
				    json_string(conform_status_name(results[i].status)));
		json_object_set_new(one, "reason", *why ? json_label(why) : json_null());
		json_array_append_new(list, one);
	}
	json_object_set_new(all, "cases", list);
	json_print(all);
}

static int run_all(struct arena *a, const struct conform_options *o)
{
	struct conform_name_vec cases;
	int counts[CONFORM_UNSUPPORTED + 1] = { 0 };

	if (find_cases(a, o, &cases) < 0)
		return command_failed();
	if (o->list) {
		for (int i = 0; i < cases.n; i++)
			printf("%s\n", cases.at[i].name);
		return EXIT_OK;
	}
	struct conform_result *results = run_cases(a, o, &cases);

	if (!results)
		return command_failed();
	count(results, cases.n, counts);
	if (o->json)
		print_all(&cases, results, counts);
	else
		print_table(&cases, results, counts);
	return counts[CONFORM_FAILED] ? EXIT_FAILED : EXIT_OK;
}

static int run(int argc, char **argv)
{
	struct conform_options o = { .jobs = (int)sysconf(_SC_NPROCESSORS_ONLN),
				     .seconds = USUAL_SECONDS };
	struct arena *a = arena_new();

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	int rc = o.alone ? run_alone(a, &o) : run_all(a, &o);

	arena_free(a);
	return rc;
}

static const struct word words[] = {
	{ "PATTERN", NULL, false, NULL },
	{ 0 },
};

const struct command command_conform = {
	.name = "conform",
	.summary = "run the standard's own tests of models",
	.argp = &argp,
	.words = words,
	.run = run,
};
