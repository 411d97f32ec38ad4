/* SPDX-License-Identifier: Apache-2.0 */
/* tools/run/args.h - the parts of `hone run`: its options, its inputs, its report. */
#ifndef HONE_TOOLS_RUN_ARGS_H
#define HONE_TOOLS_RUN_ARGS_H

#include "runtime/open.h"
#include "runtime/values/agree.h"
#include "tools/args/backends.h"
#include "tools/args/model.h"
#include "tools/args/words.h"

enum { RUN_MAX_INPUTS = 64 };

struct run_args {
	struct model_args m;
	struct backend_args b;
	const char *data;	/* folder with input_0.pb, ...; NULL */
	const char *output;	/* folder for results; NULL */
	const char *trace;	/* file for what ran when; NULL */
	struct {
		const char *name, *file;
	} inputs[RUN_MAX_INPUTS];
	int n_inputs;
	int repeat;
	long long seed;
	double limit_s;		/* of one loop; 0: the usual */
	bool check, profile, json, fall_back;
};

extern const struct argp run_argp;
extern const struct word run_words[];
/* Fills in ARGS; ends the program where the command line is wrong. */
void run_parse(int argc, char **argv, struct run_args *args);

/* A value for each parameter of main: from files where they were named, else random ones. -1 and a
 * message. */
int run_inputs(struct arena *a, const struct run_args *args, const struct function *main,
	       struct value *out);
/* What the data folder expects of result I, which was GOT: 1 and *OUT; 0 where it has nothing; -1 and a message. */
int run_expected(struct arena *a, const struct run_args *args, const struct function *main, int i,
		 struct value got, struct value *out);
/* Writes the results to the output folder. -1 and a message. */
int run_write(const struct run_args *args, const struct function *main,
	      const struct value *results);

/* Writes EVENTS to the file PATH. -1 and a message. */
int run_trace(const char *path, const struct session_event_vec *events);

/* One comparison: with what, and how each result did. */
struct run_check {
	const char *with;
	const struct agreement *results;	/* as many as main has */
};

/* All that is told of a run. */
struct run_report {
	const struct opened *model;
	const struct session *session;
	double start_ms;	/* from the command's start to the first results */
	const double *ms;	/* sorted, of the timed runs */
	int runs;
	const struct value *results;
	const struct run_check *checks;
	int n_checks;
};

void run_print(struct arena *a, const struct run_args *args, const struct run_report *r);
/* Do all comparisons agree? */
bool run_agrees(const struct run_report *r);

#endif
