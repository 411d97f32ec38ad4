/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators.c - finds and loads shared objects, and reads what they say of themselves. */
#include "partition/generators.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "measure/process/spawn.h"
#include "partition/instance.h"

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

/* The = that ends the name in ASKED, or the path of a file; the end of ASKED where there is none. */
static const char *name_end(struct arena *a, const char *asked)
{
	for (const char *at = strchr(asked, '='); at; at = strchr(at + 1, '=')) {
		const char *name = arena_printf(a, "%.*s", (int)(at - asked), asked);
		struct stat is;

		if (!strchr(name, '/') || (stat(name, &is) == 0 && S_ISREG(is.st_mode)))
			return at;
	}
	return asked + strlen(asked);
}

/* The shared object that NAME says: a path, or one of hone's, in the folder HONE_GENERATORS where that is
 * set. NULL and a message. */
static const char *find(struct arena *a, const char *name)
{
	const char *folder = getenv("HONE_GENERATORS");
	const char *file = arena_printf(a, "hone-%s.so", name);

	if (strchr(name, '/'))
		return name;
	return folder && *folder ? arena_printf(a, "%s/%s", folder, file)
				 : spawn_find(a, file, "HONE_GENERATORS", NULL);
}

int backend_load(struct arena *a, const char *asked, struct backend *out)
{
	const char *end = name_end(a, asked);
	const char *name = arena_printf(a, "%.*s", (int)(end - asked), asked);

	*out = (struct backend){ .asked = arena_strdup(a, asked), .name = name, .path = find(a, name),
				 .text = *end ? arena_strdup(a, end + 1) : NULL };
	if (!out->path)
		return err_prefix("generator '%s'", name);
	out->generator = instance_load(name, out->path, out->text);
	if (!out->generator)
		return -1;
	if (missing(out->generator))
		return err_set("generator '%s' has no '%s'", name, missing(out->generator));
	out->version = out->generator->version();
	return read_patterns(a, name, out);
}

/* One of hone's is looked for by its name, another at its place. */
const char *backend_again(struct arena *a, const struct backend *b)
{
	char real[PATH_MAX];

	if (b->name && !strchr(b->name, '/'))
		return b->asked;
	return arena_printf(a, "%s%s%s", realpath(b->path, real) ? real : b->path, b->text ? "=" : "",
			    b->text ? b->text : "");
}

double cost_us(struct hone_cost c)
{
	return c.kernels_us + c.launches_us + c.transfers_us;
}

struct hone_cost backend_cost(const struct backend *b, const struct hone_region *region, int threads)
{
	struct hone_cost c = { 0 };

	if (b->generator->cost)
		c = b->generator->cost(region, threads);
	return c.kernels_us >= 0 && c.launches_us >= 0 && c.transfers_us >= 0 && isfinite(cost_us(c))
		       ? c : (struct hone_cost){ 0 };
}

const struct backend *backend_find(const struct backend *all, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (strcmp(all[i].generator->name, name) == 0)
			return &all[i];
	return NULL;
}
