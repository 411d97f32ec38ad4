/* SPDX-License-Identifier: Apache-2.0 */
/* base/err.c - one message a thread. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_SIZE = 4096 };

static _Thread_local char message[MESSAGE_SIZE];

int err_set(const char *fmt, ...)
{
	char next[MESSAGE_SIZE];	/* the old message may be an argument of the new one */
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(next, sizeof(next), fmt, ap);
	va_end(ap);
	memcpy(message, next, strlen(next) + 1);
	return -1;
}

int err_prefix(const char *fmt, ...)
{
	char prefix[MESSAGE_SIZE / 4];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(prefix, sizeof(prefix), fmt, ap);
	va_end(ap);
	return err_set("%s: %.*s", prefix, MESSAGE_SIZE / 2, message);
}

const char *err_get(void)
{
	return message;
}

void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("hone: internal error: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	abort();
}
