/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/export_kernels.c - the fastest kernel of each task, or what else there is of it, as verified C files. */
#include "tools/record/export_kernels.h"

#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "search/best.h"
#include "search/trust/exported.h"
#include "tools/json.h"
#include "tools/record/export_build.h"
#include "tools/record/export_uses.h"
#include "tools/source.h"

/* B, a record's kernel or a fallback, which has no time. */
static struct export_kernel kernel_of(const struct query *q, const struct task *t,
				      const struct best *b, int rank)
{
	bool tuned = b->record.time_us > 0;

	return (struct export_kernel){
		.program = b->program,
		.task = t->name,
		.key = t->key,
		.op = t->op,
		.shape = t->shape,
		.steps = b->record.steps,
		.device = q->device->name,
		.fingerprint = b->record.fingerprint,
		.toolchain = tuned ? b->record.toolchain_text : "",
		.threads = b->record.threads,
		.rank = rank,
		.time_us = b->record.time_us,
		.caveat = tuned ? evidence_caveat(q->arena, &b->record, b->evidence) : "untuned",
		.evidence = tuned ? evidence_json(&b->record, b->evidence) : json_null(),
	};
}

static void refuse(struct exports *x, const struct task *t, const char *why)
{
	fprintf(stderr, "hone: %s: not exported: %s\n", t->name, why);
	x->refused++;
}

static void take(struct exports *x, const struct task *t, struct export_kernel k)
{
	x->found += k.rank == 1;
	x->tasks[x->n] = t;
	x->kernels[x->n++] = k;
}

static int miss(const struct query *q, struct exports *x, const struct task *t)
{
	const char *why = miss_reason(q, t);

	if (!why)
		return -1;
	fprintf(stderr, "hone: %s: not exported: %s; run hone tune here, or take an untuned kernel by "
			"--fallback\n", t->name, why);
	json_array_append_new(x->misses, json_pack("{s:s, s:o, s:o}", "task", t->key, "name",
						   json_label(t->name), "why", json_label(why)));
	return 0;
}

/* B, and what comes next to it. */
static int take_all(const struct query *q, const struct export_wants *w, struct exports *x, const struct task *t,
		    const struct best *b)
{
	struct best *next = arena_many(q->arena, struct best, w->top);
	bool tuned = b->record.time_us > 0;
	int n = tuned && w->top > 1 ? task_next_best(q->arena, q->db, t, query_want(q), q->device->target, b,
						     w->top - 1, next)
				    : 0;

	take(x, t, kernel_of(q, t, b, 1));
	for (int i = 0; i < n; i++)
		take(x, t, kernel_of(q, t, &next[i], i + 2));
	return n < 0 ? -1 : 0;
}

static int find_kernel(const struct query *q, const struct export_wants *w, struct exports *x,
		       const struct task *t)
{
	struct best b;
	int found = query_best(q, t, &b);

	if (found < 0)
		return -1;
	if ((found && !b.record.estimate) || (w->fallback && fallback_kernel(q, t, &b)))
		return take_all(q, w, x, t, &b);
	if (found)
		refuse(x, t, "its time is an estimate, nothing was measured; run hone tune without "
			     "--replay");
	else
		return miss(q, x, t);
	return 0;
}

int exports_find(const struct query *q, const struct export_wants *w, struct exports *x)
{
	*x = (struct exports){
		.kernels = arena_many(q->arena, struct export_kernel, q->tasks.n * w->top),
		.tasks = arena_many(q->arena, const struct task *, q->tasks.n * w->top),
		.misses = json_array(),
	};
	for (int i = 0; i < q->tasks.n; i++)
		if (find_kernel(q, w, x, q->tasks.at[i]) < 0)
			return -1;
	if (x->n == 0 && x->refused == 0 && !w->complete)
		return err_set("%s: %s has no kernel of it for this device%s; run hone tune",
			       q->source, q->db_path,
			       q->threads ? " and this number of threads" : "");
	return 0;
}

void exports_release(struct exports *x)
{
	json_decref(x->misses);
	for (int i = 0; i < x->n; i++) {
		json_decref(x->kernels[i].evidence);
		json_decref(x->kernels[i].uses);
	}
}

/* --- files */

/* What asked for it, as far as the files depend on it. */
static const char *command_line(const struct query *q, const struct export_wants *w)
{
	const char *threads = q->threads ? arena_printf(q->arena, " --threads %d", q->threads) : "";
	const char *top = w->top > 1 ? arena_printf(q->arena, " --top %d", w->top) : "";

	return arena_printf(q->arena, "hone export %s%s%s%s", q->source, threads, top,
			    w->fallback ? " --fallback" : "");
}

static struct export_set set_of(const struct exports *x, const char *command)
{
	return (struct export_set){ .kernels = x->kernels, .n = x->n, .misses = x->misses, .command = command };
}

/* Writes kernel I, and takes it back where it does not do what it should. */
static int write_kernel(struct arena *a, const char *dir, const struct export_set *set, int i, struct exports *x,
			struct exported *checker)
{
	const char *path = export_kernel(a, dir, set, i), *why = "";

	if (!path)
		return -1;
	int right = exported_check(checker, a, x->tasks[i], x->kernels[i].threads, path,
				   export_symbol_of(a, set, i), &why);

	if (right == 1)
		return 0;
	unlink(path);
	if (right < 0)
		return -1;
	x->kernels[i].refused = why;
	refuse(x, x->tasks[i], why);
	return 0;
}

static int write_kernels(const struct query *q, const char *dir, const struct export_set *set, struct exports *x)
{
	struct exported *checker = exported_new(q->device->target);
	int rc = checker ? 0 : -1;

	for (int i = 0; i < set->n && rc == 0; i++)
		rc = write_kernel(q->arena, dir, set, i, x, checker);
	exported_free(checker);
	return rc;
}

/* For a model: where it needs each kernel that was written, and the weights there. FILES gets what it was
 * read from. */
static int write_uses(const struct query *q, const char *dir, const struct export_set *set, struct exports *x,
		      struct onnx_files *files)
{
	struct arena *a = q->arena;
	struct model_uses *u = source_is_model(q->source) ? uses_open(a, q->source, &q->times.costs, files) : NULL;

	if (!u)
		return source_is_model(q->source) ? -1 : 0;
	for (int i = 0; i < set->n; i++) {
		if (x->kernels[i].refused)
			continue;
		x->kernels[i].uses = uses_write(a, u, x->kernels[i].key, dir, export_symbol_of(a, set, i));
		if (!x->kernels[i].uses)
			return -1;
	}
	return 0;
}

json_t *exports_write(const struct query *q, const struct export_wants *w, struct exports *x)
{
	const struct export_set set = set_of(x, command_line(q, w));
	struct onnx_files files = { .arena = q->arena };

	if (write_kernels(q, w->dir, &set, x) < 0 || (!w->alone && write_uses(q, w->dir, &set, x, &files) < 0))
		return NULL;
	if (w->complete && x->refused) {
		err_set("%s: a kernel is wrong, so %s gets no manifest.json", q->source, w->dir);
		return NULL;
	}
	if (w->depfile &&
	    depfile_write(q, &files, arena_printf(q->arena, "%s/manifest.json", w->dir), w->depfile) < 0)
		return NULL;
	return export_index(w->dir, &set);
}

/* --- what became of each task */

static void print_kernel(const struct export_kernel *k, const char *symbol)
{
	if (k->refused)
		return;
	printf("%-8s  %s  %s", k->time_us > 0 ? "hit" : "fallback", symbol, k->task);
	if (k->time_us > 0)
		printf("  %.4g us", k->time_us);
	printf("%s%s\n", *k->caveat ? "  " : "", k->caveat);
}

void exports_print(const struct query *q, const struct exports *x)
{
	const struct export_set set = set_of(x, "");
	size_t i;
	json_t *miss;

	for (int k = 0; k < x->n; k++)
		print_kernel(&x->kernels[k], export_symbol_of(q->arena, &set, k));
	json_array_foreach(x->misses, i, miss)
		printf("%-8s  -  %s\n", "miss", json_string_value(json_object_get(miss, "name")));
}
