/* SPDX-License-Identifier: Apache-2.0 */
/* base/err.h - the three kinds of errors.
 *
 * A bug or out of memory: die() or assert. A candidate that cannot be: false or NULL, no message.
 * The outside world: err_set("what, where, what to do") and a negative code; the command prints
 * err_get() and exits. */
#ifndef HONE_BASE_ERR_H
#define HONE_BASE_ERR_H

/* Sets the calling thread's message and returns -1, so that `return err_set(...)` reads well. */
int err_set(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Puts "PREFIX: " in front of the message that is set; returns -1. */
int err_prefix(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The calling thread's last message; "" where none was set. */
const char *err_get(void);

/* Prints the message and aborts: for what can only be a bug, or out of memory. */
_Noreturn void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
