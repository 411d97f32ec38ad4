/* SPDX-License-Identifier: Apache-2.0 */
/* base/tell.c - a formatted line for a listener. */
#include "base/tell.h"

#include <stdarg.h>

#include "base/text.h"

void listener_tell(const struct listener *to, enum tell_kind kind, const char *fmt, ...)
{
	struct text line = { 0 };
	va_list ap;

	if (!to->hear)
		return;
	va_start(ap, fmt);
	text_vprintf(&line, fmt, ap);
	va_end(ap);
	to->hear(to->user, kind, text_str(&line));
	text_free(&line);
}
