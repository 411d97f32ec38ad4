/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/library/regions.h - what of a library code generators compute. */
#ifndef HONE_RUNTIME_LIBRARY_REGIONS_H
#define HONE_RUNTIME_LIBRARY_REGIONS_H

#include "base/text.h"
#include "runtime/library/content.h"
#include "runtime/library/files.h"

/* The generators and regions that text/foreign.c.in makes ready, as static data of C; their constants are
 * among the weights of the library NAME. */
void library_region_tables(struct text *out, struct library_content *c, const char *name);

/* Which generators the library needs, a line of a comment each, behind BEGIN; the last without its end. */
void library_generator_lines(struct text *out, const struct library_content *c, const char *begin);

/* Their shared objects by path from the library's folder, with blanks between; in the content's arena. */
const char *library_generator_files(const struct library_content *c, const char *name);

/* Copies the generators' shared objects to the folder that the library NAME looks for them in. -1 and a
 * message. */
int library_put_generators(const struct library_folder *f, const struct library_content *c,
			   const char *name);

#endif
