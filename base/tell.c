/* SPDX-License-Identifier: Apache-2.0 */
/* base/tell.c - a formatted line for a listener. */
#include "base/tell.h"

#include <stdarg.h>

#include "base/text.h"

bool tell_is_line(const struct tell *t)
{
	return t->kind == TELL_NOTE || t->kind == TELL_WARNING || t->kind == TELL_STUCK;
}

void listener_send(const struct listener *to, const struct tell *t)
{
	if (to->hear)
		to->hear(to->user, t);
}

void listener_tell(const struct listener *to, enum tell_kind kind, const char *fmt, ...)
{
	struct text line = { 0 };
	va_list ap;

	if (!to->hear)
		return;
	va_start(ap, fmt);
	text_vprintf(&line, fmt, ap);
	va_end(ap);
	listener_send(to, &(struct tell){ .kind = kind, .line = text_str(&line) });
	text_free(&line);
}
