/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/api/api_run.c - the instances of include/hone.h, and their runs. */
#include <stdlib.h>

#include "base/err.h"
#include "runtime/api/api.h"

struct hone_instance {
	const struct hone_model *model;
	struct session *session;
	struct arena *run;	/* what a run borrows */
};

int hone_instance_new(const struct hone_model *model, struct hone_instance **instance)
{
	if (!instance)
		return api_fail(HONE_INVALID, "hone_instance_new: where to put the instance?");
	*instance = NULL;
	struct hone_instance *made = calloc(1, sizeof(*made));

	if (!made)
		die("out of memory");
	*made = (struct hone_instance){
		model, session_new(model->opened.code, interp_usual_limits), arena_new() };
	*instance = made;
	return HONE_OK;
}

void hone_instance_free(struct hone_instance *instance)
{
	if (!instance)
		return;
	session_free(instance->session);
	arena_free(instance->run);
	free(instance);
}

/* A run on its way. */
struct api_run {
	struct hone_instance *instance;
	const struct function *main;
	struct value *args, *results;
};

static int read_inputs(struct api_run *r, const DLTensor *inputs)
{
	for (int i = 0; i < r->main->nparams; i++) {
		const struct binding *param = function_at(r->main, i);
		int rc = dlpack_read(r->instance->run, &inputs[i], param->type->element,
				     &r->args[i]);

		if (rc < 0) {
			err_prefix("input '%s'", param->name);
			return rc;
		}
		if (open_argument(param, r->args[i]) < 0)
			return HONE_INVALID;
	}
	return HONE_OK;
}

static int run_in(struct api_run *r, const DLTensor *inputs, DLManagedTensor **managed,
		  const DLTensor *outputs)
{
	int rc = read_inputs(r, inputs);

	if (rc < 0)
		return rc;
	if (session_run(r->instance->session, r->args, r->results) < 0)
		return HONE_FAILED;
	for (int i = 0; i < r->main->nresults && rc == 0; i++) {
		rc = managed ? dlpack_give(r->results[i], &managed[i])
			     : dlpack_write(r->results[i], &outputs[i]);
		if (rc < 0)
			err_prefix("output '%s'", function_at(r->main, r->main->results[i])->name);
	}
	return rc;
}

/* One run; results go to MANAGED or, where that is NULL, to OUTPUTS. */
static int run(struct hone_instance *instance, const DLTensor *inputs, int ninputs,
	       DLManagedTensor **managed, const DLTensor *outputs, int noutputs)
{
	const struct function *main = graph_main(instance->model->opened.graph);

	if (ninputs != main->nparams || noutputs != main->nresults)
		return api_fail(HONE_INVALID,
				"%d inputs and %d outputs: the model has %d and %d", ninputs,
				noutputs, main->nparams, main->nresults);
	if ((ninputs && !inputs) || (noutputs && !managed && !outputs))
		return api_fail(HONE_INVALID, "where are the tensors?");
	struct api_run r = {
		.instance = instance,
		.main = main,
		.args = values_new(ninputs),
		.results = values_new(noutputs),
	};
	int rc = run_in(&r, inputs, managed, outputs);

	values_release(r.args, ninputs);
	values_release(r.results, noutputs);
	free(r.args);
	free(r.results);
	arena_reset(instance->run);
	return rc;
}

int hone_run(struct hone_instance *instance, const DLTensor *inputs, int ninputs,
	     DLManagedTensor **outputs, int noutputs)
{
	for (int i = 0; outputs && i < noutputs; i++)
		outputs[i] = NULL;
	int rc = run(instance, inputs, ninputs, outputs, NULL, noutputs);

	for (int i = 0; rc < 0 && outputs && i < noutputs; i++) {
		if (outputs[i])
			outputs[i]->deleter(outputs[i]);
		outputs[i] = NULL;
	}
	return rc;
}

int hone_run_into(struct hone_instance *instance, const DLTensor *inputs, int ninputs,
		  const DLTensor *outputs, int noutputs)
{
	return run(instance, inputs, ninputs, NULL, outputs, noutputs);
}
