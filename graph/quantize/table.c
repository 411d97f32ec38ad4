/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/table.c - tables in JSON. */
#include "graph/quantize/table.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"

/* --- read */

static int read_zero(const json_t *zero, struct quant_grid *grid)
{
	json_int_t v = json_integer_value(zero);

	if (zero && !json_is_integer(zero))
		return err_set("\"zero_point\" must be an integer");
	if (v < element_min(grid->element) || v > element_max(grid->element))
		return err_set("zero_point %lld is no %s", (long long)v, element_name(grid->element));
	grid->zero = (int)v;
	return 0;
}

static int read_grid(const json_t *one, struct quant_grid *grid)
{
	const json_t *scale = json_object_get(one, "scale");
	const char *type = json_string_value(json_object_get(one, "type"));
	const char *key;
	json_t *any;

	*grid = (struct quant_grid){ .element = ELEMENT_U8 };
	if (json_is_string(one) && strcmp(json_string_value(one), "float") == 0)
		return 0;
	if (!json_is_object(one))
		return err_set("give \"float\", or {\"type\", \"scale\", \"zero_point\"}");
	json_object_foreach((json_t *)one, key, any)
		if (strcmp(key, "type") != 0 && strcmp(key, "scale") != 0 && strcmp(key, "zero_point") != 0)
			return err_set("there is no \"%s\" here", key);
	if (json_object_get(one, "type") &&
	    (!type || !element_parse(type, &grid->element) ||
	     (grid->element != ELEMENT_U8 && grid->element != ELEMENT_I8)))
		return err_set("\"type\" must be \"u8\" or \"i8\"");
	grid->scale = (float)json_number_value(scale);
	if (!json_is_number(scale) || !(grid->scale > 0) || !isfinite(grid->scale))
		return err_set("\"scale\" must be a number above 0");
	return read_zero(json_object_get(one, "zero_point"), grid);
}

static int read_section(struct arena *a, const json_t *all, const char *section, struct quant_table *t)
{
	json_t *of = json_object_get(all, section), *one;
	const char *name;

	if (of && !json_is_object(of))
		return err_set("%s: \"%s\" must be an object", t->path, section);
	json_object_foreach(of, name, one) {
		struct quant_entry e = { .name = arena_strdup(a, name),
					 .node = strcmp(section, "nodes") == 0 };

		if (read_grid(one, &e.grid) < 0)
			return err_prefix("%s: %s \"%s\"", t->path, section, name);
		vec_push(a, &t->entries, e);
	}
	return 0;
}

static int read_all(struct arena *a, json_t *all, struct quant_table *t)
{
	const char *key;
	json_t *any;

	if (!json_is_object(all))
		return err_set("%s: no JSON object", t->path);
	json_object_foreach(all, key, any)
		if (strcmp(key, "tensors") != 0 && strcmp(key, "nodes") != 0)
			return err_set("%s: \"%s\" is neither \"tensors\" nor \"nodes\"", t->path, key);
	if (read_section(a, all, "tensors", t) < 0)
		return -1;
	return read_section(a, all, "nodes", t);
}

struct quant_table *quant_table_read(struct arena *a, const char *path)
{
	struct quant_table *t = arena_one(a, struct quant_table);
	json_error_t error;
	json_t *all = json_load_file(path, JSON_REJECT_DUPLICATES, &error);

	t->path = arena_strdup(a, path);
	if (!all) {
		if (error.line < 0)
			err_set("%s: %s", path, error.text);
		else
			err_set("%s:%d:%d: %s", path, error.line, error.column, error.text);
		return NULL;
	}
	int rc = read_all(a, all, t);

	json_decref(all);
	return rc < 0 ? NULL : t;
}

/* --- use */

static const char *tensor_name(struct arena *a, const struct graph *g, int value)
{
	const char *name = function_at(graph_main(g), value)->name;

	return *name ? name : arena_printf(a, "%%%d", value);
}

static bool is_of(struct arena *a, const struct quant_entry *e, const struct graph *g,
		  const struct quant_site *s)
{
	const struct binding *call = quant_site_call(g, s);

	if (e->node)
		return strcmp(call->origin->label, e->name) == 0;
	return s->function == g->main && strcmp(tensor_name(a, g, call->args[0]), e->name) == 0;
}

static int use_entry(struct arena *a, const struct quant_table *t, const struct quant_entry *e,
		     const struct graph *g, struct quant_site_vec *sites)
{
	const char *kind = e->node ? "node" : "tensor", *why = NULL;
	int found = 0, used = 0;

	for (int i = 0; i < sites->n; i++) {
		struct quant_site *s = &sites->at[i];

		if (!is_of(a, e, g, s))
			continue;
		found++;
		if (e->grid.scale == 0) {
			s->why = s->why ? s->why : "the table has it stay float";
			used++;
		} else if (s->own >= 0 || s->why) {
			why = s->why ? s->why : "the model itself quantizes its data";
		} else {
			s->grid = e->grid;
			used++;
		}
	}
	if (!found)
		return err_set("%s: %s \"%s\": no convolution or product %s so (--write-table shows what "
			       "there is)", t->path, kind, e->name,
			       e->node ? "is labelled" : "reads a tensor that is called");
	return used ? 0
		    : err_set("%s: %s \"%s\" cannot be quantized: %s", t->path, kind, e->name, why);
}

int quant_table_use(struct arena *a, const struct quant_table *t, const struct graph *g,
		    struct quant_site_vec *sites)
{
	/* tensors first: they were read first, and a node's own goes over them */
	for (int i = 0; i < t->entries.n; i++)
		if (use_entry(a, t, &t->entries.at[i], g, sites) < 0)
			return -1;
	return 0;
}

/* --- write */

static json_t *grid_json(struct quant_grid grid)
{
	return json_pack("{s:s, s:f, s:i}", "type", element_name(grid.element), "scale",
			 (double)grid.scale, "zero_point", grid.zero);
}

static bool same(struct quant_grid x, struct quant_grid y)
{
	return x.element == y.element && x.scale == y.scale && x.zero == y.zero;
}

static json_t *table_json(struct arena *a, const struct quant *q)
{
	json_t *tensors = json_object(), *nodes = json_object();

	for (int i = 0; i < q->tensors.n; i++) {
		const struct quant_tensor *t = &q->tensors.at[i];
		const char *name = tensor_name(a, q->graph, t->value);

		if (t->grid.scale > 0 && !json_object_get(tensors, name))
			json_object_set_new_nocheck(tensors, name, grid_json(t->grid));
	}
	for (int i = 0; i < q->sites.n; i++) {
		const struct quant_site *s = &q->sites.at[i];
		const char *label = quant_site_call(q->graph, s)->origin->label;

		if (!*label || s->own >= 0)
			continue;
		if (s->why) {
			json_object_set_new_nocheck(nodes, label, json_string("float"));
			continue;
		}
		/* one that has its data on a grid of its own */
		for (int j = 0; j < s->tensor; j++)
			if (q->tensors.at[j].value == s->data && !same(q->tensors.at[j].grid, s->grid))
				json_object_set_new_nocheck(nodes, label, grid_json(s->grid));
	}
	return json_pack("{s:o, s:o}", "tensors", tensors, "nodes", nodes);
}

int quant_table_write(const char *path, const struct quant *q)
{
	struct arena *a = arena_new();
	json_t *all = table_json(a, q);
	char *text = json_dumps(all, JSON_INDENT(1));
	int rc = text ? file_write(path, text, strlen(text))
		      : err_set("%s: a name in the model is no UTF-8", path);

	free(text);
	json_decref(all);
	arena_free(a);
	return rc;
}
