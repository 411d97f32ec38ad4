/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/bench/test_sequence.c - values share buffers only while they may, a sequence computes what
 * its DAGs say, and `hone bench --suite sequence` adds up the right records. */
#include "tests/command.h"

#include <math.h>

#include "base/rng.h"
#include "runtime/kernel/kernel_build.h"
#include "bench/sequence/sequence.h"
#include "measure/device/device.h"
#include "te/eval.h"
#include "te/operator.h"

/* --- where values lie */

enum { STEPS = 12, READS = 3 };

/* Random steps, each of which reads results of earlier ones and a value from outside now and then,
 * and writes value 2 * step. */
static void random_steps(struct arena *a, struct rng *r, struct value_use_vec *step)
{
	for (int i = 0; i < STEPS; i++) {
		for (int j = 0; j < READS; j++) {
			int from = (int)rng_below(r, i + 1);
			int value = from == i ? 2 * i + 1 : 2 * from;

			vec_push(a, &step[i], (struct value_use){ value, 64, false });
		}
		vec_push(a, &step[i], (struct value_use){
				 2 * i, (size_t)rng_below(r, 100), true });
	}
}

/* Plays the steps twice: every read finds the value that it is of. */
static void check_plan(const struct value_plan *p, const struct value_use_vec *step)
{
	int holds[2 * STEPS];

	for (int i = 0; i < p->bytes.n; i++)
		holds[i] = -1;
	for (int v = 0; v < p->n_values; v++)
		if (p->buffer[v] >= 0 && !p->written[v])
			holds[p->buffer[v]] = v;
	for (int i = 0; i < 2 * STEPS; i++)
		for (int j = 0; j < step[i % STEPS].n; j++) {
			const struct value_use *u = &step[i % STEPS].at[j];
			int buffer = p->buffer[u->value];

			assert_true(p->bytes.at[buffer] >= u->bytes);
			if (u->written)
				holds[buffer] = u->value;
			else
				assert_int_equal(holds[buffer], u->value);
		}
}

static void test_values(void **state)
{
	struct rng r = rng_seed(5);

	(void)state;
	for (int i = 0; i < 200; i++) {
		struct arena *a = arena_new();
		struct value_use_vec step[STEPS] = { 0 };

		random_steps(a, &r, step);
		struct value_plan p = values_place(a, step, STEPS);

		check_plan(&p, step);
		arena_free(a);
	}
}

/* A chain needs two buffers, and one for what comes from outside. */
static void test_chain_of_values(void **state)
{
	struct arena *a = arena_new();
	struct value_use_vec step[STEPS] = { 0 };

	(void)state;
	for (int i = 0; i < STEPS; i++) {
		vec_push(a, &step[i], (struct value_use){ i, 100, false });
		vec_push(a, &step[i], (struct value_use){ i + 1, 100 + (size_t)i, true });
	}
	struct value_plan p = values_place(a, step, STEPS);

	assert_int_equal(p.bytes.n, 3);
	assert_int_equal(p.bytes.at[p.buffer[0]], 100);
	arena_free(a);
}

/* --- runs */

static struct sequence_kernel kernel_of(struct arena *a, struct build_pool *b, const char *spec)
{
	const struct dag *dag = operator_build(a, spec);
	struct sequence_kernel k = { .there = true };

	assert_non_null(dag);
	k.task = task_new(a, dag, spec, 1);
	assert_ok(kernel_build(a, b, state_new(a, dag), &target_generic, 1, &k.kernel));
	return k;
}

static void add(struct arena *a, struct occurrence_vec *order, int task, int n, const int *values)
{
	struct occurrence o = { .task = task };

	for (int i = 0; i < n; i++)
		vec_push(a, &o.args, values[i]);
	vec_push(a, order, o);
}

/* The result of T, whose last argument that is, on ARGS. */
static float *evaluate(struct arena *a, const struct task *t, void *x, void *y)
{
	const struct op *op = t->dag->ops.at[t->dag->ops.n - 1];
	float *result = arena_many(a, float, tensor_count(&op->tensor));

	dag_eval(t->dag, (void *[]){ x, y, result });
	return result;
}

/* Two products and a sum, as the steps of test_run are. */
static void check_result(const struct sequence *s, const struct sequence_kernel *k)
{
	struct arena *a = arena_new();
	float *first = evaluate(a, k[0].task, s->step[0].args[0], s->step[0].args[1]);
	float *second = evaluate(a, k[0].task, first, s->step[1].args[1]);
	float *want = evaluate(a, k[1].task, second, s->step[2].args[1]);
	const float *have = s->step[2].args[2];

	for (int i = 0; i < 64; i++)
		assert_true(fabsf(have[i] - want[i]) <= 1e-5f);
	arena_free(a);
}

static void test_run(void **state)
{
	struct arena *a = arena_new();
	struct build_pool *b = build_pool_new(&(struct build_pool_options){ 0 });
	double at[4];

	(void)state;
	if (!b)
		fail_msg("%s", err_get());
	const struct sequence_kernel kernels[] = {
		kernel_of(a, b, "matmul:m=8,n=8,k=8"), kernel_of(a, b, "add:n=64"),
		{ .there = false },
	};
	struct occurrence_vec order = { 0 };

	add(a, &order, 0, 3, (int[]){ 0, VALUE_NONE, 1 });
	add(a, &order, 2, 2, (int[]){ 1, 2 });
	add(a, &order, 0, 3, (int[]){ 1, VALUE_NONE, 3 });
	add(a, &order, 1, 3, (int[]){ 3, 2, 4 });
	struct sequence *s = sequence_new(a, kernels, &order);

	assert_int_equal(s->n, 3);	/* without the task that has no kernel */
	assert_ptr_equal(s->step[1].args[0], s->step[0].args[2]);
	assert_ptr_equal(s->step[2].args[0], s->step[1].args[2]);
	assert_memory_not_equal(s->step[0].args[1], s->step[1].args[1], 64 * sizeof(float));
	for (int i = 0; i < 2; i++) {
		sequence_run(s, at);
		assert_true(at[0] <= at[1] && at[1] <= at[2] && at[2] <= at[3]);
		check_result(s, kernels);
	}
	sequence_free(s);
	build_pool_free(b);
	arena_free(a);
}

static void test_quantile(void **state)
{
	double us[33];
	const struct sequence_times t = { us, 11, 3 };

	(void)state;
	for (int i = 0; i < 11; i++) {
		us[3 * i] = i;
		us[3 * i + 1] = 10 - i;		/* the slower the one, the faster the other */
		us[3 * i + 2] = (7 * i) % 11;
	}
	assert_true(sequence_quantile(&t, (bool[]){ true, true, false }, .9) == 10);
	assert_true(sequence_quantile(&t, (bool[]){ false, false, true }, .5) == 5);
	assert_true(sequence_quantile(&t, (bool[]){ false, false, true }, .1) == 1);
	assert_true(fabs(sequence_quantile(&t, NULL, .5) - 15) < 1e-9);
}

/* --- the command */

static void record(struct fixture *f, struct db *db, const char *spec, const char *cache, double us)
{
	const struct dag *dag = operator_build(f->a, spec);
	struct device *device = device_describe(f->a, NULL);

	assert_non_null(dag);
	assert_non_null(device);
	const struct task *t = task_new(f->a, dag, spec, 1);
	struct db_task row = { .key = t->key, .name = spec, .text = t->text, .flop = t->flop };
	struct db_record r = fixture_record(f, "", TRIAL_OK, us);

	r.task = db_task(db, &row);
	r.device = db_device(db, device->fingerprint, "{}");
	r.cache = cache;
	assert_ok(append_one(db, r));
}

static double number(json_t *j, const char *object, const char *key)
{
	return json_number_value(json_object_get(object ? json_object_get(j, object) : j, key));
}

static void test_command(void **state)
{
	static const char list[] = "3 x relu:n=64\nadd:n=64\n2 x matmul:m=8,n=8,k=8\n";
	struct fixture *f = *state;
	struct db *db = fixture_open(f, f->path);
	const char *path = arena_printf(f->a, "%s/some.tasks", f->folder);

	record(f, db, "relu:n=64", "warm", 5);
	record(f, db, "relu:n=64", "cold", 9);
	record(f, db, "add:n=64", "warm", 1000);
	db_close(db);
	assert_ok(file_write(path, list, strlen(list)));
	json_t *j = hone_json(f, arena_printf(f->a, "bench --suite sequence %s --db %s --json "
					      "--seconds 1", path, f->path));
	json_t *tasks = json_object_get(j, "tasks");

	assert_true(number(j, NULL, "steps") == 4 && number(j, NULL, "runs") >= 20);
	assert_true(number(j, NULL, "low_us") <= number(j, NULL, "us"));
	assert_true(number(j, "warm", "us") == 1015 && number(j, "warm", "steps") == 4);
	assert_true(number(j, "cold", "us") == 27 && number(j, "cold", "steps") == 3);
	assert_true(fabs(number(j, "cold", "measured_us") / 27 -
			 number(j, "cold", "ratio")) < 1e-6);
	assert_int_equal(json_array_size(tasks), 3);
	assert_string_equal(json_string_value(json_object_get(json_array_get(tasks, 0), "name")),
			    "add:n=64");
	assert_true(json_is_null(json_object_get(json_array_get(tasks, 2), "us")));
	json_decref(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_chain_of_values),
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_quantile),
		cmocka_unit_test_setup_teardown(test_command, fixture_new, fixture_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
