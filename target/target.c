/* SPDX-License-Identifier: Apache-2.0 */
/* target/target.c - the table of targets. */
#include "target/target.h"

#include <string.h>

#include "base/err.h"

static const struct target *const targets[] = {
#define X(id) &target_##id,
#include "target/targets.def"
#undef X
};

const char *annotation_name(enum annotation a)
{
	static const char *const names[] = {
#define X(id, name, meaning) name,
#include "target/annotation.def"
#undef X
	};

	return names[a];
}

const char *memory_scope_name(enum memory_scope s)
{
	static const char *const names[] = {
#define X(id, name, meaning) name,
#include "target/scope.def"
#undef X
	};

	return names[s];
}

const struct target *target_at(int i)
{
	return targets[i];
}

int target_number(const struct target *t)
{
	int i = 0;

	while (strcmp(targets[i]->name, t->name) != 0)	/* T may be one of them with other sizes */
		i++;
	return i;
}

const struct target *target_named(const char *name)
{
	for (int i = 0; i < TARGET_COUNT; i++)
		if (strcmp(targets[i]->name, name) == 0)
			return targets[i];
	return NULL;
}

const struct target *target_of_isa(const char *isa)
{
	for (int i = 0; i < TARGET_COUNT; i++)
		if (strcmp(targets[i]->isa, isa) == 0)
			return targets[i];
	return NULL;
}

const struct target *target_of_toolchain(const char *text, const struct target *own)
{
	const char *mark = text ? strstr(text, TARGET_MARK) : NULL;
	const struct target *named = mark ? target_named(mark + strlen(TARGET_MARK)) : NULL;

	return named ? named : own;
}

const struct target *target_here(void)
{
	int i = 0;

	while (!targets[i]->runs())
		i++;
	return targets[i];
}

bool target_is_own(const struct target *t)
{
	return t == target_here();
}

bool target_is_foreign(const struct target *t)
{
#if defined(__x86_64__)
	const char *here = "x86_64";
#elif defined(__aarch64__)
	const char *here = "aarch64";
#else
	const char *here = "";
#endif
	return t->arch && strcmp(t->arch, here) != 0;
}

void target_print_names(struct text *out, bool here)
{
	const char *between = "";

	for (int i = 0; i < TARGET_COUNT; i++) {
		if (here && !targets[i]->runs())
			continue;
		text_printf(out, "%s%s", between, targets[i]->name);
		between = ", ";
	}
}

const struct target *target_choose(const char *name)
{
	const struct target *t = target_named(name);
	struct text names = { 0 };

	if (t && t->runs())
		return t;
	target_print_names(&names, t);
	if (t && t->operands)
		err_set("target '%s': a simulated device alone runs its code: give --device %s instead, as tune, best, show and "
			"export take it", name, name);
	else if (t)
		err_set("target '%s': this machine does not run its code; it runs: %s", name,
			text_str(&names));
	else
		err_set("target '%s': there is no such target; there are: %s", name, text_str(&names));
	text_free(&names);
	return NULL;
}
