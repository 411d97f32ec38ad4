/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kernel/guesses.c - the steps of each guess as a file in the user's cache folder. */
#include "config.h"

#include "runtime/kernel/guesses.h"

#include "base/build_id.h"
#include "base/err.h"
#include "base/file.h"
#include "base/hash.h"
#include "costmodel/features/features.h"
#include "schedule/text/step_text.h"
#include "search/kernel_text.h"

/* Steps are some lines; a file that is longer is none of ours. */
#define MOST_BYTES ((size_t)1 << 20)
/* Of some dozens of models. */
enum { MOST_KEPT = 16384 };

static const char *place(struct arena *a, const char *cache, const struct task *t,
			 const struct aim *aim)
{
	struct hash128 features = features_hash();
	const char *id = build_id(a);
	struct hasher *h = hasher_new();
	char hex[HASH_TEXT];

	hasher_str(h, id ? id : PACKAGE_VERSION);
	hasher_str(h, t->key);
	hasher_bytes(h, &features, sizeof(features));
	hasher_str(h, aim->target->name);
	hasher_int(h, aim->threads);
	hasher_int(h, aim->exact);
	/* Rates and sizes: what was guessed for others is as good a guess as any. */
	return arena_printf(a, "%s/guesses/%s.steps", cache, hash_text(hasher_end(h), hex));
}

/* The guess whose steps are in the file at PATH; false where there is none that still holds. */
static bool recall(struct arena *a, const struct task *t, const struct aim *aim,
		   const char *path, struct guess *out)
{
	size_t size;
	const char *why;
	char *steps = file_read(a, path, MOST_BYTES, &size);
	struct state *s = steps ? state_parse(a, t->dag, path, steps) : NULL;

	if (!s)
		return false;
	const struct program *p = lower(a, s, aim->target, &why);

	if (!p)
		return false;
	*out = (struct guess){ .steps = steps, .replaces = program_replaces(p) };
	out->source = program_source(a, p, &why);
	return out->source != NULL;
}

bool guesses_get(struct arena *a, const struct task *t, const struct aim *aim,
		 struct guess *out)
{
	const char *cache = dir_cache(a);
	const char *path = cache ? place(a, cache, t, aim) : NULL;

	if (path && recall(a, t, aim, path, out))
		return true;
	if (!task_guess(a, t, aim, out))
		return false;
	/* Where it cannot be kept it costs a second next time. */
	if (path)
		file_keep(path, out->steps, strlen(out->steps), MOST_KEPT);
	return true;
}
