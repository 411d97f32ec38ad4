/* SPDX-License-Identifier: Apache-2.0 */
/* measure/build/kept_objects.c - a list with the hash of each text. */
#include "measure/build/kept_objects.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"

/* Objects have some 0.1 MB, or eight times that where others share them (measure/build/builder.c). */
enum { KEPT_IN_ALL = 256 };

struct kept_object {
	struct hash128 task, text;
	char *object, *symbol;
	double time_us;
};

struct kept_objects {
	pthread_mutex_t mutex;
	struct kept_object at[KEPT_IN_ALL];
	int n;
	int oldest;	/* makes room where all are taken */
	int given;	/* names so far: they count up */
};

struct kept_objects *kept_objects_new(void)
{
	struct kept_objects *k = calloc(1, sizeof(*k));

	if (!k)
		die("out of memory");
	pthread_mutex_init(&k->mutex, NULL);
	return k;
}

static void drop(struct kept_object *o)
{
	unlink(o->object);
	free(o->object);
	free(o->symbol);
}

void kept_objects_free(struct kept_objects *k)
{
	if (!k)
		return;
	for (int i = 0; i < k->n; i++)
		drop(&k->at[i]);
	pthread_mutex_destroy(&k->mutex);
	free(k);
}

static char *copy(const char *s)
{
	char *to = strdup(s);

	if (!to)
		die("out of memory");
	return to;
}

/* A place for what took TIME_US: that of the task's slowest where it has its share, else a new one or the oldest's;
 * NULL where all of the task's are faster. */
static struct kept_object *place_for(struct kept_objects *k, struct hash128 task, double time_us)
{
	struct kept_object *slowest = NULL;
	int n = 0;

	for (int i = 0; i < k->n; i++) {
		struct kept_object *o = &k->at[i];

		if (!hash_equal(o->task, task))
			continue;
		n++;
		if (!slowest || o->time_us > slowest->time_us)
			slowest = o;
	}
	if (n < KEPT_OF_TASK && k->n < KEPT_IN_ALL)
		return &k->at[k->n++];
	if (n < KEPT_OF_TASK)
		slowest = &k->at[k->oldest++ % KEPT_IN_ALL];
	else if (slowest->time_us <= time_us)
		return NULL;
	drop(slowest);
	return slowest;
}

void kept_objects_take(struct kept_objects *k, struct hash128 task, struct trial *t)
{
	if (t->status != TRIAL_OK || !t->object)
		return;
	pthread_mutex_lock(&k->mutex);
	struct kept_object *o = place_for(k, task, t->time_us);

	if (o) {
		*o = (struct kept_object){ task, hash_bytes(t->source, strlen(t->source)), copy(t->object),
					   copy(trial_symbol(t)), t->time_us };
		t->object = t->symbol = NULL;
	}
	pthread_mutex_unlock(&k->mutex);
}

void kept_objects_give(struct arena *a, struct kept_objects *k, struct trial *t)
{
	if (t->status != TRIAL_PENDING || t->object)
		return;
	struct hash128 text = hash_bytes(t->source, strlen(t->source));

	pthread_mutex_lock(&k->mutex);
	for (int i = 0; i < k->n && !t->object; i++) {
		const struct kept_object *o = &k->at[i];

		if (!hash_equal(o->text, text))
			continue;
		const char *name = arena_printf(a, "%s.again%d", o->object, k->given++);

		if (link(o->object, name) < 0)
			continue;	/* without a link it is compiled */
		t->object = name;
		t->symbol = arena_strdup(a, o->symbol);
	}
	pthread_mutex_unlock(&k->mutex);
}
