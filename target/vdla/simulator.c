/* SPDX-License-Identifier: Apache-2.0 */
/* target/vdla/simulator.c - counts the cycles of a VDLA's program, in the order of its events.
 *
 * Of the units whose next instruction has its tokens, the one that can start first goes next (of several the load,
 * then the compute unit): what starts later cannot change what it finds. So all is the same each time. */
#include "target/vdla/simulator.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/integer.h"
#include "target/vdla/execute.h"

#define NEVER INT64_MAX

/* An instruction that waits before its unit. */
struct vdla_waiting {
	int64_t fetched;
	int number;
};

struct vdla_lane {
	struct vdla_waiting *queue;	/* a ring */
	int head, tail;		/* of all that ever came */
	int64_t free;		/* when the last one ended */
	int64_t ready;		/* when the next one can start; NEVER: nothing is there, or a token is missing */
};

struct vdla_fifo {
	int64_t *at;		/* when tokens came */
	int head, tail;
	int last;		/* instruction that gave one */
};

struct vdla_run {
	const struct vdla_binary *b;
	struct vdla_lane lane[VDLA_UNITS];
	struct vdla_fifo channel[VDLA_CHANNELS];
	int mask;		/* of the rings */
	int next;		/* instruction to fetch */
	int64_t fetch;		/* when */
	enum vdla_unit full;	/* whose queue must start one before that; VDLA_UNITS: nobody's */
	int64_t begun;		/* when the first one behind the last launch came */
	int64_t port;		/* when the memory port is free */
	struct vdla_cycles *cycles;
	struct vdla_span *spans;
	struct vdla_execution *execution;	/* NULL: cycles alone */
};

static const enum vdla_unit takers[VDLA_CHANNELS] = {
	VDLA_COMPUTE_UNIT, VDLA_LOAD_UNIT, VDLA_STORE_UNIT, VDLA_COMPUTE_UNIT,
};

const char *const vdla_channel_names[VDLA_CHANNELS] = {
	"load to compute", "compute to load", "compute to store", "store to compute",
};

uint8_t *vdla_memory_new(const struct vdla_binary *b)
{
	uint8_t *memory = calloc(1, (size_t)b->memory_bytes + 1);

	if (!memory)
		die("out of memory (%lld bytes)", (long long)b->memory_bytes);
	for (int i = 0; i < b->tensors.n; i++) {
		const struct vdla_tensor *t = &b->tensors.at[i];

		if (t->data)
			memcpy(memory + t->address * VDLA_UNIT_BYTES, t->data, (size_t)t->bytes);
	}
	return memory;
}

static void begin(struct vdla_run *r, struct arena *a)
{
	size_t n = (size_t)r->b->code.n + 1, ring = 1;

	while (ring < n && ring < (size_t)r->b->machine.queue_length)
		ring *= 2;
	r->mask = (int)ring - 1;
	for (int u = 0; u < VDLA_UNITS; u++)
		r->lane[u] = (struct vdla_lane){ .queue = arena_raw(a, ring * sizeof(struct vdla_waiting)), .ready = NEVER };
	for (int c = 0; c < VDLA_CHANNELS; c++)
		r->channel[c].at = arena_raw(a, n * sizeof(int64_t));
	r->begun = r->fetch = r->b->machine.launch_cycles;
}

/* Finds out when the next instruction of LANE can start: behind whatever changes that. */
static void look(const struct vdla_run *r, struct vdla_lane *lane)
{
	enum vdla_channel pops[2];

	lane->ready = NEVER;
	if (lane->head == lane->tail)
		return;
	const struct vdla_waiting *w = &lane->queue[lane->head & r->mask];
	int64_t at = most(lane->free, w->fetched);
	int n = vdla_pops(&r->b->code.at[w->number], pops);

	for (int k = 0; k < n; k++) {
		const struct vdla_fifo *f = &r->channel[pops[k]];

		if (f->head == f->tail)
			return;
		at = most(at, f->at[f->head]);
	}
	lane->ready = at;
}

/* Fetches until a queue is full, or a launch. */
static void fetch(struct vdla_run *r)
{
	for (r->full = VDLA_UNITS; r->next < r->b->code.n;) {
		enum vdla_unit u = vdla_unit_of(&r->b->code.at[r->next]);
		struct vdla_lane *lane = &r->lane[u];

		if (u == VDLA_UNITS || lane->tail - lane->head == r->b->machine.queue_length) {
			r->full = u;
			return;
		}
		lane->queue[lane->tail++ & r->mask] = (struct vdla_waiting){ r->fetch++, r->next++ };
		if (lane->tail - lane->head == 1)
			look(r, lane);
	}
}

/* When a transfer that starts at START ends. */
static int64_t transfer_end(struct vdla_run *r, const struct vdla_instruction *i, int64_t start)
{
	const struct vdla_machine *m = &r->b->machine;
	const struct vdla_transfer *t = &i->transfer;
	int64_t entries = (int64_t)t->rows * t->columns, end = start;
	int64_t bytes = entries * vdla_entry_units(t->scratchpad, t->form) * VDLA_UNIT_BYTES;

	if (t->rows > 0) {
		int64_t asked = start + m->dma_start;
		int64_t granted = most(asked, r->port);

		end = granted + most(ceil_div(bytes, m->dma_bytes), t->rows);
		r->port = end;
		r->cycles->unit[vdla_unit_of(i)].port += granted - asked;
	}
	*(i->op == VDLA_STORE ? &r->cycles->stored : &r->cycles->loaded[t->scratchpad]) += bytes;
	return end + vdla_transfer_entries(t) - entries;
}

static int64_t end_of(struct vdla_run *r, const struct vdla_instruction *i, int64_t start)
{
	const struct vdla_machine *m = &r->b->machine;
	int64_t n;

	switch (i->op) {
	case VDLA_GEMM:
		n = (int64_t)i->gemm.count[0] * i->gemm.count[1];
		r->cycles->products += n;
		return start + m->gemm_depth + n;
	case VDLA_ALU:
		n = (int64_t)i->vector.count[0] * i->vector.count[1];
		return start + m->alu_depth + (i->vector.immediate ? n : 2 * n);
	case VDLA_LOAD:
	case VDLA_STORE:
	case VDLA_LAUNCH:
	case VDLA_OPS:
		break;
	}
	return transfer_end(r, i, start);
}

/* Unit U runs its next instruction, which is ready; -1 and a message where it does what it must not. */
static int run_next(struct vdla_run *r, enum vdla_unit u)
{
	struct vdla_lane *lane = &r->lane[u];
	struct vdla_unit_cycles *c = &r->cycles->unit[u];
	const struct vdla_waiting *w = &lane->queue[lane->head++ & r->mask];
	const struct vdla_instruction *i = &r->b->code.at[w->number];
	int number = w->number;
	int64_t start = most(lane->free, w->fetched);
	enum vdla_channel at[2];

	c->idle += start - lane->free;
	for (int k = 0, n = vdla_pops(i, at); k < n; k++) {
		int64_t token = r->channel[at[k]].at[r->channel[at[k]].head++];

		c->waiting[at[k]] += most(token - start, 0);
		start = most(start, token);
	}
	int64_t port = c->port;

	lane->free = end_of(r, i, start);
	c->busy += lane->free - start - (c->port - port);
	c->instructions++;
	for (int k = 0, n = vdla_pushes(i, at); k < n; k++) {
		struct vdla_fifo *f = &r->channel[at[k]];

		f->at[f->tail++] = lane->free;
		f->last = number;
		if (f->tail - f->head == 1)
			look(r, &r->lane[takers[at[k]]]);
	}
	look(r, lane);
	if (r->full == u) {
		r->fetch = most(r->fetch, start);
		fetch(r);
	}
	if (r->spans)
		r->spans[number] = (struct vdla_span){ start, lane->free };
	return r->execution ? vdla_execute(r->execution, number) : 0;
}

/* Sets the message for units that wait for each other. */
static int deadlock(const struct vdla_run *r)
{
	struct text t = { 0 };

	for (int u = 0; u < VDLA_UNITS; u++) {
		const struct vdla_lane *lane = &r->lane[u];
		enum vdla_channel pops[2];

		if (lane->head == lane->tail)
			continue;
		int number = lane->queue[lane->head & r->mask].number, n = vdla_pops(&r->b->code.at[number], pops);

		vdla_refuse(r->b, number, " waits for a token");
		text_printf(&t, "; %s", err_get());
		for (int k = 0; k < n; k++)
			if (r->channel[pops[k]].head == r->channel[pops[k]].tail)
				text_printf(&t, " from %s", vdla_channel_names[pops[k]]);
	}
	if (r->next < r->b->code.n && vdla_unit_of(&r->b->code.at[r->next]) != VDLA_UNITS) {
		vdla_refuse(r->b, r->next, " waits for a place in its unit's queue");
		text_printf(&t, "; %s", err_get());
	}
	err_set("deadlock%s", text_str(&t));
	text_free(&t);
	return -1;
}

/* Tokens that nobody takes are those of a program that was meant to be another. */
static int check_tokens(const struct vdla_run *r)
{
	for (int c = 0; c < VDLA_CHANNELS; c++) {
		const struct vdla_fifo *f = &r->channel[c];

		if (f->head < f->tail)
			return vdla_refuse(r->b, f->last, " gives a token from %s that nobody takes; in all %d are left",
					   vdla_channel_names[c], f->tail - f->head);
	}
	return 0;
}

/* All that was fetched has run; the next instruction is a launch. */
static int launch(struct vdla_run *r)
{
	int64_t done = r->fetch;

	for (int u = 0; u < VDLA_UNITS; u++)
		done = most(done, r->lane[u].free);
	r->begun = r->fetch = done + r->b->machine.launch_cycles;
	r->cycles->launches++;
	if (r->spans)
		r->spans[r->next] = (struct vdla_span){ done, r->fetch };
	return r->execution ? vdla_execute(r->execution, r->next++) : (r->next++, 0);
}

/* Whose next instruction can start first; VDLA_UNITS: nobody's. */
static enum vdla_unit first(const struct vdla_run *r)
{
	int64_t load = r->lane[VDLA_LOAD_UNIT].ready, compute = r->lane[VDLA_COMPUTE_UNIT].ready;
	int64_t store = r->lane[VDLA_STORE_UNIT].ready;

	if (compute < load)
		return store < compute ? VDLA_STORE_UNIT : VDLA_COMPUTE_UNIT;
	if (store < load)
		return VDLA_STORE_UNIT;
	return load == NEVER ? VDLA_UNITS : VDLA_LOAD_UNIT;
}

/* 0 where nothing is left that could run: at the end, at a launch, or in a deadlock. */
static int run_ready(struct vdla_run *r)
{
	fetch(r);
	for (enum vdla_unit u = first(r); u != VDLA_UNITS; u = first(r))
		if (run_next(r, u) < 0)
			return -1;
	for (int u = 0; u < VDLA_UNITS; u++)
		if (r->lane[u].head < r->lane[u].tail)
			return deadlock(r);
	return check_tokens(r);
}

/* 0 at the end of the program. */
static int run(struct vdla_run *r)
{
	int rc = run_ready(r);

	while (rc == 0 && r->next < r->b->code.n)
		rc = launch(r) < 0 ? -1 : run_ready(r);
	return rc;
}

int vdla_simulate(const struct vdla_binary *b, uint8_t *memory, struct vdla_cycles *out, struct vdla_span *spans)
{
	struct vdla_run r = { .b = b, .cycles = out, .spans = spans };
	struct arena *a = arena_new();

	*out = (struct vdla_cycles){ 0 };
	if (memory)
		r.execution = vdla_execution_new(a, b, memory);
	begin(&r, a);
	int rc = run(&r);

	out->launches++;
	out->total = r.begun;
	for (int u = 0; u < VDLA_UNITS; u++)
		out->total = most(out->total, r.lane[u].free);
	for (int u = 0; u < VDLA_UNITS; u++)
		out->unit[u].idle += out->total - r.lane[u].free;
	arena_free(a);
	return rc;
}
