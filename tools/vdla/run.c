/* SPDX-License-Identifier: Apache-2.0 */
/* tools/vdla/run.c - `hone vdla run`: executes a program and tells what it took. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/rng.h"
#include "tools/json.h"
#include "tools/vdla/report.h"
#include "tools/vdla/vdla.h"

/* Of the machine that hone runs on, twice of it are taken: for what is in it and for who touched it. */
static const int64_t memory_most = 1LL << 33;

/* All that the program does not bring along: uniform bytes. */
static void fill(const struct vdla_binary *b, uint8_t *memory, int64_t seed)
{
	struct rng r = rng_seed((uint64_t)seed);

	for (int i = 0; i < b->tensors.n; i++) {
		const struct vdla_tensor *t = &b->tensors.at[i];

		for (int64_t k = 0; t->role != VDLA_OUTPUT && !t->data && k < t->bytes; k++)
			memory[t->address * VDLA_UNIT_BYTES + k] = (uint8_t)rng_below(&r, 256);
	}
}

static int write_outputs(const char *path, const struct vdla_binary *b, const uint8_t *memory)
{
	struct text all = { 0 };

	for (int i = 0; i < b->tensors.n; i++) {
		const struct vdla_tensor *t = &b->tensors.at[i];

		if (t->role == VDLA_OUTPUT)
			text_putn(&all, (const char *)memory + t->address * VDLA_UNIT_BYTES, (size_t)t->bytes);
	}
	int rc = file_write(path, text_str(&all), all.n);

	text_free(&all);
	return rc;
}

static const char *hash(const struct vdla_tensor *t, const uint8_t *memory, char out[HASH_TEXT])
{
	return hash_text(hash_bytes(memory + t->address * VDLA_UNIT_BYTES, (size_t)t->bytes), out);
}

static void print(const struct vdla_binary *b, const uint8_t *memory, const struct vdla_cycles *c)
{
	struct text t = { 0 };
	char hex[HASH_TEXT];

	vdla_cycles_print(&t, &b->machine, c);
	fputs(text_str(&t), stdout);
	text_free(&t);
	for (int i = 0; i < b->tensors.n; i++)
		if (b->tensors.at[i].role == VDLA_OUTPUT)
			printf("output   %s, %lld bytes of hash %s\n", b->tensors.at[i].name,
			       (long long)b->tensors.at[i].bytes, hash(&b->tensors.at[i], memory, hex));
}

static json_t *outputs_json(const struct vdla_binary *b, const uint8_t *memory)
{
	json_t *list = json_array();
	char hex[HASH_TEXT];

	for (int i = 0; i < b->tensors.n; i++) {
		const struct vdla_tensor *t = &b->tensors.at[i];

		if (t->role == VDLA_OUTPUT)
			json_array_append_new(list, json_pack("{s:o, s:I, s:s}", "name", json_label(t->name), "bytes",
							      (json_int_t)t->bytes, "hash", hash(t, memory, hex)));
	}
	return list;
}

static void print_json(const struct vdla_binary *b, const uint8_t *memory, const struct vdla_cycles *c)
{
	json_t *loaded = json_object();

	for (int s = 0; s < VDLA_SCRATCHPADS; s++)
		json_object_set_new(loaded, vdla_scratchpad_names[s], json_integer(c->loaded[s]));
	json_print(json_pack("{s:I, s:f, s:o, s:I, s:o, s:I, s:o}", "cycles", (json_int_t)c->total, "time_us",
			     (double)c->total / b->machine.clock_mhz, "units", vdla_units_json(c), "products", (json_int_t)c->products,
			     "loaded", loaded, "stored", (json_int_t)c->stored, "outputs", outputs_json(b, memory)));
}

int vdla_run(const struct vdla_args *args, const struct vdla_binary *b)
{
	struct vdla_cycles c;

	if (b->memory_bytes > memory_most)
		return err_set("%s: it has %lld bytes of memory; up to %lld are executed", args->file,
			       (long long)b->memory_bytes, (long long)memory_most);
	uint8_t *memory = vdla_memory_new(b);

	fill(b, memory, args->seed);
	int rc = vdla_simulate(b, memory, &c, NULL);

	if (rc < 0)
		err_prefix("%s", args->file);
	else if (args->output)
		rc = write_outputs(args->output, b, memory);
	if (rc == 0 && args->json)
		print_json(b, memory, &c);
	else if (rc == 0)
		print(b, memory, &c);
	free(memory);
	return rc;
}
