/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/flush.c - a crew of threads, each bound to one CPU, that meets at two barriers. */
#include "measure/runner/flush.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

enum { LINE = 64, STACK = 64 << 10 };

/* Far more than a thread takes to fall asleep at the next barrier, and little against flushing. */
enum { ASLEEP_NS = 100000 };

struct flusher {
	struct flush *flush;
	size_t cpu;
	volatile char *data;
};

struct flush {
	pthread_barrier_t begin, end;
	size_t bytes;		/* for each member */
	struct flusher *members;
	int n;
};

static void *serve(void *arg)
{
	const struct flusher *m = arg;
	cpu_set_t own;

	CPU_ZERO(&own);
	CPU_SET(m->cpu, &own);
	/* where it is refused, the kernel's placement has to do */
	sched_setaffinity(0, sizeof(own), &own);
	for (;;) {
		pthread_barrier_wait(&m->flush->begin);
		/* Writing takes the lines away from other cores, too. */
		for (size_t i = 0; i < m->flush->bytes; i += LINE)
			m->data[i]++;
		pthread_barrier_wait(&m->flush->end);
	}
	return NULL;
}

/* A barrier that is never reached by all keeps those waiting that were started. */
static bool start(struct flush *f)
{
	pthread_attr_t attr;
	bool ok = pthread_attr_init(&attr) == 0 && pthread_attr_setstacksize(&attr, STACK) == 0;

	for (int i = 0; i < f->n && ok; i++) {
		pthread_t thread;

		ok = pthread_create(&thread, &attr, serve, &f->members[i]) == 0 &&
		     pthread_detach(thread) == 0;
	}
	pthread_attr_destroy(&attr);
	return ok;
}

static bool map_members(struct flush *f)
{
	char *data = mmap(NULL, f->bytes * (size_t)f->n, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (data == MAP_FAILED)
		return false;
	for (int i = 0; i < f->n; i++)
		f->members[i].data = data + (size_t)i * f->bytes;
	return true;
}

struct flush *flush_new(size_t shared, size_t private)
{
	struct flush *f = calloc(1, sizeof(*f));
	cpu_set_t own;

	if (!f || sched_getaffinity(0, sizeof(own), &own) < 0)
		return NULL;
	f->members = calloc((size_t)CPU_COUNT(&own), sizeof(*f->members));
	if (!f->members)
		return NULL;
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &own))
			f->members[f->n++] = (struct flusher){ .flush = f, .cpu = cpu };
	f->bytes = shared / (size_t)f->n + LINE;
	if (f->bytes < private)
		f->bytes = private;
	pthread_barrier_init(&f->begin, NULL, (unsigned)f->n + 1);
	pthread_barrier_init(&f->end, NULL, (unsigned)f->n + 1);
	return map_members(f) && start(f) ? f : NULL;
}

void flush_caches(struct flush *f)
{
	if (!f)
		return;
	pthread_barrier_wait(&f->begin);
	pthread_barrier_wait(&f->end);
	nanosleep(&(struct timespec){ .tv_nsec = ASLEEP_NS }, NULL);
}
