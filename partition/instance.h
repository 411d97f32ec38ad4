/* SPDX-License-Identifier: Apache-2.0 */
/* partition/instance.h - the code of generators in this process.
 *
 * In:   a shared object, and how it is to be configured.
 * Out:  its table.
 * Holds: who asks for the same gets the same; each configuration has variables of its own, and is configured
 *        once. */
#ifndef HONE_PARTITION_INSTANCE_H
#define HONE_PARTITION_INSTANCE_H

#include "include/hone_generator.h"

/* The generator of the shared object at PATH, configured by TEXT (NULL: not), as long as the process. NULL and a
 * message, which calls it NAME. */
const struct hone_generator *instance_load(const char *name, const char *path, const char *text);

#endif
