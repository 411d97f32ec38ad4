/* SPDX-License-Identifier: Apache-2.0 */
/* tests/library/caller.c - a library that hone built, in a program that knows its header alone.
 *
 *	caller FOLDER THREADS CALLERS OFFSET
 *
 * Reads FOLDER/in_I, bytes of input I, for each; runs the model in CALLERS threads at once, each with an
 * instance of its own, some rounds; writes FOLDER/out_I, and its extents to FOLDER/shape_I. Tensors lie
 * OFFSET bytes behind where they are aligned. Exits with 1 where something is refused, or callers and
 * rounds differ in a bit. HEADER and MODEL are the library's header and name. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include HEADER

#define JOIN_OF(a, b) a##b
#define JOIN(a, b) JOIN_OF(a, b)
#define OF_MODEL(name) JOIN(MODEL, name)

enum { ROUNDS = 3, MOST_TENSORS = 64, MOST_DIMS = 16, MOST_CALLERS = 16, ALIGN = 64, POISON = 0xa5 };

typedef struct OF_MODEL(_tensor) tensor;

struct instance_caller {
	void *outputs[MOST_TENSORS];
	tensor what[MOST_TENSORS];	/* that they are */
	int64_t shape[MOST_TENSORS][MOST_DIMS];
	const char *wrong;	/* NULL: nothing */
};

static void *inputs[MOST_TENSORS];
static int threads, offset;

static void fail(const char *what)
{
	fprintf(stderr, "caller: %s\n", what);
	exit(1);
}

/* OFFSET behind an aligned place, in memory that ends with the tensor, so that checkers see who goes
 * beyond. */
static unsigned char *tensor_new(const tensor *t)
{
	unsigned char *p;

	if (posix_memalign((void **)&p, ALIGN, (size_t)offset + t->bytes) != 0)
		fail("no memory");
	return p + offset;
}

static void tensor_free(void *p)
{
	free((unsigned char *)p - offset);
}

static FILE *open_tensor(const char *folder, const char *role, int i, const char *mode)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s_%d", folder, role, i);
	FILE *f = fopen(path, mode);

	if (!f)
		fail(path);
	return f;
}

static int count(const tensor *(*at)(int32_t))
{
	int n = 0;

	while (n < MOST_TENSORS && at(n))
		n++;
	return n;
}

static void read_inputs(const char *folder)
{
	for (int i = 0; i < count(OF_MODEL(_input)); i++) {
		const tensor *t = OF_MODEL(_input)(i);
		FILE *f = open_tensor(folder, "in", i, "rb");

		inputs[i] = tensor_new(t);
		if (fread(inputs[i], 1, t->bytes, f) != t->bytes || fgetc(f) != EOF)
			fail("an input has another size");
		fclose(f);
	}
}

static void write_file(const char *folder, const char *role, int i, const void *data, size_t bytes)
{
	FILE *f = open_tensor(folder, role, i, "wb");

	if (fwrite(data, 1, bytes, f) != bytes || fclose(f) != 0)
		fail("an output cannot be written");
}

static void write_outputs(const char *folder, const struct instance_caller *c)
{
	for (int i = 0; i < count(OF_MODEL(_output)); i++) {
		const tensor *t = &c->what[i];

		write_file(folder, "out", i, c->outputs[i], t->bytes);
		write_file(folder, "shape", i, t->shape, (size_t)t->rank * sizeof(*t->shape));
	}
}

/* --- callers */

static int is_open(const tensor *t)
{
	for (int d = 0; d < t->rank; d++)
		if (t->shape[d] < 0)
			return 1;
	return 0;
}

/* What output I, in memory of ours or the instance's, became in the latest run of M; a copy of the latter
 * in *MINE. */
static const tensor *take_output(struct instance_caller *c, struct MODEL *m, int i, void **mine)
{
	const tensor *t = OF_MODEL(_output)(i);
	const void *data;

	if (!is_open(t))
		return t;
	t = OF_MODEL(_result)(m, i, &data);
	if (!t) {
		c->wrong = "an output has no shape";
		return OF_MODEL(_output)(i);
	}
	*mine = memcpy(tensor_new(t), data, t->bytes);
	return t;
}

static void note_output(struct instance_caller *c, int i, const tensor *t, void *data)
{
	memcpy(c->shape[i], t->shape, (size_t)t->rank * sizeof(*t->shape));
	c->what[i] = *t;
	c->what[i].shape = c->shape[i];
	c->outputs[i] = data;
}

static int is_same(const struct instance_caller *c, int i, const tensor *t, const void *data)
{
	return t->bytes == c->what[i].bytes && memcmp(data, c->outputs[i], t->bytes) == 0 &&
	       memcmp(t->shape, c->shape[i], (size_t)t->rank * sizeof(*t->shape)) == 0;
}

static void run_round(struct instance_caller *c, struct MODEL *m, int round)
{
	int n = count(OF_MODEL(_output));
	void *outputs[MOST_TENSORS] = { NULL };

	for (int i = 0; i < n; i++) {
		const tensor *t = OF_MODEL(_output)(i);

		if (!is_open(t))
			outputs[i] = memset(tensor_new(t), POISON, t->bytes);
	}
	if (OF_MODEL(_run)(m, (const void *const *)inputs, outputs) != 0) {
		fprintf(stderr, "caller: %s\n", OF_MODEL(_error)());
		c->wrong = "a run is refused";
		return;
	}
	for (int i = 0; i < n && !c->wrong; i++) {
		const tensor *t = take_output(c, m, i, &outputs[i]);

		if (round == 0) {
			note_output(c, i, t, outputs[i]);
			continue;
		}
		if (!is_same(c, i, t, outputs[i]))
			c->wrong = "rounds differ";
		tensor_free(outputs[i]);
	}
}

static void *call(void *user)
{
	struct instance_caller *c = user;
	struct MODEL *m = OF_MODEL(_create)(threads);

	if (!m) {
		fprintf(stderr, "caller: %s\n", OF_MODEL(_error)());
		c->wrong = "no instance";
		return NULL;
	}
	for (int round = 0; round < ROUNDS && !c->wrong; round++)
		run_round(c, m, round);
	OF_MODEL(_free)(m);
	return NULL;
}

static void compare(const struct instance_caller *c, const struct instance_caller *with)
{
	if (c->wrong)
		fail(c->wrong);
	for (int i = 0; i < count(OF_MODEL(_output)); i++)
		if (!is_same(c, i, &with->what[i], with->outputs[i]))
			fail("callers differ");
}

static void run_callers(struct instance_caller *callers, int n)
{
	pthread_t thread[MOST_CALLERS];

	for (int i = 0; i < n; i++)
		if (pthread_create(&thread[i], NULL, call, &callers[i]) != 0)
			fail("no thread");
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < n; i++)
		compare(&callers[i], &callers[0]);
}

/* What no instance can be made for is said, and nothing else happens. */
static void check_refusals(void)
{
	if (OF_MODEL(_create)(0) || !*OF_MODEL(_error)())
		fail("an instance for no threads");
	if (OF_MODEL(_create)(1 << 20))
		fail("an instance for more threads than it was built for");
	if (OF_MODEL(_input)(-1) || OF_MODEL(_output)(-1))
		fail("a tensor in front of the first");
	struct MODEL *m = OF_MODEL(_create)(1);
	const void *data;

	for (int i = -1; m && i <= count(OF_MODEL(_output)); i++)
		if (OF_MODEL(_result)(m, i, &data))
			fail("a result in front of the first run");
	OF_MODEL(_free)(m);
	OF_MODEL(_free)(NULL);
}

int main(int argc, char **argv)
{
	static struct instance_caller callers[MOST_CALLERS];
	int n = argc == 5 ? atoi(argv[3]) : 0;

	if (n < 1 || n > MOST_CALLERS)
		fail("FOLDER THREADS CALLERS OFFSET");
	threads = atoi(argv[2]);
	offset = atoi(argv[4]);
	check_refusals();
	read_inputs(argv[1]);
	run_callers(callers, n);
	write_outputs(argv[1], &callers[0]);
	for (int i = 0; i < count(OF_MODEL(_input)); i++)
		tensor_free(inputs[i]);
	for (int c = 0; c < n; c++)
		for (int i = 0; i < count(OF_MODEL(_output)); i++)
			tensor_free(callers[c].outputs[i]);
	return 0;
}
