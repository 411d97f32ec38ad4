/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/library/chain.c - main's applications in order, on memory that is planned by them. */
#include "runtime/library/chain.h"

#include "runtime/library/steps.h"
#include "runtime/plan/plan.h"

/* As for a list of steps (runtime/flat/flat.c). */
#define PLAN_SECONDS 0.1

/* A result of an application. */
struct link_result {
	size_t bytes;
	int first, last;	/* values of main: which application gives it, which is the last to read it */
	int output;		/* of the library, the first that it is; -1 */
	int buffer;		/* where it is in memory, unless it is an output */
};

struct link_result_vec VEC(struct link_result);

struct model_chain {
	struct library_content *c;
	const struct model_code *code;
	const struct function *main;
	struct link_result_vec products;
	int *product;		/* by value of main; of an application its first; -1: none */
	int *scratch;		/* by application, the buffer that its stretch works in; -1: none */
	struct plan_buffer_vec buffers;
	struct memory_plan plan;
};

/* --- is it one? */

static bool is_tensor(const struct function *main, int value)
{
	return value >= 0 && function_at(main, value)->type->kind == TYPE_TENSOR;
}

static bool is_link(const struct model_code *code, const struct function *main, const struct binding *b)
{
	if (b->function == FUNCTION_NONE ||
	    !(code_foreign(code, b->function) || flat_is_whole(code->flats[b->function])))
		return false;
	for (int i = 0; i < b->nargs; i++)
		if (!is_tensor(main, b->args[i]))
			return false;
	return true;
}

bool library_is_chain(const struct model_code *code)
{
	const struct function *main = graph_main(code->graph);
	bool has_region = false;
	int links = 0;

	for (int v = 0; v < main->bindings.n; v++) {
		const struct binding *b = function_at(main, v);

		if (b->kind == BIND_PARAM || b->kind == BIND_CONST)
			continue;
		if (b->kind == BIND_FIELD && function_at(main, b->args[0])->kind == BIND_APPLY)
			continue;
		if (b->kind != BIND_APPLY || !is_link(code, main, b))
			return false;
		has_region |= code_foreign(code, b->function) != NULL;
		links++;
	}
	return has_region || links <= 1;
}

/* --- what lies between */

static void add_products(struct model_chain *x, int value)
{
	const struct function *f = x->code->graph->functions.at[function_at(x->main, value)->function];

	x->product[value] = x->products.n;
	for (int i = 0; i < f->nresults; i++)
		vec_push(x->c->arena, &x->products, (struct link_result){
			.bytes = (size_t)type_bytes(function_at(f, f->results[i])->type),
			.first = value, .last = value, .output = -1 });
}

static void find_products(struct model_chain *x)
{
	for (int v = 0; v < x->main->bindings.n; v++) {
		const struct binding *b = function_at(x->main, v);

		x->product[v] = -1;
		if (b->kind == BIND_FIELD)
			x->product[v] = x->product[b->args[0]] + b->field;
		if (b->kind != BIND_APPLY)
			continue;
		add_products(x, v);
		for (int i = 0; i < b->nargs; i++)
			if (x->product[b->args[i]] >= 0)
				x->products.at[x->product[b->args[i]]].last = v;
	}
	for (int i = x->main->nresults - 1; i >= 0; i--)
		if (x->product[x->main->results[i]] >= 0)
			x->products.at[x->product[x->main->results[i]]].output = i;
}

static int add_buffer(struct model_chain *x, size_t bytes, int first, int last)
{
	vec_push(x->c->arena, &x->buffers, (struct plan_buffer){
		.bytes = bytes, .first = first, .last = last, .in_place = -1, .part_of = -1 });
	return x->buffers.n - 1;
}

static int plan(struct model_chain *x)
{
	for (int i = 0; i < x->products.n; i++) {
		struct link_result *p = &x->products.at[i];

		if (p->output < 0)
			p->buffer = add_buffer(x, p->bytes, p->first, p->last);
	}
	for (int v = 0; v < x->main->bindings.n; v++) {
		const struct binding *b = function_at(x->main, v);
		bool works = b->kind == BIND_APPLY && !code_foreign(x->code, b->function) &&
			     x->code->flats[b->function]->memory.bytes > 0;

		x->scratch[v] = works ? add_buffer(x, x->code->flats[b->function]->memory.bytes, v, v) : -1;
	}
	return plan_memory(x->c->arena, x->buffers.at, x->buffers.n, PLAN_SECONDS, &x->plan);
}

/* --- steps */

static struct library_place product_place(const struct model_chain *x, int product)
{
	const struct link_result *p = &x->products.at[product];

	return p->output >= 0 ? (struct library_place){ LIBRARY_RESULT, (size_t)p->output, 0 }
			      : (struct library_place){ LIBRARY_MEMORY, x->plan.offset[p->buffer], 0 };
}

static struct library_place value_place(const struct model_chain *x, int value)
{
	return x->product[value] >= 0 ? product_place(x, x->product[value])
				      : library_given_place(x->c, value);
}

static int add_link(struct model_chain *x, int value)
{
	const struct binding *b = function_at(x->main, value);
	int n = x->code->graph->functions.at[b->function]->nresults;
	struct library_place *args = arena_many(x->c->arena, struct library_place, b->nargs + 1);
	struct library_place *results = arena_many(x->c->arena, struct library_place, n + 1);

	for (int i = 0; i < b->nargs; i++)
		args[i] = value_place(x, b->args[i]);
	for (int i = 0; i < n; i++)
		results[i] = product_place(x, x->product[value] + i);
	const struct stretch_ends ends = {
		args, results, x->scratch[value] < 0 ? 0 : x->plan.offset[x->scratch[value]] };

	return library_add_function(x->c, x->code, b->function, &ends);
}

/* Outputs that nobody writes: inputs, constants, and what is an output twice. */
static void add_output_copies(struct model_chain *x)
{
	for (int i = 0; i < x->main->nresults; i++) {
		int value = x->main->results[i];
		struct library_place from = value_place(x, value);

		if (from.room != LIBRARY_RESULT || from.at != (size_t)i)
			library_add_copy(x->c, from, (struct library_place){ LIBRARY_RESULT, (size_t)i, 0 },
					 (size_t)type_bytes(function_at(x->main, value)->type));
	}
}

int library_add_chain(struct library_content *c, const struct model_code *code)
{
	const struct function *main = graph_main(code->graph);
	struct model_chain x = { .c = c, .code = code, .main = main,
			   .product = arena_many(c->arena, int, main->bindings.n),
			   .scratch = arena_many(c->arena, int, main->bindings.n) };
	struct library_stretch s = library_begin_stretch(c, code->graph->main);

	find_products(&x);
	if (plan(&x) < 0)
		return -1;
	c->memory_bytes = x.plan.bytes;
	for (int v = 0; v < main->bindings.n; v++)
		if (function_at(main, v)->kind == BIND_APPLY && add_link(&x, v) < 0)
			return -1;
	add_output_copies(&x);
	library_end_stretch(c, s);
	return 0;
}
