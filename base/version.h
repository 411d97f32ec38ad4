/* SPDX-License-Identifier: Apache-2.0 */
/* base/version.h - which hone measured: what records keep.
 *
 * Holds: of a clone it tells commits apart; what was built of a tarball has the plain version. */
#ifndef HONE_BASE_VERSION_H
#define HONE_BASE_VERSION_H

#include <stdbool.h>

/* "0.2.0+g0123456789ab", with ".changed" behind it where files that git tracks differed from that commit; or "0.2.0".
 * What else is compared with a version, or shown, is PACKAGE_VERSION: nothing but records changes with a commit. */
const char *version_stamp(void);

/* Whether STAMP is meant by WANTED: it, its version of whatever commit ("0.2.0"), or the beginning of its commit,
 * of four digits at least ("0123", "g0123", "0.2.0+g0123"). */
bool version_matches(const char *stamp, const char *wanted);

#endif
