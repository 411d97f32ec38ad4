/* SPDX-License-Identifier: Apache-2.0 */
/* tools/report/page.h - the sections of the page, in its order. Each writes itself from what was read.
 *
 * A plot stands in front of the table that it shows: the script draws what the table says, so both are the
 * same figures, and a page without scripts has them all. */
#ifndef HONE_TOOLS_REPORT_PAGE_H
#define HONE_TOOLS_REPORT_PAGE_H

#include "tools/report/data.h"

void write_summary(FILE *to, const struct report_data *r);
void write_tasks(FILE *to, const struct report_data *r);
void write_roofline(FILE *to, const struct report_data *r);
void write_search(FILE *to, const struct report_data *r);
void write_machine(FILE *to, const struct report_data *r);
/* A section for each task, with its kernel. -1 and a message, for kernels' assembly. */
int write_each_task(FILE *to, const struct report_data *r);

/* Of a simulated device: its roofs, and all of its description. */
void write_described_rates(FILE *to, const struct device *d);
void write_described_device(FILE *to, const struct device *d);

/* What is called KIND ("steps", "line", "points") of the table that follows: its columns X, and Y, which may be
 * several as in "1,2", from 0. AXES is "", or which are logarithmic: "x", "y" or "xy". */
void write_plot(FILE *to, const char *kind, int x, const char *y, const char *axes);
/* A link to the section of T, its name as text. */
void write_task_link(FILE *to, const struct report_task *t);

#endif
