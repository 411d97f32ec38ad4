/* SPDX-License-Identifier: Apache-2.0 */
/* base/version.c - the version, and the commit it was built of. */
#include "base/version.h"

#include <string.h>

/* What stands between the version and the commit. */
#define MARK "+g"

enum { LEAST_DIGITS = 4 };	/* as git has it */

const char *version_stamp(void)
{
	static const char stamp[] =
#include "base/stamp.inc"
		;

	return stamp;
}

bool version_matches(const char *stamp, const char *wanted)
{
	const char *mark = strstr(stamp, MARK), *commit = mark ? mark + strlen(MARK) : "";
	size_t version = mark ? (size_t)(mark - stamp) : strlen(stamp);
	const char *wanted_mark = strstr(wanted, MARK);

	if (strcmp(stamp, wanted) == 0 || (strlen(wanted) == version && strncmp(stamp, wanted, version) == 0))
		return true;
	if (wanted_mark) {
		if ((size_t)(wanted_mark - wanted) != version || strncmp(stamp, wanted, version) != 0)
			return false;
		wanted = wanted_mark + strlen(MARK);
	} else if (*wanted == 'g') {
		wanted++;
	}
	return strlen(wanted) >= LEAST_DIGITS && strncmp(commit, wanted, strlen(wanted)) == 0;
}
