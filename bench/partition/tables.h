/* SPDX-License-Identifier: Apache-2.0 */
/* bench/partition/tables.h - models shared with code generators, for people and for programs. */
#ifndef HONE_BENCH_PARTITION_TABLES_H
#define HONE_BENCH_PARTITION_TABLES_H

#include "bench/partition/entry.h"

/* A generator that was asked for. */
struct partition_generator {
	const char *label;	/* of its lines: its name, and how it is configured */
	const char *name;
	const char *text;	/* that it is configured by; NULL: it is not */
	const char *version;
	int lines;		/* of its sources; 0: not known */
};
struct partition_generator_vec VEC(struct partition_generator);

struct partition_report {
	struct partition_set_vec sets;
	struct partition_generator_vec generators;
	struct partition_model_vec models;
	struct partition_types { int n; const enum element *at; } types;	/* that models come in; f32 first */
	int threads;
};

/* Offload, latency, speed-up, where the time goes and what of it was told, of model I. */
void partition_tables_print(const struct partition_report *r, int i);
/* Means over models, the generators, and what words of the tables mean. */
void partition_tables_end(const struct partition_report *r);

/* All of it, a new reference; takes the JSON of the entries. */
json_t *partition_report_json(const struct partition_report *r);

#endif
