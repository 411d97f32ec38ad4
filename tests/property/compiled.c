/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/compiled.c - emits cases and builds them as candidates of a search are built. */
#include "tests/property/compiled.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"
#include "base/integer.h"
#include "codegen/callable.h"
#include "codegen/emit.h"
#include "tests/property/library.h"

/* Compilers side by side: the test takes two cores. Cases in memory at a time. */
enum { JOBS = 2, BATCH = 40 };
/* Of one case, by its seed. */
enum { MAX_THREADS = 3 };

struct trial_batch {
	struct arena *arena;
	struct build_pool *builder;
	case_run *run;
	void *user;
	struct schedule_sample *samples[BATCH];
	struct trial trials[BATCH];
	int n;
};

struct build_pool *batch_builder(const char *cc, const struct target *target)
{
	return build_pool_new(
		&(struct build_pool_options){.target = target, .cc = cc, .jobs = JOBS});
}

struct trial_batch *batch_new(struct build_pool *builder, case_run *run, void *user)
{
	struct arena *a = arena_new();
	struct trial_batch *b = arena_one(a, struct trial_batch);

	b->arena = a;
	b->builder = builder;
	b->run = run;
	b->user = user;
	return b;
}

void batch_free(struct trial_batch *b)
{
	for (int i = 0; i < b->n; i++) {
		sample_free(b->samples[i]);
		trial_discard(&b->trials[i]);
	}
	arena_free(b->arena);
}

bool batch_has_room(const struct trial_batch *b)
{
	return b->n < BATCH;
}

bool batch_add(struct trial_batch *b, struct schedule_sample *s)
{
	struct text text = {0};
	bool ok = emit_c(&text, s->program, "hone_kernel", NULL);

	if (ok) {
		b->samples[b->n] = s;
		b->trials[b->n++] =
			(struct trial){.source = arena_strdup(b->arena, text_str(&text))};
	}
	text_free(&text);
	return ok;
}

/* OUT is what pack_interpret made of the constant of K, but for roundings of what is computed. */
static bool is_packed(const struct schedule_sample *s, const struct pack *k, const void *out)
{
	const struct tensor *t = &k->packed->tensor;

	for (int64_t i = 0; i < tensor_count(t); i++)
		if (!value_is_close(t->dtype, dtype_load(t->dtype, s->args[k->input].data, i),
				    dtype_load(t->dtype, out, i), s->agreement))
			return false;
	return true;
}

/* The emitted packing gives what pack_interpret gave. */
static bool packs_match(const struct schedule_sample *s, const struct callable *kernel)
{
	for (int i = 0; i < s->nargs; i++) {
		const struct pack *k = program_pack(s->program, i);
		size_t bytes = kernel->packed_bytes(i);
		bool same = bytes == (k ? emit_packed_bytes(s->program, k) : 0);

		if (k && same) {
			void *out = aligned_alloc(CALLABLE_ALIGN, bytes_up(bytes + 1, CALLABLE_ALIGN));

			kernel->pack(i, s->raw[i].data, out);
			same = is_packed(s, k, out);
			free(out);
		}
		if (!same) {
			fprintf(stderr, "argument %d is packed differently\n", i);
			return false;
		}
	}
	return true;
}

bool case_run_here(void *user, struct schedule_sample *s, const char *path, int threads,
		   bool last_first)
{
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	struct callable kernel;

	(void)user;
	if (!object) {
		fprintf(stderr, "%s\n", dlerror());
		return false;
	}
	if (callable_find(&kernel, object, "hone_kernel") < 0)
		die("%s", err_get());
	if (!packs_match(s, &kernel))
		return false;
	void **args = arena_many(s->arena, void *, s->nargs);
	void *workspace = sample_workspace(s, kernel.workspace_bytes(threads));

	for (int i = 0; i < s->nargs; i++)
		args[i] = s->args[i].data;
	for (int phase = 0; phase < kernel.phases(); phase++)
		for (int i = 0; i < threads; i++)
			kernel.part(phase, args, workspace, last_first ? threads - 1 - i : i,
				    threads);
	return true;
}

/* One thread after the other, the last one first in some: what a phase reads of another thread of its
 * own is not there yet, in one of the two. */
static bool run_one(struct trial_batch *b, int i)
{
	struct schedule_sample *s = b->samples[i];
	const struct trial *t = &b->trials[i];

	if (!t->object) {
		fprintf(stderr, "%s\n", t->text);
		return false;
	}
	if (s->nargs == 0)
		sample_prepare(s);
	sample_poison(s);
	return b->run(b->user, s, t->object, 1 + (int)(s->seed % MAX_THREADS),
		      s->seed / MAX_THREADS % 2) &&
	       sample_matches(s, "compiled C");
}

int batch_run(struct trial_batch *b, volatile uint64_t *current)
{
	uint64_t next = *current;
	int failed = 0;

	if (build_all(b->arena, b->builder, b->trials, b->n) < 0)
		die("%s", err_get());
	for (int i = 0; i < b->n; i++) {
		*current = b->samples[i]->seed;
		if (run_one(b, i))
			continue;
		failed++;
		sample_print(b->samples[i]);
		fprintf(stderr, "# >>> %s\n%s\n", build_pool_toolchain(b->builder),
			b->trials[i].source);
	}
	*current = next;
	return failed;
}

int cases_run(const struct case_plan *plan, uint64_t first, int n, volatile uint64_t *current)
{
	struct step_counts counts = {0};
	int failed = 0;

	*current = first;
	while (target_at((int)(*current % TARGET_COUNT)) != plan->target)
		++*current;
	while (n > 0 && failed == 0) {
		struct trial_batch *b = batch_new(plan->builder, plan->run, plan->user);

		while (n > 0 && batch_has_room(b)) {
			struct schedule_sample *s = sample_new(*current, &counts);

			if (sample_lower(s) && batch_add(b, s))
				n--;
			else
				sample_free(s);
			*current += TARGET_COUNT;
		}
		failed += batch_run(b, current);
		batch_free(b);
	}
	return failed;
}
