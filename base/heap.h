/* SPDX-License-Identifier: Apache-2.0 */
/* base/heap.h - how malloc keeps what was freed. */
#ifndef HONE_BASE_HEAP_H
#define HONE_BASE_HEAP_H

/* From now on memory that was freed goes back to the system where it can, however much was needed for a moment: for
 * programs that run for days. It is the whole process that this changes, so programs do it, not libraries. */
void heap_give_back(void);

#endif
