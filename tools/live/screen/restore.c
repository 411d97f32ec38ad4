/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/screen/restore.c - what signal handlers may do for a terminal: write to it, and set its modes. */
#include "tools/live/screen/restore.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

/* Those that end a process at once. Of the others main() and ncurses hear. */
static const int fatal[] = { SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGALRM, SIGXCPU };
enum { FATAL = sizeof(fatal) / sizeof(*fatal), ESCAPES = 256 };

/* A handler of signals finds nothing but what is static; there is one terminal. */
static struct {
	struct termios modes;
	bool has_modes;
	char escapes[ESCAPES];
	size_t bytes;
	struct sigaction before[FATAL];
	int kept;		/* a file in memory in the place of stderr; -1: stderr is no terminal */
	int real;		/* stderr */
} saved = { .kept = -1, .real = -1 };

static void say(int fd, const char *s, size_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, s, n);

		if (done <= 0)
			return;
		s += done;
		n -= (size_t)done;
	}
}

/* Only what may be called in a handler. */
static void give_back_stderr(void)
{
	char part[1024];
	ssize_t n;

	if (saved.kept < 0)
		return;
	dup2(saved.real, STDERR_FILENO);
	for (off_t at = 0; (n = pread(saved.kept, part, sizeof(part), at)) > 0; at += n)
		say(STDERR_FILENO, part, (size_t)n);
	close(saved.kept);
	close(saved.real);
	saved.kept = saved.real = -1;
}

static void end(int number)
{
	say(STDOUT_FILENO, saved.escapes, saved.bytes);
	if (saved.has_modes)
		tcsetattr(STDIN_FILENO, TCSANOW, &saved.modes);
	give_back_stderr();
	raise(number);	/* the handler is the system's own again */
}

static void keep_stderr(void)
{
	if (!isatty(STDERR_FILENO))
		return;
	int kept = memfd_create("stderr", MFD_CLOEXEC);

	saved.real = kept < 0 ? -1 : dup(STDERR_FILENO);
	if (saved.real < 0 || dup2(kept, STDERR_FILENO) < 0) {
		if (kept >= 0)
			close(kept);
		if (saved.real >= 0)
			close(saved.real);
		saved.real = -1;
		return;
	}
	saved.kept = kept;
}

void restore_begin(const char *to_plain)
{
	const struct sigaction act = { .sa_handler = end, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER) };

	saved.has_modes = tcgetattr(STDIN_FILENO, &saved.modes) == 0;
	saved.bytes = strnlen(to_plain, ESCAPES);
	memcpy(saved.escapes, to_plain, saved.bytes);
	keep_stderr();
	for (int i = 0; i < FATAL; i++)
		sigaction(fatal[i], &act, &saved.before[i]);
}

void restore_end(void)
{
	for (int i = 0; i < FATAL; i++)
		sigaction(fatal[i], &saved.before[i], NULL);
	give_back_stderr();
}
