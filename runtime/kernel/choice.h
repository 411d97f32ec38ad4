/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kernel/choice.h - which kernel a task of a model gets.
 *
 * In:   tasks, and a database of records or none.
 * Out:  for each the kernel of its best record, or where it has none the analytic prior's guess,
 *       compiled and loaded.
 * Holds: a kernel is built by the compiler of its record where that is here. */
#ifndef HONE_RUNTIME_KERNEL_CHOICE_H
#define HONE_RUNTIME_KERNEL_CHOICE_H

#include "db/db.h"
#include "graph/task/task.h"
#include "measure/device/device.h"
#include "runtime/offload/foreign.h"
#include "runtime/kernel/kernel.h"
#include "runtime/offload/generators.h"
#include "runtime/offload/offers.h"
#include "search/best.h"

enum choice_origin {
	CHOICE_RECORD,	/* of the database, with the C text that was measured */
	CHOICE_CHANGED,	/* of the database, but its steps give another text today */
	CHOICE_GUESS,	/* the analytic prior's best schedule: nobody measured it */
	CHOICE_GENERATOR,	/* a code generator computes it at all of its places */
	CHOICE_NONE,	/* the interpreter has to */
};
const char *choice_origin_name(enum choice_origin o);
/* False where NAME is none. */
bool choice_origin_parse(const char *name, enum choice_origin *out);

/* A place where a generator's kernel stands. */
struct choice_foreign {
	int function, value;	/* as struct model_use has it */
	struct foreign *foreign;
};

struct choice {
	enum choice_origin origin;
	struct kernel kernel;	/* unless CHOICE_GENERATOR or CHOICE_NONE */
	const char *object;	/* its file */
	/* Unless it was recalled: its C text for the symbol hone_kernel, and what made the object of
	 * it, a command's name and build_pool_flags(). */
	const char *source, *cc, *flags;
	const char *why;	/* not CHOICE_RECORD: why it is none */
	uint32_t replaces;	/* its arguments that its result may replace (program_replaces()) */
	double time_us;		/* of a record: what one run took there; 0: not known */
	bool in_model;		/* there it ran as a step of a model, otherwise alone */
	double expected_us;	/* of a guess: what nobody measured (search/expect.h); 0: not known */
	/* The places where a generator computes it: all of them, and nothing above is known then, or some. */
	const struct choice_foreign *foreign;
	int nforeign;
	double foreign_us;	/* what one run took it */
	bool foreign_in_model;	/* as in_model */
	const char *foreign_why;	/* why it does not, where it was to; NULL */
};

struct choice_plan {
	struct db *db;		/* NULL: no records */
	const struct device *device;
	struct db_calibration now;	/* of the device */
	int threads;
	bool exact;		/* no kernels that derive another algorithm */
	struct offload_generators generators;
	struct offers *offers;	/* of these, those of kernels first; NULL: there are none */
	struct hash128 model_key;	/* of the model that they are for */
};

/* The records that P chooses from, with so many THREADS. */
struct db_want choice_want(const struct choice_plan *p, int threads);
/* The choices for TASKS of G, in A; *BUILT counts the kernels that had to be compiled. NULL and a message
 * where the outside world fails. */
struct choice *choose(struct arena *a, const struct graph *g, const struct model_task_vec *tasks,
		      const struct choice_plan *plan, int *built);
/* The kernels of N RECORDS, one choice each, in A; as choose() otherwise. */
struct choice *choose_records(struct arena *a, const struct best *records, int n,
			      const struct choice_plan *plan, int *built);

#endif
