/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kept/module.c - what a module says of itself, and what it asks of the machine and of generators. */
#include "runtime/kept/module.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/err.h"
#include "config.h"
#include "measure/device/cpuinfo.h"
#include "runtime/kept/form.h"

bool module_is(const char *path)
{
	return text_ends_with(path, MODULE_END);
}

/* --- writing */

/* What its kernels may use. */
static json_t *machine_json(struct arena *a, const struct choice_plan *plan)
{
	struct utsname name = { 0 };

	uname(&name);
	return json_pack("{s:s, s:s, s:s, s:s, s:i}", "hone", PACKAGE_VERSION, "device", plan->device->name,
			 "machine", name.machine, "extensions", cpuinfo_read(a).extensions, "threads",
			 plan->threads);
}

int module_write(const char *path, const struct choice_plan *plan, const struct opened *m)
{
	struct arena *a = arena_new();
	json_t *machine = machine_json(a, plan);
	int rc = 0;

	for (int i = 0; i < m->tasks->n && rc == 0; i++)
		if (m->choices[i].object && access(m->choices[i].object, R_OK) < 0)
			rc = err_set("%s cannot be written: kernels are not kept: set XDG_CACHE_HOME to a folder "
				     "that can be written to", path);
	if (rc == 0)
		rc = kept_make(path, &(struct kept_content){ .model = m, .module = machine, .most = SIZE_MAX });
	json_decref(machine);
	arena_free(a);
	return rc;
}

/* --- is this the place for it? */

/* The threads that F was compiled for; -1 and a message where it does not run here, or not as O has it. */
static int check(struct arena *a, const struct kept_file *f, const struct open_options *o)
{
	const char *device, *machine, *extensions;
	struct utsname name = { 0 };
	int threads;

	if (json_unpack(json_object_get(f->json, "module"), "{s:s, s:s, s:s, s:i}", "device", &device, "machine",
			&machine, "extensions", &extensions, "threads", &threads) < 0 ||
	    threads < 1 || threads > DEVICE_MAX_THREADS)
		return err_set("%s is no module: hone compile MODEL -o FILE" MODULE_END " makes one", f->path);
	uname(&name);
	const char *lacks = cpuinfo_lacks(a, extensions);

	if (strcmp(machine, name.machine) != 0)
		return err_set("%s was compiled for %s (%s), this machine is %s: compile the model on it", f->path,
			       machine, device, name.machine);
	if (*lacks)
		return err_set("%s was compiled for %s; this machine has no %s: compile the model on it", f->path,
			       device, lacks);
	if (o->threads && o->threads != threads)
		return err_set("%s was compiled for %d threads: give --threads %d, or compile the model for %d",
			       f->path, threads, threads, o->threads);
	return threads;
}

static int check_options(const struct open_options *o)
{
	if (!o->recall || o->module)
		return err_set("%s is a module, which is there to be run: this needs the model that it was compiled of",
			       o->model);
	if (o->ndims || o->exact || o->offload.nkeep || o->offload.noffload)
		return err_set("%s is a module, in which sizes are known, kernels chosen and all is shared out: compile "
			       "the model again with --dim, --exact, --keep and --offload", o->model);
	return 0;
}

/* --- generators */

/* Is B, whose name is that, what the module was compiled with? */
static int check_version(const struct kept_file *f, const struct backend *b, const char *version, int abi)
{
	if (strcmp(b->version, version) != 0)
		return err_set("%s was compiled with generator %s of version '%s', here it is '%s': compile the model "
			       "again, or say by --backend PATH where the other is", f->path, b->generator->name, version,
			       b->version);
	if (b->generator->abi != abi)
		return err_set("%s was compiled with generator %s of ABI %d, here it is %d: compile the model again",
			       f->path, b->generator->name, abi, b->generator->abi);
	return 0;
}

/* The generator that JSON tells of: one of GIVEN, or where it was. In OUT. */
static int load(struct arena *a, const struct kept_file *f, const json_t *json, const struct backend_vec *given,
		struct backend_vec *out)
{
	const char *name, *version, *from;
	struct backend b;
	int abi;

	if (json_unpack(kept_any(json), "{s:s, s:s, s:i, s:s}", "name", &name, "version", &version, "abi", &abi, "from",
			&from) < 0)
		return err_set("%s: its generators are not what this hone writes: compile the model again", f->path);
	const struct backend *known = backend_find(given->at, given->n, name);

	if (known) {
		b = *known;
	} else if (backend_load(a, arena_strdup(a, from), &b) < 0) {
		err_prefix("%s needs generator %s: say by --backend PATH where it is", f->path, name);
		return -1;
	}
	if (strcmp(b.generator->name, name) != 0)
		return err_set("%s needs generator %s, and %s is generator %s now: say by --backend PATH where it is",
			       f->path, name, from, b.generator->name);
	vec_push(a, out, b);
	return check_version(f, &b, version, abi);
}

/* All that F was compiled with, in A. */
static int find_generators(struct arena *a, const struct kept_file *f, const struct open_options *o,
			   struct backend_vec *out)
{
	struct offload_generators g;
	size_t i;
	json_t *one;

	if (offload_generators_load(a, &o->offload, &g) < 0)
		return -1;
	const struct backend_vec given = offload_generators_all(a, &g);

	json_array_foreach(json_object_get(f->json, "generators"), i, one)
		if (load(a, f, one, &given, out) < 0)
			return -1;
	for (int k = 0; k < given.n; k++)
		if (!backend_find(out->at, out->n, given.at[k].generator->name))
			return err_set("%s has nothing of generator %s: compile the model with it", f->path,
				       given.at[k].generator->name);
	return 0;
}

/* --- reading */

static int open_file(struct arena *a, const struct kept_file *f, const struct open_options *o, struct opened *out)
{
	struct kept_with with = { .threads = check(a, f, o), .fall_back = o->offload.fall_back };

	return with.threads < 0 || find_generators(a, f, o, &with.backends) < 0 ? -1 : kept_read(a, f, &with, out);
}

int module_open(struct arena *a, const struct open_options *o, struct opened *out)
{
	struct kept_file f = { 0 };
	int rc = check_options(o) < 0 || kept_look(o->model, &f) < 0 ? -1 : open_file(a, &f, o, out);

	kept_end(&f);
	return rc;
}

struct graph *module_graph(struct arena *a, const char *path)
{
	struct kept_file f = { 0 };
	struct graph *g = kept_look(path, &f) < 0 ? NULL : kept_graph(a, &f, NULL);

	kept_end(&f);
	return g;
}
