/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kept/module.h - all that a run of a model needs in one file: its graph with all constants, its kernels as
 * shared objects, and for each code generator what it computes and what it compiled of that.
 *
 * It has the form of a kept file (runtime/kept/form.h), and is read as one. Generators' shared objects stay where
 * they are.
 * Holds: a module runs without the model's files and the cache folder, bit for bit as the model did, or is refused
 *        with the reason: it is damaged or another hone's, the machine lacks what its kernels use, a generator
 *        is gone or has another version. */
#ifndef HONE_RUNTIME_KEPT_MODULE_H
#define HONE_RUNTIME_KEPT_MODULE_H

#include "runtime/open.h"

#define MODULE_END ".hone"

/* Is PATH called as modules are? */
bool module_is(const char *path);
/* Writes M, which was opened with PLAN, to PATH. 0, or -1 and a message. */
int module_write(const char *path, const struct choice_plan *plan, const struct opened *m);
/* Opens the module O's model, in A: *OUT but for its code, as kept_recall() has it. O's backends say where
 * generators are that the module has not by name, or that are elsewhere now; its database is not read. -1 and a
 * message. */
int module_open(struct arena *a, const struct open_options *o, struct opened *out);
/* The graph in the module PATH, which is behind all passes, in A. NULL and a message. */
struct graph *module_graph(struct arena *a, const char *path);

#endif
