/* SPDX-License-Identifier: Apache-2.0 */
/* bench/suites/partition.c - models shared with code generators: each generator by itself, then all of them. */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "bench/partition/lines.h"
#include "bench/partition/narrow.h"
#include "bench/partition/tables.h"
#include "bench/suite.h"
#include "graph/model.h"
#include "measure/process/device_lock.h"
#include "tools/args/backends.h"
#include "tools/args/model.h"
#include "tools/args/query.h"
#include "tools/command.h"
#include "tools/json.h"

/* As of `hone partition`. */
#define USUAL_S 10

struct model_names VEC(const char *);
struct element_vec VEC(enum element);

struct partition_suite {
	struct arena *arena;
	struct model_names models;
	struct model_args m;		/* but for one model */
	struct backend_args b;
	double seconds;
	bool json;
	struct element_vec types;	/* f32, and those of --to */
	const char *folder;		/* for models of these */
	struct partition_report report;
};

static const char doc[] =
	"Shares each MODEL with code generators as `hone partition` does, with each --backend by itself and then "
	"with all of them, and tells as tables: how much is offloaded, with all that generators take and by "
	"measured cost; the latency by hone alone, all offloaded and by cost, predicted and measured in turns; "
	"the speed-up by cost over both; what the time of the plan by cost goes to; what generators of simulated "
	"devices tell of their kernels, launches and transfers, which is part of all these times; and means over "
	"the models. A generator that is configured in several ways is a line for each. "
	"The networks that the literature on bringing one's own generator compares by are ResNet-18, ResNet-50, "
	"Inception V3, DarkNet-53, MobileNet V2, VGG19, SSD MobileNet, SSD with VGG16, and Faster R-CNN with "
	"ResNet-50. With --to models of narrow types come behind them, with their speed-up over f32.\v"
	"Example:\n"
	"  hone bench --suite partition resnet18.onnx vgg19.onnx --backend onednn --db tune.db\n"
	"  hone bench --suite partition *.onnx --backend onednn --backend blas --db tune.db --json\n"
	"  hone bench --suite partition *.onnx --backend ./mine.so=small --backend ./mine.so=large --db tune.db\n";

enum { KEY_SECONDS = 256, KEY_TO };

static const struct argp_option options[] = {
	{ "seconds", KEY_SECONDS, "N", 0,
	  "to run a model for with some generators, beside measuring kernels (default: 10)", 0 },
	{ "to", KEY_TO, "i8|bf16|f16", 0,
	  "each model with sums of this type as well, as hone quantize --to makes it (several times)", 0 },
	{ "json", 'j', NULL, 0, "JSON instead of tables", 0 },
	{ 0 },
};

static void add_type(struct argp_state *state, struct partition_suite *s, const char *name)
{
	enum element e = ELEMENT_COUNT;

	if (!element_parse(name, &e) || (e != ELEMENT_I8 && e != ELEMENT_BF16 && e != ELEMENT_F16))
		argp_error(state, "--to '%s': there are i8, bf16, f16", name);
	vec_push(s->arena, &s->types, e);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct partition_suite *s = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &s->m;
		state->child_inputs[1] = &s->b;
		return 0;
	case KEY_SECONDS:
		s->seconds = (double)argp_number(state, "--seconds", arg, 1);
		return 0;
	case KEY_TO:
		add_type(state, s, arg);
		return 0;
	case 'j':
		s->json = true;
		return 0;
	case ARGP_KEY_ARG:
		s->m.model = arg;
		vec_push(s->arena, &s->models, arg);
		return 0;
	case ARGP_KEY_END:
		if (!s->b.nbackends)
			argp_error(state, "which --backend?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &model_argp, 0, NULL, 0 }, { &backends_argp, 0, NULL, 0 }, { &suite_argp, 0, NULL, 0 }, { 0 } };
static const struct argp argp = { options, parse, "MODEL...", doc, children, NULL, NULL };

/* --- generators */

static int add_generator(struct partition_suite *s, const char *const *backend)
{
	struct offload_request one = { .backends = backend, .nbackends = 1 };
	struct offload_generators g;

	if (offload_generators_load(s->arena, &one, &g) < 0)
		return -1;
	const struct backend x = offload_generators_all(s->arena, &g).at[0];
	const char *name = x.generator->name, *label = x.text ? arena_printf(s->arena, "%s=%s", name, x.text) : name;
	int lines = strchr(x.name, '/') ? 0 : generator_lines(x.name);

	vec_push(s->arena, &s->report.sets, (struct partition_set){ label, backend, 1 });
	vec_push(s->arena, &s->report.generators,
		 (struct partition_generator){ label, name, x.text, x.version, lines });
	return 0;
}

/* May all run one model? Not where one is there in several configurations, which are compared then. -1 and a
 * message where one is there twice. */
static int are_several(const struct partition_generator_vec *all)
{
	int several = all->n > 1;

	for (int i = 0; i < all->n; i++)
		for (int k = 0; k < i; k++) {
			if (strcmp(all->at[i].label, all->at[k].label) == 0)
				return err_set("two generators are called '%s'", all->at[i].label);
			if (strcmp(all->at[i].name, all->at[k].name) == 0)
				several = 0;
		}
	return several;
}

/* Each generator by itself, and all of several. -1 and a message where one cannot be loaded. */
static int find_sets(struct partition_suite *s)
{
	for (int i = 0; i < s->b.nbackends; i++)
		if (add_generator(s, &s->b.backends[i]) < 0)
			return -1;
	int several = are_several(&s->report.generators);

	if (several < 0)
		return -1;
	if (several)
		vec_push(s->arena, &s->report.sets,
			 (struct partition_set){ "all of them", s->b.backends, s->b.nbackends });
	return 0;
}

/* --- models */

/* Why MODEL cannot be opened; NULL: it can. */
static const char *obstacle(const struct partition_suite *s, const char *model)
{
	const struct onnx_options how = { .dims = s->m.dims.at, .ndims = s->m.dims.n };
	struct arena *scratch = arena_new();
	const char *why = model_read(scratch, model, &how) ? NULL : arena_strdup(s->arena, err_get());

	arena_free(scratch);
	return why;
}

/* Another turn for a narrow model, half as long as for a model by itself: it has two plans instead of three. */
static void compare_types(struct partition_suite *s, const struct open_options *narrow, const struct open_options *floats,
			  const struct partition_set *set, struct partition_entry *e)
{
	if (e->why || partition_entry_compare(e, narrow, floats, set, s->seconds / 2) == 0)
		return;
	e->why = arena_strdup(s->arena, err_get());
	json_decref(e->json);
	e->json = NULL;
}

/* MODEL with sums of AS. */
static struct partition_model share(struct partition_suite *s, const char *model, enum element as,
				    struct device_lock *lock)
{
	const struct partition_set_vec *sets = &s->report.sets;
	struct partition_entry *entries = arena_many(s->arena, struct partition_entry, sets->n);
	struct partition_model out = { .model = model, .as = as, .entries = entries };
	struct open_options floats, o;

	s->m.model = model;
	floats = model_options(&s->m);
	floats.offload = backends_request(&s->b);
	floats.offers_to_db = true;
	o = floats;
	if (as == ELEMENT_F32)
		out.why = obstacle(s, model);
	else if (!(o.model = narrow_model(s->arena, &floats, as, s->folder)))
		out.why = arena_strdup(s->arena, err_get());
	for (int i = 0; !out.why && i < sets->n; i++) {
		device_lock_take(lock);
		entries[i] = partition_entry_new(s->arena, &o, &sets->at[i], s->seconds);
		if (as != ELEMENT_F32)
			compare_types(s, &o, &floats, &sets->at[i], &entries[i]);
		device_lock_release(lock);
	}
	return out;
}

/* Was it run with all sets, and rightly? */
static bool is_sound(const struct partition_suite *s, const struct partition_model *m)
{
	for (int i = 0; !m->why && i < s->report.sets.n; i++)
		if (!partition_entry_is_sound(&m->entries[i]))
			return false;
	return !m->why;
}

/* False where it was not run with all sets, or gave other results. */
static bool add_model(struct partition_suite *s, const char *model, enum element as, struct device_lock *lock)
{
	struct partition_report *r = &s->report;

	vec_push(s->arena, &r->models, share(s, model, as, lock));
	if (!s->json)
		partition_tables_print(r, r->models.n - 1);
	fflush(stdout);
	return is_sound(s, &r->models.at[r->models.n - 1]);
}

/* Exit status: a model that was not sound is a failure. */
static int bench(struct partition_suite *s)
{
	struct partition_report *r = &s->report;
	int status = EXIT_OK;

	if (find_sets(s) < 0 || !(s->folder = dir_temp(s->arena)))
		return command_failed();
	struct device_lock *lock = device_lock_new(&(struct listener){ command_hear, NULL });

	r->threads = s->m.threads;
	r->types = (struct partition_types){ s->types.n, s->types.at };
	for (int i = 0; i < s->models.n; i++)
		for (int t = 0; t < s->types.n; t++)
			if (!add_model(s, s->models.at[i], s->types.at[t], lock))
				status = EXIT_FAILED;
	device_lock_free(lock);
	dir_remove(s->folder);
	json_t *json = partition_report_json(r);

	if (s->json) {
		json_print(json);
	} else {
		partition_tables_end(r);
		json_decref(json);
	}
	return status;
}

static int run(int argc, char **argv)
{
	struct partition_suite s = { .arena = arena_new(), .m.threads = 1, .seconds = USUAL_S };

	vec_push(s.arena, &s.types, ELEMENT_F32);
	argp_parse(&argp, argc, argv, 0, NULL, &s);
	int status = bench(&s);

	arena_free(s.arena);
	return status;
}

const struct command suite_partition = {
	.name = "partition",
	.summary = "models shared with code generators: what is offloaded, and what that gains",
	.argp = &argp,
	.run = run,
};
