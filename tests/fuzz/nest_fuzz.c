/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/nest_fuzz.c - libFuzzer: any text as a program. What parses prints, parses back and prints alike;
 * passes take it or refuse it, and what is behind each of them is read back, too. */
#include "schedule/text/nest_text.h"
#include "schedule/pass/pass.h"
#include "tests/fuzz/fuzz.h"

static const char *printed(struct arena *a, const struct program *p)
{
	struct text t = { 0 };

	program_print(&t, p);
	const char *out = arena_strdup(a, text_str(&t));

	text_free(&t);
	return out;
}

static void must_round_trip(struct arena *a, const struct program *p)
{
	const char *text = printed(a, p);
	const struct program *back = program_parse(a, "back", text);

	fuzz_must(back, "the printed form does not parse");
	fuzz_must(strcmp(printed(a, back), text) == 0, "the printed form does not print alike");
}

/* All but place, which reads a state. */
static void run_passes(struct arena *a, struct program *p)
{
	const char *why;

	for (int i = PASS_place + 1; i < NEST_PASSES; i++) {
		if (!nest_passes[i].run(p, &why))
			return;
		must_round_trip(a, p);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new();
	struct program *p = program_parse(a, "fuzz.nest", fuzz_text(a, data, size));

	if (p) {
		must_round_trip(a, p);
		run_passes(a, p);
	}
	arena_free(a);
	return 0;
}
