/* SPDX-License-Identifier: Apache-2.0 */
/* tests/library/test_cases.c - the standard's cases through hone build: a library gives what a session
 * gives, bit for bit, for every case that a session runs and whose inputs have known shapes.
 *
 * Of Debian's cases every STRIDE-th, HONE_LONG=1 all of them; HONE_CASE=PATTERN those of such names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <ftw.h>
#include <unistd.h>

#include "base/text.h"
#include "graph/eval/compare.h"
#include "graph/onnx/data.h"
#include "tests/library/built.h"
#include "tests/skip.h"

#define DEBIAN "/usr/share/libonnx-testdata/data"

enum { STRIDE = 60, THREADS = 2 };

/* What became of the cases. */
static struct {
	int built;	/* and equal to the session's, bit by bit */
	int right;	/* of these, as far as the session's are what the standard expects */
	int refused;	/* an input is no tensor of known shape, or an output none of known rank */
	int not_run;	/* a session does not run them either */
} count;

/* A library whose interpreter all others use. */
static struct built_library first;

static const struct type **input_types(struct arena *a, const struct function *f)
{
	const struct type **types = arena_many(a, const struct type *, f->nparams + 1);

	for (int i = 0; i < f->nparams; i++)
		types[i] = function_at(f, i)->type;
	return types;
}

static const struct type **output_types(struct arena *a, const struct function *f,
					const struct value *got)
{
	const struct type **types = arena_many(a, const struct type *, f->nresults + 1);

	for (int i = 0; i < f->nresults; i++)
		types[i] = data_result_type(a, function_at(f, f->results[i])->type, got[i]);
	return types;
}

/* Runs L's session on the data in FOLDER. -1 where it does not; else whether it is right. */
static int run_session(struct built_library *l, const char *folder)
{
	const struct function *main = graph_main(l->model.graph);
	struct value *want = arena_many(l->a, struct value, main->nresults + 1);
	struct text why = { 0 };
	int right = 1;

	if (data_read_all(l->a, folder, "input", main->nparams, input_types(l->a, main), l->args) < 0 ||
	    session_run(l->session, l->args, l->results) < 0 ||
	    data_read_all(l->a, folder, "output", main->nresults,
			  output_types(l->a, main, l->results), want) < 0)
		return -1;
	for (int i = 0; i < main->nresults; i++)
		right &= value_agrees(l->results[i], want[i], &tolerance_of_onnx, &why);
	text_free(&why);
	return right;
}

/* --- the library in this process */

typedef int32_t run_fn(void *m, const void *const *inputs, void *const *outputs);

/* As a library's header has it. */
struct loaded_tensor {
	const char *name, *type;
	int32_t rank;
	const int64_t *shape;
	size_t bytes;
};

struct loaded_library {
	void *(*create)(int32_t threads);
	void (*free)(void *m);
	run_fn *run;
	const char *(*error)(void);
	const struct loaded_tensor *(*result)(const void *m, int32_t i, const void **data);
};

static struct loaded_library load(const struct built_library *l)
{
	static const char *const names[] = { "model_create", "model_free", "model_run", "model_error",
					     "model_result" };
	struct loaded_library out;
	void *const functions[] = { &out.create, &out.free, &out.run, &out.error, &out.result };
	void *handle = dlopen(arena_printf(l->a, "%s/libmodel.so", l->folder), RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		fail_msg("%s", dlerror());
	for (int i = 0; i < 5; i++) {
		void *found = dlsym(handle, names[i]);

		assert_non_null(found);
		memcpy(functions[i], &found, sizeof(found));
	}
	return out;
}

/* Memory for those whose shapes are known; NULL for others. */
static void **new_outputs(const struct built_library *l)
{
	const struct function *main = graph_main(l->model.graph);
	void **out = arena_many(l->a, void *, main->nresults + 1);

	for (int i = 0; i < main->nresults; i++) {
		const struct type *t = function_at(main, main->results[i])->type;
		int64_t dim[GRAPH_MAX_RANK];

		if (type_shape(t, dim))
			out[i] = array_in(l->a, t->element, t->rank, dim)->data;
	}
	return out;
}

/* Is output I of M, at DATA or told by the run where that is NULL, the array X? */
static bool is_output(const struct loaded_library *library, const void *m, int i, const void *data,
		      const struct array *x)
{
	const struct loaded_tensor *t = library->result(m, i, &data);

	if (t && (t->bytes != array_bytes(x) || t->rank != x->rank ||
		  memcmp(t->shape, x->dim, (size_t)x->rank * sizeof(*x->dim)) != 0))
		return false;
	return data && memcmp(data, x->data, array_bytes(x)) == 0;
}

static void check_library(const struct built_library *l, const char *name)
{
	const struct function *main = graph_main(l->model.graph);
	struct loaded_library library = load(l);
	const void **in = arena_many(l->a, const void *, main->nparams + 1);
	void **out = new_outputs(l);
	void *m = library.create(THREADS);

	for (int i = 0; i < main->nparams; i++)
		in[i] = l->args[i].array->data;
	if (!m || library.run(m, in, out) < 0)
		fail_msg("%s: %s", name, library.error());
	for (int i = 0; i < main->nresults; i++)
		if (!is_output(&library, m, i, out[i], l->results[i].array))
			fail_msg("%s: output %d differs from the session's", name, i);
	library.free(m);
}

/* --- cases */

static void make_library(const struct built_library *l, const char *name)
{
	const char *command = arena_printf(l->a,
					   "make -s -C %s libmodel.so INTERPRETER=%s/interpreter "
					   ">%s/log 2>&1 || { tail -n 20 %s/log; false; }",
					   l->folder, first.folder, l->folder, l->folder);

	if (system(command) != 0)
		fail_msg("%s: %s", name, command);
}

static void check_case(const char *folder)
{
	const char *slash = strrchr(folder, '/'), *name = slash ? slash + 1 : folder;
	struct arena *a = arena_new();
	struct built_library l;
	int right = -1;

	if (!built_wanted(name))
		return;
	const struct open_options how = { .model = arena_printf(a, "%s/model.onnx", folder),
					  .threads = THREADS };
	bool written = built_open(&l, &how) == 0;

	if (l.session)
		right = run_session(&l, arena_printf(a, "%s/test_data_set_0", folder));
	if (right < 0) {
		count.not_run++;
	} else if (!written) {
		if (!strstr(err_get(), ": a library "))
			fail_msg("%s: %s", name, err_get());
		count.refused++;
	} else {
		make_library(&l, name);
		check_library(&l, name);
		count.built++;
		count.right += right;
	}
	built_close(&l);
	arena_free(a);
}

static int number;

static int visit(const char *path, const struct stat *st, int type, struct FTW *at)
{
	int stride = getenv("HONE_LONG") || getenv("HONE_CASE") ? 1 : STRIDE;

	(void)st;
	if (type != FTW_F || strcmp(path + at->base, "model.onnx") != 0)
		return 0;
	if (strstr(path, "/tests/conformance/") || number++ % stride == 0) {
		struct arena *a = arena_new();

		check_case(arena_strndup(a, path, (size_t)at->base - 1));
		arena_free(a);
	}
	return 0;
}

/* The first library: of one number that is sorted, which the interpreter does. */
static void open_first(void)
{
	static const char text[] = "graph \"first\"\nfn @main(%x: f32[1]) {\n"
				   "\t%k = const i64[1] [1]\n\t%t = top_k(%x, %k)\n\t%v = %t[0]\n"
				   "\treturn %v\n}\n";
	struct arena *a = arena_new();
	const char *folder = dir_temp(a);
	const struct open_options how = { .model = arena_printf(a, "%s/first.graph", folder),
					  .threads = THREADS };

	if (file_write(how.model, text, strlen(text)) < 0 || built_open(&first, &how) < 0)
		fail_msg("%s", err_get());
	dir_remove(folder);
	arena_free(a);
}

static void libraries_give_what_sessions_give(void **state)
{
	(void)state;
	open_first();
	assert_int_equal(nftw(TOP_SRCDIR "/tests/conformance/cases", visit, 16, 0), 0);
	if (access(DEBIAN, R_OK) == 0)
		assert_int_equal(nftw(DEBIAN, visit, 16, 0), 0);
	else
		skip_part("the standard's cases", "apt-get install libonnx-testdata");
	built_close(&first);
	print_message("%d libraries equal their sessions, %d of them as the standard expects; %d are "
		      "refused, %d do not run\n", count.built, count.right, count.refused,
		      count.not_run);
	assert_true(count.built > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(libraries_give_what_sessions_give),
	};

	return cmocka_run_group_tests_name("cases", tests, NULL, NULL);
}
