/* SPDX-License-Identifier: Apache-2.0 */
/* bench/vdla/table.c - a line for each task, and the middle of them. */
#include "bench/vdla/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/quantile.h"
#include "tools/json.h"
#include "tools/text_table.h"
#include "tools/vdla/vdla.h"

static const struct text_table_column columns[] = {
	{ .head = "MOP", .right = true },
	{ .head = "OP/byte", .right = true },
	{ .head = "bound by" },
	{ .head = "roof", .right = true },
	{ .head = "cycles", .right = true },
	{ .head = "without", .right = true },
	{ .head = "ratio", .right = true },
	{ .head = "of roof", .right = true },
	{ .head = "products", .right = true },
	{ .head = "vectors", .right = true },
	{ .head = "busy", .right = true },
	{ .head = "for load", .right = true },
	{ .head = "for store", .right = true },
	{ .head = "idle", .right = true },
	{ .head = "task", .cut = CUT_DOTS, .least = 20, .gives = 1 },
};
enum { COLUMNS = sizeof(columns) / sizeof(*columns) };

static const char *percent(struct arena *a, double share)
{
	return isnan(share) ? "-" : arena_printf(a, "%.1f%%", 100 * share);
}

static const char *cycles(struct arena *a, const struct vdla_found *f)
{
	return f->found ? arena_printf(a, "%" PRId64, f->cycles.total) : "-";
}

/* Of F's cycles N, which is 0 where nothing was found. */
static const char *spent(struct arena *a, const struct vdla_found *f, int64_t n)
{
	return percent(a, f->found ? (double)n / (double)f->cycles.total : NAN);
}

static const char *const *cells_of(struct arena *a, const struct vdla_entry *e)
{
	const struct vdla_found *f = &e->by[VDLA_VIRTUAL];
	const struct vdla_unit_cycles *unit = &f->cycles.unit[VDLA_COMPUTE_UNIT];
	double ratio = vdla_ratio(e);
	const char **cells = arena_many(a, const char *, COLUMNS);
	const char *all[COLUMNS] = {
		arena_printf(a, "%.1f", e->task->flop * 1e-6),
		arena_printf(a, "%.0f", e->task->flop / (double)e->roof.bytes), vdla_roof_bound(&e->roof),
		arena_printf(a, "%" PRId64, vdla_roof_cycles(&e->roof)), cycles(a, f), cycles(a, &e->by[VDLA_ALONE]),
		isnan(ratio) ? "-" : arena_printf(a, "%.3f", ratio), percent(a, vdla_share(&e->roof, f)),
		percent(a, vdla_utilisation(f)), percent(a, vdla_vector_share(f)), spent(a, f, unit->busy),
		spent(a, f, unit->waiting[VDLA_LOAD_TO_COMPUTE]), spent(a, f, unit->waiting[VDLA_STORE_TO_COMPUTE]),
		spent(a, f, unit->idle), e->task->name,
	};

	memcpy(cells, all, sizeof(all));
	return cells;
}

/* --- all of them */

struct vdla_middle {
	double share[VDLA_TURNS], utilisation[VDLA_TURNS];	/* medians; NAN: nothing was found */
	double ratio;						/* geometric mean */
	int found;						/* with virtual threads */
};

static void sum_way(struct arena *a, const struct vdla_entry *e, int n, int way, struct vdla_middle *out)
{
	double *share = arena_many(a, double, n + 1), *use = arena_many(a, double, n + 1);
	int found = 0;

	for (int i = 0; i < n; i++) {
		if (!e[i].by[way].found)
			continue;
		share[found] = vdla_share(&e[i].roof, &e[i].by[way]);
		use[found++] = vdla_utilisation(&e[i].by[way]);
	}
	out->share[way] = found ? median(share, found) : NAN;
	out->utilisation[way] = found ? median(use, found) : NAN;
	out->found = way == VDLA_VIRTUAL ? found : out->found;
}

static struct vdla_middle sum_up(const struct vdla_entry *e, int n)
{
	struct arena *a = arena_new();
	struct vdla_middle m = { 0 };
	double logs = 0;
	int ratios = 0;

	for (int way = 0; way < VDLA_TURNS; way++)
		sum_way(a, e, n, way, &m);
	for (int i = 0; i < n; i++) {
		double ratio = vdla_ratio(&e[i]);

		ratios += !isnan(ratio);
		logs += isnan(ratio) ? 0 : log(ratio);
	}
	m.ratio = ratios ? exp(logs / ratios) : NAN;
	arena_free(a);
	return m;
}

static void print_medians(const char *way, const struct vdla_middle *m, enum vdla_turns turns)
{
	if (!isnan(m->share[turns]))
		printf("%s, medians: %.1f%% of the roof, products in %.1f%% of the cycles\n", way, 100 * m->share[turns],
		       100 * m->utilisation[turns]);
}

static void print_middle(const struct vdla_plan *plan, const struct vdla_middle *m, int n)
{
	printf("%d task%s, %d with a kernel\n", n, n == 1 ? "" : "s", m->found);
	print_medians("with virtual threads", m, VDLA_VIRTUAL);
	print_medians("without", m, VDLA_ALONE);
	if (!isnan(m->ratio))
		printf("%d virtual threads against none: %.3f times as fast (geometric mean)\n", plan->threads, m->ratio);
}

void vdla_print_entries(const struct vdla_plan *plan, const struct vdla_entry *entries, int n)
{
	struct arena *a = arena_new();
	struct text_table t = { .columns = columns, .n = COLUMNS };
	struct text out = { 0 };
	struct vdla_middle m = sum_up(entries, n);

	for (int i = 0; i < n; i++)
		vec_push(a, &t.rows, cells_of(a, &entries[i]));
	text_table_print(&out, &t, text_table_width());
	fputs(text_str(&out), stdout);
	text_free(&out);
	print_middle(plan, &m, n);
	arena_free(a);
}

/* --- as JSON */

/* With its rate, GOP/s: operations of the task, as intensity has them. */
static json_t *found_json(const struct vdla_plan *plan, const struct vdla_entry *e, const struct vdla_found *f)
{
	double us = (double)f->cycles.total / plan->machine.clock_mhz;
	int64_t moved = f->cycles.stored;

	for (int s = 0; s < VDLA_SCRATCHPADS; s++)
		moved += f->cycles.loaded[s];
	return json_pack("{s:i, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "threads", f->threads, "trials",
			 (json_int_t)f->trials, "failed", (json_int_t)f->failed, "cycles", json_count(f->cycles.total),
			 "time_us", json_positive(us), "gops", json_positive(f->found ? e->task->flop / us * 1e-3 : 0),
			 "roof_share", json_figure(vdla_share(&e->roof, f)), "product_share",
			 json_figure(vdla_utilisation(f)), "vector_share", json_figure(vdla_vector_share(f)),
			 "bytes_moved", json_count(moved), "units", f->found ? vdla_units_json(&f->cycles) : json_null());
}

static json_t *entry_json(const struct vdla_plan *plan, const struct vdla_entry *e)
{
	const struct task *t = e->task;

	return json_pack("{s:s, s:o, s:f, s:f, s:I, s:f, s:I, s:I, s:s, s:I, s:o, s:o, s:o}", "task", t->key, "name",
			 json_label(t->name), "weight", t->weight, "flop", t->flop, "bytes", (json_int_t)e->roof.bytes,
			 "intensity", t->flop / (double)e->roof.bytes, "product_cycles", (json_int_t)e->roof.products,
			 "memory_cycles", (json_int_t)e->roof.memory, "bound", vdla_roof_bound(&e->roof), "roof_cycles",
			 (json_int_t)vdla_roof_cycles(&e->roof), "virtual", found_json(plan, e, &e->by[VDLA_VIRTUAL]),
			 "without", found_json(plan, e, &e->by[VDLA_ALONE]), "ratio", json_figure(vdla_ratio(e)));
}

static json_t *medians_json(const struct vdla_middle *m, int way)
{
	return json_pack("{s:o, s:o}", "roof_share", json_figure(m->share[way]), "product_share",
			 json_figure(m->utilisation[way]));
}

json_t *vdla_entries_json(const struct vdla_plan *plan, const struct vdla_entry *entries, int n)
{
	const struct vdla_middle m = sum_up(entries, n);
	json_t *tasks = json_array();

	for (int i = 0; i < n; i++)
		json_array_append_new(tasks, entry_json(plan, &entries[i]));
	return json_pack("{s:o, s:o, s:i, s:f, s:f, s:i, s:I, s:I, s:o, s:o, s:o, s:o}", "device",
			 json_label(plan->device->fingerprint), "device_name", json_label(plan->device->name), "clock_mhz",
			 plan->machine.clock_mhz, "peak_gops", device_peak(plan->device, 1), "memory_gbs",
			 device_mem_rate(plan->device, 1), "threads", plan->threads, "trials", (json_int_t)plan->trials,
			 "seed", (json_int_t)plan->seed, "tasks", tasks, "medians", medians_json(&m, VDLA_VIRTUAL),
			 "medians_without", medians_json(&m, VDLA_ALONE), "ratio", json_figure(m.ratio));
}
