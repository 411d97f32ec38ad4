/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/api.c - include/hone.h in terms of the layers above. */
#include "base/err.h"
#include "config.h"
#include "include/hone.h"

const char *hone_version(void)
{
	return PACKAGE_VERSION;
}

const char *hone_error(void)
{
	return err_get();
}
