/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/counters.c - an event set of what really counts on this machine. */
#include "measure/runner/counters.h"

#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

/* In the order of their worth: hardware has room for a few at a time. The last four are the
 * kernel's own and start in a virtual machine too. */
static const char *const wanted[] = {
	"PAPI_TOT_CYC",	   "PAPI_TOT_INS",	    "PAPI_L1_DCM",
	"PAPI_L2_TCM",	   "PAPI_L3_TCM",	    "PAPI_TLB_DM",
	"PAPI_BR_MSP",	   "PAPI_RES_STL",	    "perf::TASK-CLOCK",
	"perf::PAGE-FAULTS", "perf::CONTEXT-SWITCHES", "perf::CPU-MIGRATIONS",
};

enum { WANTED = sizeof(wanted) / sizeof(wanted[0]), REASON = 128 };

struct counters {
	int set;			/* PAPI_NULL without events */
	const char *present[WANTED];
	int n_present;
	const char *absent[WANTED];
	char reason[WANTED][REASON];
	int n_absent;
};

_Static_assert((int)WANTED <= (int)COUNTERS_MAX, "a trial has room for every event");

static void refuse(struct counters *c, const char *name, const char *reason)
{
	c->absent[c->n_absent] = name;
	snprintf(c->reason[c->n_absent++], REASON, "%s", reason);
}

/* Adds one event and starts the set with it; takes it out again where that fails. */
static void try_event(struct counters *c, const char *name)
{
	long long values[WANTED];
	char reason[REASON];
	int rc = PAPI_add_named_event(c->set, name);

	if (rc != PAPI_OK) {
		snprintf(reason, sizeof(reason), "cannot be added: %s", PAPI_strerror(rc));
		refuse(c, name, reason);
		return;
	}
	rc = PAPI_start(c->set);
	if (rc == PAPI_OK)
		rc = PAPI_stop(c->set, values);
	if (rc != PAPI_OK) {
		snprintf(reason, sizeof(reason), "cannot be started: %s", PAPI_strerror(rc));
		refuse(c, name, reason);
		PAPI_remove_named_event(c->set, name);
		return;
	}
	c->present[c->n_present++] = name;
}

struct counters *counters_new(void)
{
	struct counters *c = calloc(1, sizeof(*c));

	if (!c)
		die("out of memory");
	c->set = PAPI_NULL;
	const int version = (int)PAPI_VER_CURRENT;
	int rc = PAPI_is_initialized() ? version : PAPI_library_init(version);
	const char *trouble = NULL;

	if (rc != version)
		trouble = rc > 0 ? "PAPI is of another version than hone was built with"
				 : PAPI_strerror(rc);
	else if ((rc = PAPI_create_eventset(&c->set)) != PAPI_OK)
		trouble = PAPI_strerror(rc);
	for (int i = 0; i < WANTED; i++) {
		if (trouble)
			refuse(c, wanted[i], trouble);
		else
			try_event(c, wanted[i]);
	}
	return c;
}

void counters_free(struct counters *c)
{
	if (!c)
		return;
	if (c->set != PAPI_NULL) {
		PAPI_cleanup_eventset(c->set);
		PAPI_destroy_eventset(&c->set);
	}
	free(c);
}

int counters_start(struct counters *c)
{
	return c->n_present > 0 && PAPI_start(c->set) == PAPI_OK ? 0 : -1;
}

int counters_stop(struct counters *c, struct counter *out, int max)
{
	long long values[WANTED];
	int n = c->n_present < max ? c->n_present : max;

	if (PAPI_stop(c->set, values) != PAPI_OK)
		return 0;
	for (int i = 0; i < n; i++) {
		snprintf(out[i].name, sizeof(out[i].name), "%s", c->present[i]);
		out[i].value = values[i];
	}
	return n;
}

int counters_present(const struct counters *c)
{
	return c->n_present;
}

const char *counters_name(const struct counters *c, int i)
{
	return c->present[i];
}

int counters_absent(const struct counters *c)
{
	return c->n_absent;
}

const char *counters_absent_name(const struct counters *c, int i)
{
	return c->absent[i];
}

const char *counters_absent_reason(const struct counters *c, int i)
{
	return c->reason[i];
}
