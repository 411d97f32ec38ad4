/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/vdla/compiled.c - a list, by the text of the region's graph. */
#include "partition/generators/vdla/compiled.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/err.h"
#include "graph/text/text.h"
#include "include/hone_generator_read.h"
#include "partition/generators/vdla/images.h"
#include "partition/generators/vdla/program.h"
#include "partition/region_graph.h"

struct graph *region_images(struct arena *a, const struct hone_region *region)
{
	struct graph *g = region_graph(a, region);

	return g ? images_of(a, g) : NULL;
}

static pthread_mutex_t compiling = PTHREAD_MUTEX_INITIALIZER;
static struct vdla_compiled *compiled;

static struct hash128 region_key(struct arena *a, const struct hone_region *region)
{
	const struct graph *g = region_graph(a, region);
	struct text t = { 0 };

	if (g)
		graph_print(&t, g, false);
	struct hash128 key = hash_bytes(text_str(&t), t.n);

	text_free(&t);
	return key;
}

static void compile_region(struct arena *a, const struct hone_region *region, const struct vdla_options *o,
			   struct vdla_compiled *out)
{
	struct graph *images = region_images(a, region);
	struct vdla_binary *b = images ? vdla_program_of(a, images, o) : NULL;

	if (!b || vdla_simulate(b, NULL, &out->cycles, NULL) < 0) {
		hone_refuse(out->why, "%s", err_get());
		return;
	}
	vdla_binary_write(&out->file, b);
}

const struct vdla_compiled *vdla_compiled_of(const struct hone_region *region, const struct vdla_options *o)
{
	struct arena *a = arena_new();
	struct hash128 key = region_key(a, region);

	pthread_mutex_lock(&compiling);
	struct vdla_compiled *c = compiled;

	while (c && !hash_equal(c->key, key))
		c = c->next;
	if (!c && (c = calloc(1, sizeof(*c)))) {
		c->key = key;
		compile_region(a, region, o, c);
		c->next = compiled;
		compiled = c;
	}
	pthread_mutex_unlock(&compiling);
	arena_free(a);
	if (!c)
		die("out of memory");
	return c;
}
