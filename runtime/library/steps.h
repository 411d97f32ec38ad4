/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/library/steps.h - the steps of stretches, added to a library.
 *
 * What returns an int returns -1 and a message where a region cannot be written. */
#ifndef HONE_RUNTIME_LIBRARY_STEPS_H
#define HONE_RUNTIME_LIBRARY_STEPS_H

#include "runtime/code.h"
#include "runtime/library/content.h"

/* What the arguments and results of the stretch that is being added are to the library. */
struct stretch_ends {
	const struct library_place *args;	/* by argument of the stretch */
	const struct library_place *results;
	size_t memory;		/* where its memory begins */
};

/* Is F a list of which the interpreter runs no part? NULL is none. */
bool flat_is_whole(const struct flat *f);

/* What is added between these is the stretch that stands for FUNCTION. */
struct library_stretch library_begin_stretch(const struct library_content *c, int function);
void library_end_stretch(struct library_content *c, struct library_stretch s);

int library_add_flat(struct library_content *c, const struct flat *f, const struct stretch_ends *ends);
/* A region that stands between lists. */
int library_add_region(struct library_content *c, const struct foreign *foreign,
		       const struct stretch_ends *ends);
/* Function FUNCTION of CODE, which is one or the other. */
int library_add_function(struct library_content *c, const struct model_code *code, int function,
			 const struct stretch_ends *ends);
void library_add_copy(struct library_content *c, struct library_place from, struct library_place to,
		      size_t bytes);

/* Where VALUE of main is, which is a parameter or a constant. */
struct library_place library_given_place(struct library_content *c, int value);

#endif
