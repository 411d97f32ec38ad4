/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_task.c - fused functions as DAGs: the tasks that the command line names. */
#include "tests/graph_fixture.h"

#include "graph/task/task.h"
#include "te/operator.h"

static void assert_key(const struct model_task *t, const char *spec)
{
	struct arena *a = arena_new();
	struct dag *d = operator_build(a, spec);

	if (!t->dag)
		fail_msg("%s %s: %s", t->op, t->shape, t->reason);
	if (!d)
		fail_msg("%s", err_get());
	if (!hash_equal(t->key, dag_key(d)))
		fail_msg("%s %s is not %s", t->op, t->shape, spec);
	arena_free(a);
}

static struct model_task_vec tasks_of(struct graph_maker *m)
{
	return graph_tasks(m->a, passed(m, NULL));
}

/* Two blocks of the same shape are one task, and what scales and shifts becomes weight and bias. */
static void equal_groups(void **state)
{
	(void)state;
	struct graph_maker m = graph_maker_new();
	int x = input(&m, 1, 8, 8, 8);

	for (int i = 0; i < 2; i++)
		x = build(&m.b, &core_relu, norm(&m, conv(&m, x, 8, 8, 3, 1), 8));
	finish(&m, x);
	struct model_task_vec tasks = tasks_of(&m);

	assert_int_equal(tasks.n, 1);
	assert_int_equal(tasks.at[0].weight, 2);
	assert_int_equal(tasks.at[0].uses.n, 2);
	assert_int_equal(tasks.at[0].uses.at[1].inputs.n, 3);
	assert_string_equal(tasks.at[0].op, "conv2d+bias+relu");
	assert_string_equal(tasks.at[0].shape, "n=1,ic=8,h=8,w=8,oc=8,k=3,s=1,p=1");
	assert_key(&tasks.at[0], "conv2d:ic=8,h=8,w=8,oc=8,k=3,p=1,bias=1,act=relu");
	arena_free(m.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
