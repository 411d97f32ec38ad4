/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators.c - finds and loads shared objects, and reads what they say of themselves. */
#include "partition/generators.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "measure/process/spawn.h"

static int read_patterns(struct arena *a, const char *name, struct backend *b)
{
	const struct hone_pattern *text = b->generator->patterns;

	while (text[b->npatterns].name)
		b->npatterns++;
	b->patterns = arena_many(a, const struct pattern *, b->npatterns);
	for (int i = 0; i < b->npatterns; i++) {
		b->patterns[i] = pattern_parse(a, text[i].text);
		if (!b->patterns[i])
			return err_prefix("generator %s", name);
	}
	return 0;
}

/* Has G all that a generator has to have? */
static const char *missing(const struct hone_generator *g)
{
	return !g->name ? "name" : !g->patterns ? "patterns" : !g->version ? "version"
	       : !g->init ? "init" : !g->run ? "run" : !g->release ? "release" : NULL;
}

/* The shared object that NAME says: a path, or one of hone's, in the folder HONE_GENERATORS where that is
 * set. NULL and a message. */
static const char *find(struct arena *a, const char *name)
{
	const char *folder = getenv("HONE_GENERATORS");
	const char *file = arena_printf(a, "hone-%s.so", name);

	if (strchr(name, '/'))
		return arena_strdup(a, name);
	return folder && *folder ? arena_printf(a, "%s/%s", folder, file)
				 : spawn_find(a, file, "HONE_GENERATORS", NULL);
}

int backend_load(struct arena *a, const char *name, struct backend *out)
{
	const char *path = find(a, name);

	*out = (struct backend){ .asked = arena_strdup(a, name), .path = path };
	if (!path)
		return err_prefix("generator '%s'", name);
	out->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!out->object)
		return err_set("generator '%s' cannot be loaded: %s", name, dlerror());
	out->generator = dlsym(out->object, "hone_generator");
	if (!out->generator)
		return err_set("'%s' is no code generator: it has no symbol 'hone_generator'", path);
	if (out->generator->abi != HONE_GENERATOR_ABI)
		return err_set("generator '%s' is of ABI %d, this hone has %d: build it again with its "
			       "hone_generator.h", name, out->generator->abi, HONE_GENERATOR_ABI);
	if (missing(out->generator))
		return err_set("generator '%s' has no '%s'", name, missing(out->generator));
	out->version = out->generator->version();
	return read_patterns(a, name, out);
}

const struct backend *backend_find(const struct backend *all, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (strcmp(all[i].generator->name, name) == 0)
			return &all[i];
	return NULL;
}
