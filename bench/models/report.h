/* SPDX-License-Identifier: Apache-2.0 */
/* bench/models/report.h - what a contest of whole models came to, for people and for programs. */
#ifndef HONE_BENCH_MODELS_REPORT_H
#define HONE_BENCH_MODELS_REPORT_H

#include <jansson.h>

#include "bench/contest/referee/bout.h"

/* One model's bout. */
struct model_bout {
	const char *model;	/* as the user named it */
	const char *why;	/* it was not held; NULL: it was */
	struct bout bout;
	const struct row *rows;	/* in the order of the competitors */
	const char *cpus;
};
struct model_bout_vec VEC(struct model_bout);

/* Latency, ratio, verdict, memory and start of each player; who could not, who was wrong. */
void model_report_print(const struct model_bout *m);
/* Over all models: hone beside the better of its peers. */
void model_report_print_all(const struct model_bout_vec *all);

/* The same as one object, with the absent contestants of R. */
json_t *model_report_json(const struct model_bout_vec *all, const struct roster *r);

#endif
