/* SPDX-License-Identifier: Apache-2.0 */
/* measure/build/kept_objects.h - the objects of the fastest kernels of late: these are measured again, and need not
 * be compiled again for that.
 *
 * In:   trials that were measured, with their objects.
 * Out:  for a trial with the same text, that object. */
#ifndef HONE_MEASURE_BUILD_KEPT_OBJECTS_H
#define HONE_MEASURE_BUILD_KEPT_OBJECTS_H

#include "base/hash.h"
#include "measure/trial.h"

/* Several threads may use it at a time. */
struct kept_objects;

struct kept_objects *kept_objects_new(void);
/* Removes the files, too. */
void kept_objects_free(struct kept_objects *k);

/* Takes the object of T, which is OK, where it is among the fastest KEPT_OF_TASK of TASK; T has none any more then. */
void kept_objects_take(struct kept_objects *k, struct hash128 task, struct trial *t);
/* Gives T, which is PENDING, an object of its text where there is one, in A; it is T's to discard. */
void kept_objects_give(struct arena *a, struct kept_objects *k, struct trial *t);

/* As many as a task's finals begin with (search/campaign/confirm.c), and as many for what these move up. */
enum { KEPT_OF_TASK = 12 };

#endif
