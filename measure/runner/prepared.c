/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/prepared.c - workloads in memory files. */
#include "measure/runner/prepared.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/machine.h"
#include "measure/runner/buffer.h"
#include "measure/runner/runner.h"
#include "measure/runner/verify.h"

/* Where the caches are not known: twice a last-level cache of 32 MB. */
#define FLUSH_BYTES ((size_t)64 << 20)

/* What argument A takes in the memory file. */
static int64_t image_bytes(const struct workload_arg *a)
{
	size_t data = buffer_inner((size_t)a->count * dtype_bytes(a->dtype));
	size_t bound = buffer_inner((size_t)a->count * dtype_bytes(error_bound_type(a->dtype)));

	return (int64_t)(INPUT_SETS * (data + (a->role == ARG_OUTPUT ? bound : 0)));
}

static int copy_args(struct setup *s, const struct workload *w, int64_t *total)
{
	bool outputs = false;

	if (w->n_args > WORKLOAD_ARGS)
		return err_set("a kernel of %d arguments: the runner takes %d", w->n_args,
			       WORKLOAD_ARGS);
	for (int i = 0; i < w->n_args; i++) {
		const struct workload_arg *a = &w->args[i];
		int64_t bytes;

		if (a->count < 0 || a->count > INT64_MAX / 2 ||
		    __builtin_mul_overflow(a->count, (int64_t)dtype_bytes(a->dtype), &bytes) ||
		    bytes > INT64_MAX / 64 ||
		    __builtin_add_overflow(*total, image_bytes(a), total))
			return err_set("%s has %lld elements, more than memory can hold", a->name,
				       (long long)a->count);
		if (outputs && a->role != ARG_OUTPUT)
			die("workload: input %s behind an output", a->name);
		outputs |= a->role == ARG_OUTPUT;
		snprintf(s->args[i].name, WORKLOAD_NAME, "%s", a->name);
		s->args[i].dtype = a->dtype;
		s->args[i].role = a->role;
		s->args[i].count = a->count;
		memcpy(s->args[i].range, a->range, sizeof(a->range));
	}
	return 0;
}

/* The sets of inputs, wanted outputs and their bounds make TOTAL; outputs and packed constants,
 * and what the reference computes in between, about as much again; a machine that has not so much would end other processes first. */
static int check_memory(int64_t total)
{
	if (total > machine_memory() / 2)
		return err_set("verifying needs %.3g GiB, twice; this machine has %.3g GiB (make the "
			       "operator smaller)", (double)total / (1 << 30),
			       (double)machine_memory() / (1 << 30));
	return 0;
}

/* As prepared_new(). */
static int set_up(struct prepared *p, const struct workload *w, size_t memory)
{
	struct setup *s = p->setup;

	s->kind = REQUEST_SETUP;
	s->cold_weights = w->cache == CACHE_COLD_WEIGHTS && can_evict();
	s->cold = w->cache != CACHE_WARM && !s->cold_weights;
	s->threads = w->threads > 1 ? w->threads : 1;
	s->n_args = w->n_args;
	s->seed = w->seed;
	s->flush_bytes = w->flush_bytes ? w->flush_bytes : FLUSH_BYTES;
	s->flush_private = w->flush_private;
	s->memory = memory;
	s->rms_most = w->rms_most;
	s->memory_us = w->memory_us;
	s->cores = (struct cores_known){ .fixed_us = w->fixed_us, .fixed_chains = w->fixed_chains };
	s->min_ms = w->min_ms > 0 ? w->min_ms : WORKLOAD_MIN_MS;
	s->max_ms = w->max_ms > 0 ? w->max_ms : WORKLOAD_MAX_MS;
	if (copy_args(s, w, &p->bytes) < 0 || check_memory(p->bytes) < 0)
		return 1;
	p->memory = memfd_create("hone-task", MFD_CLOEXEC);
	if (p->memory < 0 || ftruncate(p->memory, p->bytes) < 0)
		return err_set("cannot hold %lld bytes of arguments in memory: %s",
			       (long long)p->bytes, strerror(errno));
	return 0;
}

int prepared_new(const struct workload *w, size_t memory, struct prepared **out)
{
	struct arena *a = arena_new();
	struct prepared *p = arena_one(a, struct prepared);

	*p = (struct prepared){ .arena = a, .setup = arena_one(a, struct setup), .memory = -1 };
	int rc = set_up(p, w, memory);

	if (rc != 0) {
		prepared_free(p);
		p = NULL;
	}
	*out = p;
	return rc;
}

void prepared_free(struct prepared *p)
{
	if (!p)
		return;
	if (p->view)
		munmap((void *)p->view, (size_t)p->bytes);
	if (p->memory >= 0)
		close(p->memory);
	arena_free(p->arena);
}

/* The image of BYTES at *OFFSET of the view, as runner_task.c lays them out. */
static const void *next_image(const struct prepared *p, size_t bytes, int64_t *offset)
{
	const char *at = (const char *)p->view + *offset + buffer_offset(bytes);

	*offset += (int64_t)buffer_inner(bytes);
	return at;
}

int prepared_look(struct prepared *p, enum input_set set, const void **data, const void **bound)
{
	int64_t offset = 0;

	if (!p->view) {
		void *map = mmap(NULL, (size_t)p->bytes, PROT_READ, MAP_SHARED, p->memory, 0);

		if (map == MAP_FAILED)
			return err_set("cannot map %lld bytes of arguments: %s",
				       (long long)p->bytes, strerror(errno));
		p->view = map;
	}
	for (int s = 0; s <= (int)set; s++)
		for (int i = 0; i < p->setup->n_args; i++) {
			const struct setup_arg *a = &p->setup->args[i];
			size_t count = (size_t)a->count;

			data[i] = next_image(p, count * dtype_bytes(a->dtype), &offset);
			if (a->role == ARG_OUTPUT)
				bound[i] = next_image(
					p, count * dtype_bytes(error_bound_type(a->dtype)), &offset);
		}
	return 0;
}

/* --- those that are kept */

struct kept_workloads *kept_workloads_new(void)
{
	struct kept_workloads *kept = calloc(1, sizeof(*kept));

	if (!kept)
		die("out of memory for workloads");
	return kept;
}

/* The one at *AT is taken out of its list. */
static struct prepared *unlink_one(struct prepared **at)
{
	struct prepared *p = *at;

	*at = p->next;
	p->next = NULL;
	return p;
}

void kept_workloads_free(struct kept_workloads *kept)
{
	while (kept && kept->first)
		prepared_free(unlink_one(&kept->first));
	free(kept);
}

static struct prepared *unlink_key(struct kept_workloads *kept, const char *key)
{
	for (struct prepared **at = &kept->first; *at; at = &(*at)->next)
		if (strcmp((*at)->key, key) == 0)
			return unlink_one(at);
	return NULL;
}

struct prepared *prepared_take(struct kept_workloads *kept, const char *key, int threads)
{
	struct prepared *p = unlink_key(kept, key);

	if (p)
		p->setup->threads = threads;
	return p;
}

void prepared_keep(struct kept_workloads *kept, struct prepared *p)
{
	int64_t room = (int64_t)(PREPARED_KEPT_SHARE * (double)machine_memory());
	struct prepared **at = &kept->first;

	prepared_free(unlink_key(kept, p->key));
	p->next = kept->first;
	kept->first = p;
	while (*at && room >= (*at)->bytes) {
		room -= (*at)->bytes;
		at = &(*at)->next;
	}
	while (*at)
		prepared_free(unlink_one(at));
}
