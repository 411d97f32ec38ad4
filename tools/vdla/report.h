/* SPDX-License-Identifier: Apache-2.0 */
/* tools/vdla/report.h - what a run of a VDLA took, as text. */
#ifndef HONE_TOOLS_VDLA_REPORT_H
#define HONE_TOOLS_VDLA_REPORT_H

#include "target/vdla/simulator.h"

/* For people: a table of units, what they waited for, traffic, use of the matrix unit. */
void vdla_cycles_print(struct text *out, const struct vdla_machine *m, const struct vdla_cycles *c);
/* For Perfetto (Chrome's trace event format): a lane for each unit, an arrow for each token. */
void vdla_trace_print(struct text *out, const struct vdla_binary *b, const struct vdla_span *spans);

#endif
