/* SPDX-License-Identifier: Apache-2.0 */
/* tools/vdla/report.c - what a run of a VDLA took, for people and for Perfetto. */
#include "tools/vdla/report.h"

#include <stdlib.h>

#include "base/err.h"
#include "target/vdla/assembler.h"
#include "target/vdla/execute.h"

static void print_part(struct text *out, int64_t part, const struct vdla_cycles *c)
{
	text_printf(out, "  %6.1f%%", c->total ? 100.0 * (double)part / (double)c->total : 0.0);
}

void vdla_cycles_print(struct text *out, const struct vdla_machine *m, const struct vdla_cycles *c)
{
	double seconds = (double)c->total / ((double)m->clock_mhz * 1e6);
	int64_t lanes = (int64_t)VDLA_LANES * VDLA_LANES;

	text_printf(out, "cycles   %lld, %.1f us at %d MHz, of which %lld of %lld launch%s\n", (long long)c->total,
		    seconds * 1e6, m->clock_mhz, (long long)(c->launches * m->launch_cycles), (long long)c->launches,
		    c->launches == 1 ? "" : "es");
	text_puts(out, "unit     instructions     busy  wait for: load  compute    store  memory     idle\n");
	for (int u = 0; u < VDLA_UNITS; u++) {
		const struct vdla_unit_cycles *unit = &c->unit[u];

		text_printf(out, "%-8s %12lld", vdla_unit_names[u], (long long)unit->instructions);
		print_part(out, unit->busy, c);
		text_puts(out, "       ");
		print_part(out, unit->waiting[VDLA_LOAD_TO_COMPUTE], c);
		print_part(out, unit->waiting[VDLA_COMPUTE_TO_LOAD] + unit->waiting[VDLA_COMPUTE_TO_STORE], c);
		print_part(out, unit->waiting[VDLA_STORE_TO_COMPUTE], c);
		print_part(out, unit->port, c);
		print_part(out, unit->idle, c);
		text_puts(out, "\n");
	}
	text_puts(out, "bytes   ");
	for (int s = 0; s < VDLA_SCRATCHPADS; s++)
		text_printf(out, " %s %lld,", vdla_scratchpad_names[s], (long long)c->loaded[s]);
	text_printf(out, " stored %lld\n", (long long)c->stored);
	text_printf(out, "products %lld of %dx%d, in %.1f%% of the cycles: %.2f billion multiply-adds a second\n",
		    (long long)c->products, VDLA_LANES, VDLA_LANES,
		    c->total ? 100.0 * (double)c->products / (double)c->total : 0.0,
		    c->total ? (double)(c->products * lanes) / seconds / 1e9 : 0.0);
}

/* An event of instruction NUMBER's unit, at CYCLE, up to what is its own. */
static void print_event(struct text *out, const struct vdla_binary *b, int number, const char *kind, double cycle)
{
	text_printf(out, ",\n{\"ph\": \"%s\", \"pid\": 1, \"tid\": %d, \"ts\": %.6f", kind,
		    (int)vdla_unit_of(&b->code.at[number]) + 1, cycle / b->machine.clock_mhz);
}

/* The arrow from instruction FROM to instruction TO. Its ends lie inside of what they join, to be found there. */
static void print_arrow(struct text *out, const struct vdla_binary *b, const struct vdla_span *spans,
			enum vdla_channel c, int id, int from, int to)
{
	print_event(out, b, from, "s", (double)spans[from].end - 0.5);
	text_printf(out, ", \"id\": %d, \"cat\": \"token\", \"name\": \"%s\"}", id, vdla_channel_names[c]);
	print_event(out, b, to, "f", (double)spans[to].start);
	text_printf(out, ", \"bp\": \"e\", \"id\": %d, \"cat\": \"token\", \"name\": \"%s\"}", id, vdla_channel_names[c]);
}

/* The K-th token given to a channel is the K-th that is taken. */
static void print_tokens(struct text *out, const struct vdla_binary *b, const struct vdla_span *spans)
{
	int *giver = malloc(sizeof(*giver) * ((size_t)b->code.n + 1)), id = 0;

	if (!giver)
		die("out of memory");
	for (int c = 0; c < VDLA_CHANNELS; c++) {
		enum vdla_channel at[2];
		int given = 0, taken = 0;

		for (int i = 0; i < b->code.n; i++)
			for (int k = 0, n = vdla_pushes(&b->code.at[i], at); k < n; k++)
				if ((int)at[k] == c)
					giver[given++] = i;
		for (int i = 0; i < b->code.n; i++)
			for (int k = 0, n = vdla_pops(&b->code.at[i], at); k < n; k++)
				if ((int)at[k] == c && taken < given)
					print_arrow(out, b, spans, at[k], id++, giver[taken++], i);
	}
	free(giver);
}

void vdla_trace_print(struct text *out, const struct vdla_binary *b, const struct vdla_span *spans)
{
	text_puts(out, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
	text_puts(out, "{\"ph\": \"M\", \"pid\": 1, \"name\": \"process_name\", \"args\": {\"name\": \"VDLA\"}}");
	for (int u = 0; u < VDLA_UNITS; u++)
		text_printf(out, ",\n{\"ph\": \"M\", \"pid\": 1, \"tid\": %d, \"name\": \"thread_name\", "
			    "\"args\": {\"name\": \"%s\"}}", u + 1, vdla_unit_names[u]);
	for (int i = 0; i < b->code.n; i++) {
		const struct vdla_instruction *op = &b->code.at[i];

		print_event(out, b, i, "X", (double)spans[i].start);
		text_printf(out, ", \"dur\": %.6f, \"name\": \"%s\", \"args\": {\"number\": %d, \"text\": \"",
			    (double)(spans[i].end - spans[i].start) / b->machine.clock_mhz, vdla_op_names[op->op], i);
		vdla_instruction_print(out, op);
		text_puts(out, "\"}}");
	}
	print_tokens(out, b, spans);
	text_puts(out, "\n]}\n");
}
