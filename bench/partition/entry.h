/* SPDX-License-Identifier: Apache-2.0 */
/* bench/partition/entry.h - what sharing models with code generators came to.
 *
 * In:   models, each settled with one generator, or with several.
 * Out:  of each the three plans: how much is offloaded, how long it takes, and for what.
 * Holds: nothing of a model stays open. */
#ifndef HONE_BENCH_PARTITION_ENTRY_H
#define HONE_BENCH_PARTITION_ENTRY_H

#include <jansson.h>

#include "runtime/offload/shares.h"

/* One plan of a model. */
struct entry_plan {
	double us, predicted_us;
	int unknown;		/* as struct settled_plan has them */
	bool agrees;
	struct run_spent spent;
	struct plan_offload offload;
};

/* A model with some generators. */
struct partition_entry {
	const char *why;	/* it was not run; NULL: it was */
	struct entry_plan plans[SETTLED_PLANS];
	struct comparison with_host, with_all;
	struct comparison with_f32;	/* of a narrow model, as it is run, against the one of floats as that is */
	int chosen;		/* the plan that `hone run` takes */
	json_t *json;		/* what `hone partition --json` tells but for kernels; NULL where it was not run */
};

/* Generators that are given together. */
struct partition_set {
	const char *label;
	const char *const *backends;	/* as the user names them */
	int n;
};
struct partition_set_vec VEC(struct partition_set);

struct partition_model {
	const char *model;	/* as the user names it */
	enum element as;	/* what its sums are made of; f32: as they are */
	const char *why;	/* it cannot be opened; NULL: it can */
	const struct partition_entry *entries;	/* by set, unless it cannot */
};
struct partition_model_vec VEC(struct partition_model);

/* O's model with the generators of SET, for about SECONDS; in A, but for the JSON, which is the caller's to give
 * back. */
struct partition_entry partition_entry_new(struct arena *a, const struct open_options *o,
					   const struct partition_set *set, double seconds);
/* Was it run, and are all plans' results those of hone alone? */
bool partition_entry_is_sound(const struct partition_entry *e);

/* Compares the model that WITH opens, as it is run with the generators of SET, with that of FLOATS, which E is to
 * tell. -1 and a message. */
int partition_entry_compare(struct partition_entry *e, const struct open_options *with,
			    const struct open_options *floats, const struct partition_set *set, double seconds);

/* The speed-up of the plan by cost, geometric means over the models AS that are sound with a set. */
struct partition_mean {
	int models;
	double over_host, over_all;
	double over_f32;	/* of what is run, over what is of the model of floats */
	int predicted;		/* of the models, those whose predictions lack nothing */
	double predicted_over_host, predicted_over_all;
};
struct partition_mean partition_mean_of(const struct partition_model_vec *all, enum element as, int set);

/* Of the plan by cost over PLAN, as was predicted, at the speed of hone alone; 0: of a kernel of either nothing is
 * known. */
double partition_predicted(const struct partition_entry *e, int plan);

#endif
