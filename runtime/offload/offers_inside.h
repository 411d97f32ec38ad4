/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/offers_inside.h - what offers are made of, for offers.c and offers_db.c only. */
#ifndef HONE_RUNTIME_OFFLOAD_OFFERS_INSIDE_H
#define HONE_RUNTIME_OFFLOAD_OFFERS_INSIDE_H

#include "graph/ir/names.h"
#include "runtime/offload/offers.h"

/* What is known of one task and one of those who compute it. */
struct known_offer {
	struct offer alone, in_model;	/* us is 0 where it is not known */
};

struct known_offer_vec VEC(struct known_offer);

/* What was measured and is yet to be saved. */
struct learned_offer {
	const char *key, *name, *text;	/* as struct db_task has them */
	double flop;
	struct offer what;
	const double *samples;
	int n;
};

struct learned_offer_vec VEC(struct learned_offer);

struct offers {
	struct arena *arena;
	const struct offers_options *options;
	enum offload_policy policy;
	struct hash128 model;		/* that they are for */
	bool forced;			/* not all of it may be hone's */
	double *ratio;			/* by backend, in models over alone; 0: to be found */
	struct names places;		/* "KEY who", to index of known */
	struct known_offer_vec known;
	struct learned_offer_vec learned;
};

/* By number, below OFFER_HOST: whole models, and figures of them. */
static inline int plan_backend(enum offload_policy policy)
{
	return OFFER_HOST - 1 - (int)policy;
}

static inline int figure_backend(enum offers_figure which)
{
	return plan_backend(OFFLOAD_POLICIES) - (int)which;
}

enum { LAST_OF_ALL = OFFER_HOST - OFFLOAD_POLICIES - OFFERS_FIGURES };

/* WHAT is known of KEY from now on. */
void offers_set(struct offers *o, const char *key, const struct offer *what);
/* All that databases have. -1 and a message. */
int offers_read(struct offers *o);

#endif
