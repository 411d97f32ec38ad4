/* SPDX-License-Identifier: Apache-2.0 */
/* bench/partition/lines.h - how long the sources of code generators are that hone was built with. */
#ifndef HONE_BENCH_PARTITION_LINES_H
#define HONE_BENCH_PARTITION_LINES_H

/* Lines of C, without blank ones and comments, of the generator that --backend names so, as they were when
 * hone was built; 0: its sources are none of hone's. */
int generator_lines(const char *backend);

#endif
