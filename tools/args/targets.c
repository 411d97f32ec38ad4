/* SPDX-License-Identifier: Apache-2.0 */
/* tools/args/targets.c - the option --target, and the table of targets as text and as JSON. */
#include "tools/args/targets.h"

#include <stdio.h>

#include "base/err.h"
#include "target/intrinsic.h"

/* No letter, and none of the numbers that commands give their own options from 256 on. */
enum { KEY_TARGET = 4096 };

static const struct argp_option options[] = {
	{ "target", KEY_TARGET, "TARGET", 0, "kernels of this target (default: the machine's own): ", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const struct target **target = state->input;

	if (key != KEY_TARGET)
		return ARGP_ERR_UNKNOWN;
	*target = target_choose(arg);
	if (!*target)
		argp_error(state, "%s", err_get());
	return 0;
}

/* The help of --target says which there are. */
static char *list_names(int key, const char *text, void *input)
{
	struct text all = { 0 };

	(void)input;
	if (key != KEY_TARGET)
		return (char *)(uintptr_t)text;
	text_puts(&all, text);
	target_print_names(&all, false);
	return all.s;	/* argp frees it */
}

const struct argp target_argp = { options, parse, NULL, NULL, NULL, list_names, NULL };

void targets_print(const struct device *d)
{
	for (int i = 0; i < TARGET_COUNT; i++) {
		const struct target *t = target_at(i);
		struct device_rate peak = d->measured.peak[i];

		if (!t->runs())
			continue;
		printf("target       %s (%s%s): %.1f GFLOP/s f32 with 1 thread", t->name, t->summary,
		       t == d->own ? "; its own" : "", peak.one);
		if (d->measured.threads > 1)
			printf(", %.1f with %d", peak.all, d->measured.threads);
		putchar('\n');
	}
}

static json_t *text_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

static json_t *target_json(const struct target *t)
{
	json_t *scopes = json_object(), *loops = json_object(), *intrinsics = json_array();

	for (int i = 0; i < SCOPE_COUNT; i++)
		json_object_set_new(scopes, memory_scope_name(i), json_integer((json_int_t)t->scope_bytes[i]));
	for (int i = 0; i < ANNOTATION_COUNT; i++)
		json_object_set_new(loops, i ? annotation_name(i) : "plain", text_or_null(t->bindings[i]));
	for (int i = 0; i < INTRINSIC_COUNT; i++)
		if (intrinsic_is_there(intrinsic_at(i), t))
			json_array_append_new(intrinsics, json_string(intrinsic_at(i)->name));
	return json_pack("{s:s, s:s, s:b, s:b, s:i, s:i, s:o, s:i, s:o, s:o, s:o, s:o}", "name", t->name,
			 "summary", t->summary, "own", target_is_own(t), "runs", t->runs(), "vector_bytes",
			 t->vector_bytes, "vector_registers", t->vector_registers, "scope_bytes", scopes,
			 "statements", t->statements, "loops", loops, "intrinsics", intrinsics, "march",
			 text_or_null(t->march), "emulator", text_or_null(t->emulator));
}

json_t *targets_json(void)
{
	json_t *all = json_array();

	for (int i = 0; i < TARGET_COUNT; i++)
		json_array_append_new(all, target_json(target_at(i)));
	return all;
}
