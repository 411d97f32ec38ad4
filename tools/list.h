/* SPDX-License-Identifier: Apache-2.0 */
/* tools/list.h - a text file that lists tasks. */
#ifndef HONE_TOOLS_LIST_H
#define HONE_TOOLS_LIST_H

#include "search/task.h"

/* The tasks of the list NAME, in the order of their first line: on each an operator of the library
 * or a file *.te relative to the list, `N x ` in front where it counts N times. A bare name that is
 * not here is looked for among the lists that come with hone. -1 and a message with the line. */
int list_tasks(struct arena *a, const char *name, struct task_vec *out);
/* The same of TEXT, which is cut up; PATH is what messages name, and where files of it are. */
int list_parse(struct arena *a, const char *path, char *text, struct task_vec *out);

#endif
