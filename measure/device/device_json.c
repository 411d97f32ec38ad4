/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/device_json.c - a device as JSON. */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "measure/timing/calm.h"
#include "measure/device/device.h"
#include "measure/device/kernels_json.h"
#include "measure/device/probe.h"
#include "measure/device/simulated.h"
#include "target/vdla/target.h"

/* Raise it where the probes change, so that kept figures are measured again. */
enum { PROBE_VERSION = 1 };

static void set(json_t *o, const char *key, json_t *value)
{
	if (json_object_set_new(o, key, value) < 0)
		die("JSON: out of memory, or text that is not UTF-8, at %s", key);
}

static void set_int(json_t *o, const char *key, int64_t v)
{
	set(o, key, json_integer(v));
}

/* The kernel's and hwloc's texts are ASCII, but nothing promises it. */
static void set_text(json_t *o, const char *key, const char *v)
{
	json_t *text = json_string(v);

	set(o, key, text ? text : json_string("unknown"));
}

static json_t *rate_json(struct device_rate r)
{
	json_t *o = json_object();

	set(o, "one", json_real(r.one));
	set(o, "all", json_real(r.all));
	return o;
}

/* By name of target, as far as they are known. */
static json_t *peaks_json(const struct device_measured *m)
{
	json_t *o = json_object();

	for (int i = 0; i < TARGET_COUNT; i++)
		if (m->peak[i].one > 0)
			set(o, target_at(i)->name, rate_json(m->peak[i]));
	return o;
}

static json_t *measured_json(const struct device *d)
{
	const struct device_measured *m = &d->measured;
	json_t *o = json_object(), *points = json_array(), *caches = json_array();

	set_int(o, "version", PROBE_VERSION);
	set_int(o, "threads", m->threads);
	set_int(o, "when", m->when);
	set(o, "peak_gflops", rate_json(m->peak[target_number(d->own)]));
	set(o, "target_peak_gflops", peaks_json(m));
	set(o, "register_kernels", kernels_json(m));
	set(o, "l1_gbs", rate_json(m->l1));
	set(o, "l2_gbs", rate_json(m->l2));
	set(o, "l3_gbs", rate_json(m->l3));
	set(o, "mem_gbs", rate_json(m->mem));
	set(o, "noise", json_real(m->noise));
	set(o, "fixed_us", json_real(m->fixed_us));
	set(o, "fixed_chains", json_real(m->fixed_chains));
	set(o, "chain_ns", json_real(m->chain_ns));
	for (int i = 0; i < DEVICE_CACHES; i++)
		json_array_append_new(caches, json_integer(d->caches[i].probed));
	set(o, "cache_bytes", caches);
	for (int i = 0; i < m->n_points; i++) {
		json_t *p = json_array();

		json_array_append_new(p, json_integer(m->points[i].bytes));
		json_array_append_new(p, json_real(m->points[i].ns));
		json_array_append_new(points, p);
	}
	set(o, "latency_ns", points);
	return o;
}

static json_t *caches_json(const struct device *d)
{
	json_t *caches = json_array();

	for (int i = 0; i < DEVICE_CACHES; i++) {
		const struct device_cache *c = &d->caches[i];
		json_t *o = json_object();

		set_int(o, "level", i + 1);
		set_int(o, "claimed_bytes", c->claimed);
		set_int(o, "probed_bytes", c->probed);
		set_int(o, "line_bytes", c->line);
		set_int(o, "shared_by", c->pus);
		json_array_append_new(caches, o);
	}
	return caches;
}

json_t *device_json(const struct device *d)
{
	json_t *o = json_object(), *cpus = json_array();

	if (!o)
		die("out of memory");
	set_text(o, "name", d->name);
	set_text(o, "fingerprint", d->fingerprint);
	set_text(o, "vendor", d->vendor);
	set_text(o, "model", d->model);
	set_int(o, "family", d->family);
	set_int(o, "model_number", d->model_number);
	set_int(o, "stepping", d->stepping);
	set_text(o, "isa", d->own->isa);
	set_text(o, "flags", d->flags);
	set_int(o, "vector_bytes", d->own->vector_bytes);
	set_int(o, "vector_registers", d->own->vector_registers);
	set_int(o, "packages", d->packages);
	set_int(o, "cores", d->cores);
	set_int(o, "pus", d->pus);
	set_int(o, "threads", d->threads);
	set(o, "quota", json_real(d->quota));
	for (int i = 0; i < d->n_cpus; i++)
		json_array_append_new(cpus, json_integer(d->cpus[i]));
	set(o, "cpus", cpus);
	set(o, "synthetic", json_boolean(d->synthetic));
	set(o, "caches", caches_json(d));
	set(o, "measured", d->measured.valid ? measured_json(d) : json_null());
	return o;
}

/* 0 where it is none; those that are no int become -1, which no check lets pass. */
static int int_of(const json_t *o, const char *key)
{
	json_int_t v = json_integer_value(json_object_get(o, key));

	return v < 0 || v > INT_MAX ? -1 : (int)v;
}

static bool rate_parse(const json_t *o, const char *key, struct device_rate *out)
{
	const json_t *r = json_object_get(o, key);
	const json_t *one = json_object_get(r, "one"), *all = json_object_get(r, "all");

	out->one = json_number_value(one);
	out->all = json_number_value(all);
	return json_is_number(one) && json_is_number(all) && out->one >= 0 && out->all >= 0;
}

/* A description of before names its own peak alone. */
static bool peaks_parse(const json_t *o, const struct target *own, struct device_measured *m)
{
	const json_t *all = json_object_get(o, "target_peak_gflops");

	for (int i = 0; i < TARGET_COUNT; i++) {
		const char *name = target_at(i)->name;

		if (json_object_get(all, name) && !rate_parse(all, name, &m->peak[i]))
			return false;
	}
	return rate_parse(o, "peak_gflops", &m->peak[target_number(own)]);
}

/* A description of before has none. */
static bool l3_parse(const json_t *o, struct device_measured *m)
{
	return !json_object_get(o, "l3_gbs") || rate_parse(o, "l3_gbs", &m->l3);
}

/* The machine's own target; NULL and a message. */
static const struct target *own_parse(const json_t *json)
{
	const char *isa = json_string_value(json_object_get(json, "isa"));
	const struct target *own = isa ? target_of_isa(isa) : NULL;

	if (!own)
		err_set("device JSON: isa '%s' is unknown; describe the device anew with hone doctor --fresh",
			isa ? isa : "");
	return own;
}

static bool points_parse(const json_t *points, struct device_measured *m)
{
	if (!json_is_array(points) || json_array_size(points) > DEVICE_POINTS)
		return false;
	for (size_t i = 0; i < json_array_size(points); i++) {
		const json_t *p = json_array_get(points, i);

		m->points[m->n_points++] =
			(struct device_point){json_integer_value(json_array_get(p, 0)),
					      json_number_value(json_array_get(p, 1))};
	}
	return true;
}

int device_measured_parse(const json_t *json, struct device_measured *out,
			  int64_t probed[DEVICE_CACHES])
{
	const json_t *o = json_object_get(json, "measured");
	const json_t *caches = json_object_get(o, "cache_bytes");
	const struct target *own = own_parse(json);
	struct device_measured m = {.valid = true};

	if (!own)
		return -1;
	if (!json_is_object(o))
		return err_set("device JSON: there are no measured figures; run hone doctor");
	if (json_integer_value(json_object_get(o, "version")) != PROBE_VERSION)
		return err_set("device JSON: its probes are of another version of hone; run hone "
			       "doctor --fresh");
	m.threads = int_of(o, "threads");
	m.when = json_integer_value(json_object_get(o, "when"));
	m.noise = json_number_value(json_object_get(o, "noise"));
	m.fixed_us = json_number_value(json_object_get(o, "fixed_us"));
	m.fixed_chains = json_number_value(json_object_get(o, "fixed_chains"));
	m.chain_ns = json_number_value(json_object_get(o, "chain_ns"));
	if (m.when < 0 || m.fixed_us < 0 || m.fixed_chains < 0 || m.chain_ns < 0 || !peaks_parse(o, own, &m) ||
	    !kernels_parse(json_object_get(o, "register_kernels"), &m) ||
	    !rate_parse(o, "l1_gbs", &m.l1) || !rate_parse(o, "l2_gbs", &m.l2) ||
	    !l3_parse(o, &m) || !rate_parse(o, "mem_gbs", &m.mem) ||
	    !points_parse(json_object_get(o, "latency_ns"), &m) ||
	    json_array_size(caches) != DEVICE_CACHES)
		return err_set("device JSON: measured figures are damaged; run hone doctor "
			       "--fresh");
	for (size_t i = 0; i < DEVICE_CACHES; i++)
		probed[i] = json_integer_value(json_array_get(caches, i));
	if (device_measured_check(&m, own) < 0)
		return -1;
	*out = m;
	return 0;
}

static void caches_parse(const json_t *caches, struct device *d)
{
	for (int i = 0; i < DEVICE_CACHES; i++) {
		const json_t *o = json_array_get(caches, (size_t)i);

		d->caches[i] = (struct device_cache){
			.claimed = json_integer_value(json_object_get(o, "claimed_bytes")),
			.probed = json_integer_value(json_object_get(o, "probed_bytes")),
			.line = int_of(o, "line_bytes"),
			.pus = int_of(o, "shared_by"),
		};
	}
}

struct device *device_parse(struct arena *a, const json_t *json)
{
	struct device *d = arena_one(a, struct device);
	const char *name, *fingerprint, *vendor, *model, *flags;
	int64_t probed[DEVICE_CACHES];
	json_t *caches;

	if (json_unpack((json_t *)(uintptr_t)json,
			"{s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:s, s:i, s:i, s:i, s:i, s:o}",
			"name", &name, "fingerprint", &fingerprint, "vendor", &vendor, "model",
			&model, "family", &d->family, "model_number", &d->model_number, "stepping",
			&d->stepping, "flags", &flags, "packages", &d->packages, "cores",
			&d->cores, "pus", &d->pus, "threads", &d->threads,
			"caches", &caches) < 0 ||
	    strlen(fingerprint) >= sizeof(d->fingerprint)) {
		err_set("device JSON: fields are missing; it is no description of a device");
		return NULL;
	}
	d->name = arena_strdup(a, name);
	d->vendor = arena_strdup(a, vendor);
	d->model = arena_strdup(a, model);
	d->flags = arena_strdup(a, flags);
	strcpy(d->fingerprint, fingerprint);
	d->own = d->target = own_parse(json);
	caches_parse(caches, d);
	if (!d->own || device_measured_parse(json, &d->measured, probed) < 0 || device_check(d) < 0)
		return NULL;
	struct vdla_machine machine;

	if (device_is_simulated(d) && device_machine(d, &machine) < 0)
		return NULL;
	if (device_is_simulated(d))
		d->target = vdla_target(a, &machine);
	return d;
}

const char *device_name_in(struct arena *a, const char *description)
{
	json_t *json = json_loads(description, 0, NULL);
	const char *name = json_string_value(json_object_get(json, "name"));

	name = name ? arena_strdup(a, name) : "";
	json_decref(json);
	return name;
}
