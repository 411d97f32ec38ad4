/* SPDX-License-Identifier: Apache-2.0 */
/* measure/process/spawn.c - posix_spawn with descriptors, a clean signal state and an own group. */
#include "measure/process/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"

/* Set in a signal handler, before the process ends: nothing is started any more. */
static volatile sig_atomic_t ends;

static bool same_name(const char *a, const char *b)
{
	size_t n = strcspn(a, "=");

	return strncmp(a, b, n) == 0 && b[n] == '=';
}

char **spawn_env(struct arena *a, const char *const *set)
{
	int n = 0, kept = 0, n_set = 0;

	while (environ[n])
		n++;
	while (set[n_set])
		n_set++;
	char **env = arena_many(a, char *, n + n_set + 1);

	for (int i = 0; i < n; i++) {
		bool replaced = false;

		for (int s = 0; s < n_set; s++)
			replaced |= same_name(set[s], environ[i]);
		if (!replaced)
			env[kept++] = arena_strdup(a, environ[i]);
	}
	for (int s = 0; s < n_set; s++)
		env[kept++] = arena_strdup(a, set[s]);
	return env;
}

const char *spawn_find(struct arena *a, const char *name, const char *variable, const char *path)
{
	const char *installed = arena_printf(a, "%s/%s", HONE_LIBEXECDIR, name);

	if (!path || !*path)
		path = getenv(variable);
	if (path && *path) {
		if (access(path, X_OK) == 0)
			return arena_strdup(a, path);
		err_set("%s: no program that can be run: %s (%s names it)", path, strerror(errno),
			variable);
		return NULL;
	}
	const char *folder = program_folder(a);
	const char *beside = folder ? arena_printf(a, "%s/%s", folder, name) : installed;

	if (access(beside, X_OK) == 0)
		return beside;
	if (access(installed, X_OK) == 0)
		return installed;
	err_set("%s is neither %s nor %s (install hone, or set %s)", name, beside, installed,
		variable);
	return NULL;
}

/* Moves the descriptors above those of the child: no dup2 may overwrite the next one's source. */
static int raise_fds(const int *fds, int n_fds, int *high)
{
	for (int i = 0; i < n_fds; i++) {
		high[i] = fds[i] < 0 ? -1 : fcntl(fds[i], F_DUPFD_CLOEXEC, SPAWN_FDS);
		if (fds[i] >= 0 && high[i] < 0) {
			while (i-- > 0)
				if (high[i] >= 0)
					close(high[i]);
			return err_set("cannot duplicate a descriptor: %s (ulimit -n)",
				       strerror(errno));
		}
	}
	return 0;
}

static void set_attributes(posix_spawnattr_t *attr)
{
	sigset_t none, all;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_init(attr);
	posix_spawnattr_setpgroup(attr, 0);
	posix_spawnattr_setsigmask(attr, &none);
	posix_spawnattr_setsigdefault(attr, &all);
	posix_spawnattr_setflags(attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
					       POSIX_SPAWN_SETSIGDEF);
}

pid_t spawn_group(const char *const *argv, char *const *envp, const int *fds, int n_fds)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	int high[SPAWN_FDS];
	pid_t pid = -1;

	if (raise_fds(fds, n_fds, high) < 0)
		return -1;
	posix_spawn_file_actions_init(&actions);
	for (int i = 0; i < n_fds; i++) {
		if (high[i] < 0)
			posix_spawn_file_actions_addopen(&actions, i, "/dev/null", O_RDWR, 0);
		else
			posix_spawn_file_actions_adddup2(&actions, high[i], i);
	}
	set_attributes(&attr);
	/* posix_spawnp takes char *const[] and does not write to it. */
	char *const *args = (char *const *)(uintptr_t)argv;
	while (ends)
		pause();
	int rc = posix_spawnp(&pid, argv[0], &actions, &attr, args, envp);

	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	for (int i = 0; i < n_fds; i++)
		if (high[i] >= 0)
			close(high[i]);
	if (rc != 0)
		return err_set("%s: cannot start: %s", argv[0], strerror(rc));
	return pid;
}

int spawn_kill(pid_t pid)
{
	int status = 0;

	kill(-pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

int spawn_list(void)
{
	return open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* "12 345 ", a few bytes at a time. */
static void kill_listed(int children)
{
	char text[512];
	off_t at = 0;
	pid_t pid = 0;

	for (ssize_t n; (n = pread(children, text, sizeof(text), at)) > 0; at += n) {
		for (ssize_t i = 0; i < n; i++) {
			if (text[i] >= '0' && text[i] <= '9') {
				pid = pid * 10 + (text[i] - '0');
			} else if (pid > 0) {
				kill(-pid, SIGKILL);
				pid = 0;
			}
		}
	}
}

/* What getdents64(2) fills in. */
struct task_entry {
	uint64_t number;
	int64_t next;
	uint16_t bytes;
	uint8_t type;
	char name[];
};

/* Nothing of the C library that a handler may not call: no opendir(). */
static void kill_children(int list)
{
	_Alignas(struct task_entry) char room[1024];
	char path[64];
	long n;

	lseek(list, 0, SEEK_SET);
	while ((n = syscall(SYS_getdents64, list, room, sizeof(room))) > 0)
		for (long at = 0; at < n;) {
			const struct task_entry *e = (const void *)(room + at);
			size_t length = strlen(e->name);

			at += e->bytes;
			if (length + sizeof("/children") > sizeof(path))
				continue;
			memcpy(path, e->name, length);
			memcpy(path + length, "/children", sizeof("/children"));
			int children = openat(list, path, O_RDONLY | O_CLOEXEC);

			if (children >= 0) {
				kill_listed(children);
				close(children);
			}
		}
}

/* A child that a thread was starting is not in the list yet: it is looked at once more. */
void spawn_kill_all(int list)
{
	const struct timespec started = { .tv_nsec = 20 * 1000 * 1000 };

	if (list < 0)
		return;
	ends = 1;
	kill_children(list);
	nanosleep(&started, NULL);
	kill_children(list);
}
