/* SPDX-License-Identifier: Apache-2.0 */
/* tools/report/kernel.h - the text of a kernel: steps, nest, C, and machine code where that is asked for. */
#ifndef HONE_TOOLS_REPORT_KERNEL_H
#define HONE_TOOLS_REPORT_KERNEL_H

#include "tools/report/data.h"

/* Bytes of text that a page has room for, so that it stays one that is sent and opened at once. Kernels whose
 * tasks take most of the time come first. */
enum { KERNEL_TEXTS = 1000 << 10 };

/* The text of T's best, and takes what it has from *ROOM; where that is not enough, how to see it. -1 and a
 * message where it was to be assembled and was not. */
int kernel_write(FILE *to, const struct report_data *r, const struct report_task *t, size_t *room);

#endif
