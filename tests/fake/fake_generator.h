/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fake/fake_generator.h - code generators that are made in the test's own process. */
#ifndef HONE_TESTS_FAKE_FAKE_GENERATOR_H
#define HONE_TESTS_FAKE_FAKE_GENERATOR_H

#include "tests/fixture/graph_fixture.h"

#include "partition/generators.h"
#include "tests/fake/fake_compute.h"

static inline const char *fake_version(void)
{
	return "1";
}

static inline int fake_no_init(const struct hone_region *region, const void *artifact, size_t size,
			       int threads, void **handle, char *why)
{
	(void)region, (void)artifact, (void)size, (void)threads, (void)handle;
	strcpy(why, "no such primitive");
	return -1;
}

/* Its generator may be changed as long as nobody asked it. */
struct fake {
	struct hone_generator generator;
	struct backend backend;
};

/* A generator that claims all that PATTERNS match, in A. */
static inline struct fake *fake_claimer(struct arena *a, const char *name,
					const struct hone_pattern *patterns)
{
	struct fake *f = arena_one(a, struct fake);
	struct backend *b = &f->backend;

	f->generator = (struct hone_generator){
		.abi = HONE_GENERATOR_ABI, .name = name, .summary = "for tests", .patterns = patterns,
		.version = fake_version, .init = fake_no_init, .run = fake_run, .release = fake_release,
	};
	b->generator = &f->generator;
	b->version = fake_version();
	while (patterns[b->npatterns].name)
		b->npatterns++;
	b->patterns = arena_many(a, const struct pattern *, b->npatterns);
	for (int i = 0; i < b->npatterns; i++) {
		b->patterns[i] = pattern_parse(a, patterns[i].text);
		if (!b->patterns[i])
			fail_msg("%s", err_get());
	}
	return f;
}

/* One that also computes it, where tests/fake/fake_compute.h can. */
static inline struct fake *fake_computer(struct arena *a, const char *name, enum hone_grain grain,
					 const struct hone_pattern *patterns)
{
	struct fake *f = fake_claimer(a, name, patterns);

	f->generator.grain = grain;
	f->generator.claims = fake_claims;
	f->generator.init = fake_init;
	return f;
}

#endif
