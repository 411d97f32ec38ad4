/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kept/generators.c - generators and what each computes of a model, as JSON: a module for each, with the
 * places of its regions and kernels in the graph, and what it compiled of them. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "graph/task/variant.h"
#include "partition/kernels.h"
#include "runtime/kept/form.h"

/* --- writing */

/* A generator of the model that is written. */
struct used_generator {
	const struct backend *backend;
	json_t *regions, *kernels;
};

struct used_generator_vec VEC(struct used_generator);

struct used_generators {
	struct arena *a;
	struct used_generator_vec at;
};

static struct used_generator *used(struct used_generators *x, const struct foreign *foreign)
{
	const struct backend *b = foreign_backend(foreign);

	for (int i = 0; i < x->at.n; i++)
		if (x->at.at[i].backend->generator == b->generator)
			return &x->at.at[i];
	vec_push(x->a, &x->at, (struct used_generator){ b, json_array(), json_array() });
	return &x->at.at[x->at.n - 1];
}

/* [hash, artifact] */
static json_t *past_json(struct kept_writer *k, const struct foreign *foreign)
{
	const struct text *artifact = foreign_artifact(foreign);
	char hex[HASH_TEXT];

	return json_pack("[s, o]", hash_text(foreign_hash(foreign), hex),
			 kept_bytes_json(k, artifact->s, artifact->n));
}

/* [function, us, in model, past] of each region that is left behind all passes. */
static void add_regions(struct kept_writer *k, struct used_generators *x, const struct opened *m)
{
	const struct offloaded *o = &m->offloaded;

	for (int i = 0; i < o->cut.regions.n; i++) {
		int function = graph_find_function(m->graph, o->cut.regions.at[i].function);

		if (function != FUNCTION_NONE)
			json_array_append_new(used(x, o->ready[i])->regions,
					      json_pack("[i, f, b, o]", function, o->times[i].us,
							(int)o->times[i].in_model, past_json(k, o->ready[i])));
	}
}

/* [task, function, value, past] of each place. */
static void add_kernels(struct kept_writer *k, struct used_generators *x, const struct opened *m)
{
	for (int i = 0; i < m->tasks->n; i++)
		for (int j = 0; j < m->choices[i].nforeign; j++) {
			const struct choice_foreign *f = &m->choices[i].foreign[j];

			json_array_append_new(used(x, f->foreign)->kernels,
					      json_pack("[i, i, i, o]", i, f->function, f->value,
							past_json(k, f->foreign)));
		}
}

static json_t *generator_json(struct arena *a, const struct used_generator *u)
{
	const struct backend *b = u->backend;

	return json_pack("{s:s, s:s, s:i, s:s, s:o, s:o}", "name", b->generator->name, "version", b->version, "abi",
			 b->generator->abi, "from", backend_again(a, b), "regions", u->regions, "kernels", u->kernels);
}

json_t *kept_generators_json(struct kept_writer *k, const struct opened *m)
{
	struct used_generators x = { .a = arena_new() };
	json_t *out = json_array();
	bool whole = true;

	add_regions(k, &x, m);
	add_kernels(k, &x, m);
	for (int i = 0; i < x.at.n; i++)
		whole &= json_array_append_new(out, generator_json(x.a, &x.at.at[i])) == 0;
	arena_free(x.a);
	return kept_whole(out, whole);
}

/* --- reading */

static int read_past(const struct kept_reader *r, const json_t *json, struct foreign_past *out)
{
	const char *hash = json_string_value(json_array_get(json, 0));

	if (!hash || !hash_parse(hash, &out->hash))
		return kept_bad(r, "regions");
	return kept_bytes_read(r, json_array_get(json, 1), &out->artifact, &out->bytes);
}

/* FOREIGN, which may be NULL, with what the user wants of it. */
static struct foreign *ready(const struct kept_reader *r, struct foreign *foreign)
{
	if (foreign && r->with->fall_back)
		foreign_fall_back(foreign);
	return foreign;
}

static bool is_region(const struct kept_reader *r, int function, const struct backend *b)
{
	const struct graph *g = r->out->graph;
	const char *by = function >= 0 && function < g->functions.n
				 ? function_generator(g->functions.at[function]) : NULL;

	return by && strcmp(by, b->generator->name) == 0;
}

/* Region I of all, by B. */
static int read_region(struct kept_reader *r, const struct backend *b, const json_t *json, int i)
{
	struct offloaded *o = &r->out->offloaded;
	struct graph *g = r->out->graph;
	int function, in_model;
	json_t *json_past;
	struct foreign_past past;

	if (json_unpack(kept_any(json), "[i, F, b, o]", &function, &r->times[i].us, &in_model, &json_past) < 0 ||
	    !is_region(r, function, b) || o->foreign[function])
		return kept_bad(r, "regions");
	r->times[i].in_model = in_model;
	if (read_past(r, json_past, &past) < 0 ||
	    !(o->ready[i] = ready(r, foreign_new(r->a, g, function, b, r->with->threads, &past))))
		return -1;
	o->foreign[function] = o->ready[i];
	vec_push(r->a, &o->cut.regions, (struct offload_region){ g->functions.at[function]->name,
								 (int)(b - r->with->backends.at) });
	return 0;
}

static int read_kernel(struct kept_reader *r, const struct backend *b, const json_t *json)
{
	const struct graph *g = r->out->graph;
	int task, function, value;
	json_t *json_past;
	struct foreign_past past;

	if (json_unpack(kept_any(json), "[i, i, i, o]", &task, &function, &value, &json_past) < 0 || task < 0 ||
	    task >= r->out->tasks->n || !kept_applies(r, function, value))
		return kept_bad(r, "kernels of generators");
	struct choice *c = &r->choices[task];
	const struct cut_from from = cut_from_apply(r->a, g, g->functions.at[function], value);
	const struct kernel_region *region = kernel_region_new(r->a, &from);

	if (c->nforeign >= r->out->tasks->at[task].uses.n || !region)
		return kept_bad(r, "kernels of generators");
	struct foreign *foreign = read_past(r, json_past, &past) < 0 ? NULL
				  : ready(r, foreign_kernel(r->a, region, b, r->with->threads, &past));

	if (!foreign)
		return -1;
	struct choice_foreign *places = arena_many(r->a, struct choice_foreign, c->nforeign + 1);

	for (int i = 0; i < c->nforeign; i++)
		places[i] = c->foreign[i];
	places[c->nforeign++] = (struct choice_foreign){ function, value, foreign };
	c->foreign = places;
	return 0;
}

static int read_generator(struct kept_reader *r, const json_t *json)
{
	const char *name = json_string_value(json_object_get(json, "name"));
	const struct backend *b = name ? backend_find(r->with->backends.at, r->with->backends.n, name) : NULL;
	json_t *one;
	size_t i;

	if (!b)
		return name ? err_set("%s: generator %s is not there", r->file->path, name)
			    : kept_bad(r, "generators");
	json_array_foreach(json_object_get(json, "regions"), i, one)
		if (read_region(r, b, one, r->out->offloaded.cut.regions.n) < 0)
			return -1;
	json_array_foreach(json_object_get(json, "kernels"), i, one)
		if (read_kernel(r, b, one) < 0)
			return -1;
	return 0;
}

/* Has each task that generators compute at all of its places a kernel of theirs there? */
static int check(const struct kept_reader *r)
{
	for (int i = 0; i < r->out->tasks->n; i++)
		if (r->out->choices[i].origin == CHOICE_GENERATOR &&
		    r->out->choices[i].nforeign != r->out->tasks->at[i].uses.n)
			return kept_bad(r, "kernels of generators");
	return 0;
}

int kept_generators_read(struct kept_reader *r, const json_t *json)
{
	struct offloaded *o = &r->out->offloaded;
	size_t i, regions = 0;
	json_t *one;

	json_array_foreach(kept_any(json), i, one)
		regions += json_array_size(json_object_get(one, "regions"));
	r->times = arena_many(r->a, struct offer, regions);
	if (regions > 0)
		*o = (struct offloaded){
			.backends = r->with->backends.at, .nbackends = r->with->backends.n,
			.foreign = arena_many(r->a, struct foreign *, r->out->graph->functions.n),
			.ready = arena_many(r->a, struct foreign *, regions),
			.times = r->times,
		};
	json_array_foreach(kept_any(json), i, one)
		if (read_generator(r, one) < 0)
			return -1;
	return json_is_array(json) ? check(r) : kept_bad(r, "generators");
}
