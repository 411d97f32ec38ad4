/* SPDX-License-Identifier: Apache-2.0 */
/* examples/run_model.c - a model through hone's library, in C.
 *
 *	cc run_model.c $(pkg-config --cflags --libs hone) -o run_model
 *	./run_model resnet18.onnx tune.db
 *
 * Prints what goes in and comes out, runs the model once on zeros, and prints the first elements of
 * each result. The database may be left out: kernels are then guessed. */
#include <hone.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOWN = 4 };	/* elements of a result */

static void print_tensor(const char *what, const struct hone_tensor *t)
{
	printf("%s %s: type %d, %d bits, [", what, t->name, t->type.code, t->type.bits);
	for (int i = 0; i < t->ndim; i++)
		printf("%s%" PRId64, i ? ", " : "", t->shape[i]);
	printf("]\n");
}

/* Zeros for an input of a shape that is known. False where it is not. */
static bool make_input(const struct hone_tensor *t, DLTensor *out)
{
	size_t count = 1;

	if (t->ndim < 0 || t->type.bits == 0)
		return false;
	for (int i = 0; i < t->ndim; i++) {
		if (t->shape[i] < 0)
			return false;
		count *= (size_t)t->shape[i];
	}
	*out = (DLTensor){
		.data = calloc(count + 1, t->type.bits / 8u),
		.device = { kDLCPU, 0 },
		.ndim = t->ndim,
		.dtype = t->type,
		.shape = (int64_t *)t->shape,	/* only read */
	};
	return out->data != NULL;
}

static int64_t count_of(const DLTensor *t)
{
	int64_t count = 1;

	for (int i = 0; i < t->ndim; i++)
		count *= t->shape[i];
	return count;
}

static void print_result(const char *name, const DLTensor *t)
{
	const float *x = t->data;

	printf("%s =", name);
	if (t->dtype.code != kDLFloat || t->dtype.bits != 32)
		printf(" (no floats of 32 bits)");
	else
		for (int64_t i = 0; i < count_of(t) && i < SHOWN; i++)
			printf(" %g", x[i]);
	printf("\n");
}

static int fail(void)
{
	fprintf(stderr, "run_model: %s\n", hone_error());
	return -1;
}

/* Runs once on INPUTS, and gives back what the results hold. */
static int run(const struct hone_model *model, const DLTensor *inputs)
{
	int n = hone_output_count(model), rc;
	DLManagedTensor **results = calloc((size_t)n + 1, sizeof(DLManagedTensor *));
	struct hone_instance *instance;

	if (!results || hone_instance_new(model, &instance) < 0) {
		free(results);
		return fail();
	}
	rc = hone_run(instance, inputs, hone_input_count(model), results, n);
	if (rc < 0)
		fail();
	for (int i = 0; i < n && rc == 0; i++) {
		struct hone_tensor t;

		hone_output(model, i, &t);
		print_result(t.name, &results[i]->dl_tensor);
		results[i]->deleter(results[i]);
	}
	hone_instance_free(instance);
	free(results);
	return rc;
}

static int run_on_zeros(const struct hone_model *model)
{
	int n = hone_input_count(model), made = 0, rc = -1;
	DLTensor *inputs = calloc((size_t)n + 1, sizeof(*inputs));

	while (inputs && made < n) {
		struct hone_tensor t;

		hone_input(model, made, &t);
		print_tensor("input", &t);
		if (!make_input(&t, &inputs[made]))
			break;
		made++;
	}
	for (int i = 0; i < hone_output_count(model); i++) {
		struct hone_tensor t;

		hone_output(model, i, &t);
		print_tensor("output", &t);
	}
	if (inputs && made == n)
		rc = run(model, inputs);
	else
		fprintf(stderr, "run_model: an input's shape is not known: give sizes in hone_options\n");
	for (int i = 0; i < made; i++)
		free(inputs[i].data);
	free(inputs);
	return rc;
}

static void warn(void *user, const char *line)
{
	(void)user;
	fprintf(stderr, "run_model: %s\n", line);
}

int main(int argc, char **argv)
{
	struct hone_options options = { .db = argc > 2 ? argv[2] : NULL, .warn = warn };
	struct hone_model *model;
	int rc;

	if (argc < 2) {
		fprintf(stderr, "Usage: run_model MODEL [DATABASE]\n");
		return 2;
	}
	if (hone_open(argv[1], &options, &model) < 0) {
		fail();
		return 1;
	}
	rc = run_on_zeros(model);
	hone_close(model);
	return rc < 0;
}
