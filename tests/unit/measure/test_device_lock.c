/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/measure/test_device_lock.c - one has it, the next one gets it, a dead one loses it. */
#include "tests/fixture/db_fixture.h"
#include "tests/skip.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "measure/process/device_lock.h"

static const struct listener nobody = { 0 };

static void count_lines(void *user, const struct tell *t)
{
	assert_int_equal(t->kind, TELL_WARNING);
	assert_non_null(strstr(t->line, "HONE_DEVICE_LOCK"));
	*(int *)user += 1;
}

static void use_file(struct fixture *f, const char *name)
{
	setenv("HONE_DEVICE_LOCK", arena_printf(f->a, "%s/%s", f->folder, name), 1);
}

static bool succeeds(const char *command)
{
	return system(command) == 0;
}

static void test_take(void **state)
{
	struct fixture *f = *state;
	struct stat st;

	use_file(f, "lock");
	struct device_lock *l = device_lock_new(&nobody);
	const char *path = getenv("HONE_DEVICE_LOCK");
	const char *ask = arena_printf(f->a, "flock -n %s true", path);

	device_lock_take(l);
	assert_int_equal(atoi(file_read(f->a, path, 100, NULL)), getpid());
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0666);
	bool can_ask = succeeds("command -v flock >/dev/null");

	if (!can_ask)
		skip_part("a lock that others see", "no flock: install util-linux");
	assert_true(!can_ask || !succeeds(ask));
	device_lock_release(l);
	assert_true(!can_ask || succeeds(ask));
	device_lock_free(l);
}

static void test_nowhere(void **state)
{
	struct fixture *f = *state;
	int warnings = 0;
	struct listener one = { count_lines, &warnings };
	static const char *const names[] = { "missing/lock", "link", "fifo", "twice" };

	assert_int_equal(symlink("/dev/null", arena_printf(f->a, "%s/link", f->folder)), 0);
	assert_int_equal(mkfifo(arena_printf(f->a, "%s/fifo", f->folder), 0600), 0);
	assert_ok(file_write(arena_printf(f->a, "%s/twice", f->folder), "", 0));
	assert_int_equal(link(arena_printf(f->a, "%s/twice", f->folder),
			      arena_printf(f->a, "%s/again", f->folder)), 0);
	for (int i = 0; i < 4; i++) {
		use_file(f, names[i]);
		struct device_lock *l = device_lock_new(&one);

		assert_true(device_lock_take(l) == 0);
		device_lock_release(l);
		device_lock_free(l);
		assert_int_equal(warnings, i + 1);
	}
	setenv("HONE_DEVICE_LOCK", "", 1);	/* no lock is wanted */
	device_lock_free(device_lock_new(&one));
	assert_int_equal(warnings, 4);
}

static void test_death(void **state)
{
	struct fixture *f = *state;
	int ends[2];
	char c;

	use_file(f, "lock");
	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();

	if (pid == 0) {
		device_lock_take(device_lock_new(&nobody));
		if (write(ends[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(ends[0], &c, 1), 1);
	kill(pid, SIGKILL);
	struct device_lock *l = device_lock_new(&nobody);

	device_lock_take(l);
	assert_int_equal(atoi(file_read(f->a, getenv("HONE_DEVICE_LOCK"), 100, NULL)), getpid());
	device_lock_free(l);
	waitpid(pid, NULL, 0);
	close(ends[0]);
	close(ends[1]);
}

static void *take_once(void *user)
{
	struct device_lock *l = user;

	device_lock_take(l);
	device_lock_release(l);
	return NULL;
}

/* One that lets go and takes again at once does not keep the other from its turn. */
static void test_turns(void **state)
{
	struct fixture *f = *state;
	pthread_t other;

	use_file(f, "lock");
	struct device_lock *mine = device_lock_new(&nobody), *its = device_lock_new(&nobody);

	device_lock_take(mine);
	assert_int_equal(pthread_create(&other, NULL, take_once, its), 0);
	while (pthread_tryjoin_np(other, NULL) != 0) {
		nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
		device_lock_release(mine);
		device_lock_take(mine);
	}
	device_lock_free(mine);
	device_lock_free(its);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_take, fixture_new, fixture_free),
		cmocka_unit_test_setup_teardown(test_nowhere, fixture_new, fixture_free),
		cmocka_unit_test_setup_teardown(test_death, fixture_new, fixture_free),
		cmocka_unit_test_setup_teardown(test_turns, fixture_new, fixture_free),
	};

	return cmocka_run_group_tests_name("device lock", tests, NULL, NULL);
}
