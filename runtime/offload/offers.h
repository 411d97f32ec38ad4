/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/offers.h - what kernels of code generators take, beside hone's own.
 *
 * In:   generators; what was measured of them before, in databases.
 * Out:  for a task the generator of HONE_KERNELS that is fastest, and its time; times of regions.
 * Holds: a time stands under the version of its library, device and number of threads, in two cache states:
 *        of a kernel alone, and as a step of a model that ran, which is the one that counts where it is
 *        known. hone's own kernels have times of the second kind here, too, so that both are compared as
 *        they were measured: in turns, in models. So do whole models, by who computed them. */
#ifndef HONE_RUNTIME_OFFLOAD_OFFERS_H
#define HONE_RUNTIME_OFFLOAD_OFFERS_H

#include "db/db.h"
#include "graph/task/task.h"
#include "measure/device/device.h"
#include "partition/generators.h"

/* Who gets a task that a generator would compute. */
enum offload_policy {
	OFFLOAD_FASTEST,	/* whoever is faster */
	OFFLOAD_ALL,		/* a generator */
	OFFLOAD_NONE,		/* hone */
	OFFLOAD_POLICIES
};

enum { OFFER_HOST = -1 };

struct offers;

struct offers_options {
	const struct backend *backends;	/* of either grain */
	int n;
	const char *db;			/* file of records, also of earlier offers; NULL */
	bool writes;			/* into DB goes what is measured; otherwise into the cache folder */
	const struct device *device;
	struct db_calibration now;	/* of it */
	int threads;
	bool fall_back;			/* as struct offload_request has it */
};

/* In A; OPTIONS lives as long. NULL and a message where a database fails. */
struct offers *offers_new(struct arena *a, const struct offers_options *options);
const struct offers_options *offers_options(const struct offers *o);
/* O, or NULL where its policy is OFFLOAD_NONE: then all is as without it. O may be NULL. */
const struct offers *offers_in_use(const struct offers *o);
/* The place of B's generator among O's backends; OFFER_HOST: it is none of them. */
int offers_backend(const struct offers_options *o, const struct backend *b);
void offers_set_policy(struct offers *o, enum offload_policy policy);
enum offload_policy offers_policy(const struct offers *o);

/* One time of a task. */
struct offer {
	int backend;		/* OFFER_HOST */
	double us;		/* 0: nobody measured it */
	bool in_model;		/* as a step of one */
	bool told;		/* by the generator, and counts so: no clock was asked */
	struct hash128 source;	/* of hone's: the C text that took it */
};

/* What BACKEND takes for the task KEY; false where that is not known: it refuses it, or nobody asked. */
bool offers_get(const struct offers *o, struct hash128 key, int backend, struct offer *out);
/* Of the generators that DEMAND lets, the one that takes least, whatever the policy but OFFLOAD_NONE. */
bool offers_best(const struct offers *o, struct hash128 key, struct demand demand, struct offer *out);

/* Has FROM to go to a generator that can? */
bool offer_is_forced(const struct offers *o, const struct cut_from *from);
/* Does X get a task that was cut from FROM and takes hone HOST_US (0: not known)? */
bool offer_wins(const struct offers *o, const struct cut_from *from, const struct offer *x, double host_us);
/* What X comes to in the model that offers are for. */
double offer_cost_us(const struct offers *o, const struct offer *x);

/* BACKEND says of itself that it takes US for KEY, whatever was measured. It is asked each time: nothing of
 * that is kept. */
void offers_tell(struct offers *o, struct hash128 key, int backend, double us);
/* What was measured of TASK, N samples in us, of which WHAT has the time. Not in the databases until
 * offers_keep(). */
void offers_learn(struct offers *o, const struct model_task *task, const struct offer *what,
		  const double *samples, int n);
/* The same of a region of any size, by what it computes. */
void offers_learn_region(struct offers *o, struct hash128 key, const char *name, const struct offer *what,
			 const double *samples, int n);
/* What a model took that was shared by POLICY; 0 where nobody measured it. KEY: of the model, by its tasks. */
double offers_plan_us(const struct offers *o, struct hash128 key, enum offload_policy policy);
void offers_learn_plan(struct offers *o, struct hash128 key, enum offload_policy policy, double us,
		       const double *samples, int n);

/* By cost, unless such a model was measured and a trivial plan was faster that does what is demanded. */
enum offload_policy offers_fastest_policy(const struct offers *o, struct hash128 key);
/* What a model has told of all kernels in it. */
enum offers_figure {
	/* What each kernel of a generator cost it beside its own time, us: lists that are divided, threads that
	 * are woken. It is part of what offers come to. */
	FIGURE_LAUNCH_US,
	/* How many times as long hone's kernels took in it as their records, or expectations, have it. */
	FIGURE_HOST_RATIO,
	OFFERS_FIGURES
};

/* Of the model that offers are for; 0 where nobody measured it. */
double offers_figure(const struct offers *o, enum offers_figure which);
/* V is above 0. */
void offers_learn_figure(struct offers *o, enum offers_figure which, double v);
/* The model that offers are for from now on. FORCED: some node of it has to go to a generator. */
void offers_set_model(struct offers *o, struct hash128 key, bool forced);

/* The database of what is measured where the user has none to write to, in A; NULL: there is no folder. */
const char *offers_kept_db(struct arena *a);
/* Saves all that was learned since the last time. -1 and a message. */
int offers_keep(struct offers *o);

#endif
