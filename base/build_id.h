/* SPDX-License-Identifier: Apache-2.0 */
/* base/build_id.h - which build of hone this is: what is kept from run to run may count on the code
 * that made it. */
#ifndef HONE_BASE_BUILD_ID_H
#define HONE_BASE_BUILD_ID_H

#include "base/arena.h"

/* The hash that the linker made of the program or library this code is in, as hex text in A; NULL where
 * it made none. */
const char *build_id(struct arena *a);

#endif
