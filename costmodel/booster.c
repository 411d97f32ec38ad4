/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/booster.c - XGBoost's C API. What it returns lies in memory of the calling thread that
 * its next call reuses: it is read at once. */
#include "costmodel/booster.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <xgboost/c_api.h>

#include "base/err.h"

/* 0, or -1 and the message of a call that failed. */
static int check(int rc, const char *what)
{
	return rc == 0 ? 0 : err_set("XGBoost failed to %s: %s", what, XGBGetLastError());
}

void *cost_allocate(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		die("out of memory for a cost model");
	return p;
}

/* --- data */

/* NumPy's description of an array, as XGBoost wants it. */
static void describe(char out[160], const struct lesson *l)
{
	snprintf(out, 160,
		 "{\"data\": [%" PRIuPTR ", true], \"shape\": [%d, %d], \"typestr\": \"<f4\", "
		 "\"version\": 3}",
		 (uintptr_t)l->rows, l->first[l->n], l->columns);
}

static int make_matrix(const struct lesson *l, int threads, DMatrixHandle *out)
{
	char data[160], config[64];

	describe(data, l);
	snprintf(config, sizeof(config), "{\"missing\": NaN, \"nthread\": %d}", threads);
	return check(XGDMatrixCreateFromDense(data, config, out), "take the features");
}

static void sum_rows(const struct lesson *l, const float *rows, float *sums)
{
	for (int i = 0; i < l->n; i++) {
		double sum = 0;

		for (int r = l->first[i]; r < l->first[i + 1]; r++)
			sum += (double)l->share[r] * (double)rows[r];
		sums[i] = (float)sum;
	}
}

/* --- learning */

struct study {
	const struct lesson *train, *held;
	const struct booster_options *o;
	BoosterHandle booster;
	DMatrixHandle train_matrix, held_matrix;
	float *sums;		/* by program, of the one or the other */
	float *grad, *hess;	/* by row */
	int best_round;
	double best_loss;
};

static int set_number(BoosterHandle h, const char *name, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.9g", value);
	return check(XGBoosterSetParam(h, name, text), name);
}

/* Histograms of few bins: features are counts, whose order of magnitude is what matters. */
static int set_params(const struct study *s)
{
	BoosterHandle h = s->booster;
	const struct booster_options *o = s->o;

	return check(XGBoosterSetParam(h, "tree_method", "hist"), "set tree_method") < 0 ||
	       check(XGBoosterSetParam(h, "objective", "reg:squarederror"), "set objective") < 0 ||
	       set_number(h, "base_score", 0) < 0 || set_number(h, "verbosity", 0) < 0 ||
	       set_number(h, "seed", (double)(o->seed & INT32_MAX)) < 0 ||
	       set_number(h, "nthread", o->threads) < 0 || set_number(h, "max_bin", 64) < 0 ||
	       set_number(h, "max_depth", o->depth) < 0 || set_number(h, "eta", o->eta) < 0 ||
	       set_number(h, "min_child_weight", 1) < 0 || set_number(h, "lambda", 4) < 0 || set_number(h, "subsample", 0.7) < 0 ||
	       set_number(h, "colsample_bytree", 0.5) < 0
		? -1 : 0;
}

/* The sums of L, through the booster's cache for its matrix: only new trees are evaluated. */
static int predict_matrix(const struct study *s, const struct lesson *l, DMatrixHandle matrix)
{
	static const char config[] = "{\"type\": 1, \"training\": true, \"iteration_begin\": 0, "
				     "\"iteration_end\": 0, \"strict_shape\": false}";
	const bst_ulong *shape;
	const float *rows;
	bst_ulong dims;

	if (check(XGBoosterPredictFromDMatrix(s->booster, matrix, config, &shape, &dims, &rows),
		  "predict") < 0)
		return -1;
	sum_rows(l, rows, s->sums);
	return 0;
}

static double probability(double sum)
{
	return 1 / (1 + exp(-sum));
}

/* By the chain rule a row's gradient is its program's times its share. The rows of a program move
 * at once: the square of a weighted mean is at most the mean of the squares, so with the second
 * derivative times the share one step cannot overshoot, however many rows there are. */
static void derive(const struct study *s)
{
	const struct lesson *l = s->train;

	for (int i = 0; i < l->n; i++) {
		double sum = (double)s->sums[i], target = (double)l->target[i];
		double weight = (double)l->weight[i];
		double value = s->o->loss == LOSS_LOGISTIC ? probability(sum) : sum;
		double bend = s->o->loss == LOSS_LOGISTIC ? fmax(value * (1 - value), 1e-6) : 1;

		for (int r = l->first[i]; r < l->first[i + 1]; r++) {
			s->grad[r] = (float)((value - target) * weight) * l->share[r];
			s->hess[r] = (float)(bend * weight) * l->share[r];
		}
	}
}

static double loss_of(const struct study *s, const struct lesson *l)
{
	double loss = 0;

	for (int i = 0; i < l->n; i++) {
		double sum = (double)s->sums[i], target = (double)l->target[i];

		if (s->o->loss == LOSS_LOGISTIC)
			loss += (double)l->weight[i] * (log1p(exp(sum)) - target * sum);
		else
			loss += (double)l->weight[i] * (sum - target) * (sum - target);
	}
	return loss;
}

/* One tree more. 1 where it is time to stop. */
static int study_round(struct study *s, int round)
{
	bst_ulong rows = (bst_ulong)s->train->first[s->train->n];

	if (predict_matrix(s, s->train, s->train_matrix) < 0)
		return -1;
	derive(s);
	if (check(XGBoosterBoostOneIter(s->booster, s->train_matrix, s->grad, s->hess, rows),
		  "learn") < 0)
		return -1;
	if (!s->held) {
		s->best_round = round + 1;
		return 0;
	}
	if (predict_matrix(s, s->held, s->held_matrix) < 0)
		return -1;
	double loss = loss_of(s, s->held);

	if (round == 0 || loss < s->best_loss) {
		s->best_loss = loss;
		s->best_round = round + 1;
	}
	return round + 1 - s->best_round >= s->o->patience;
}

/* Learns all rounds. */
static int study_all(struct study *s)
{
	DMatrixHandle matrices[2];
	int n = 0, rc = 0;

	if (make_matrix(s->train, s->o->threads, &s->train_matrix) < 0)
		return -1;
	matrices[n++] = s->train_matrix;
	if (s->held && make_matrix(s->held, s->o->threads, &s->held_matrix) < 0)
		return -1;
	if (s->held)
		matrices[n++] = s->held_matrix;
	if (check(XGBoosterCreate(matrices, (bst_ulong)n, &s->booster), "begin") < 0 ||
	    set_params(s) < 0)
		return -1;
	for (int i = 0; i < s->o->rounds && rc == 0; i++)
		rc = study_round(s, i);
	return rc < 0 ? -1 : 0;
}

/* The rounds that were best. */
static int read_best(const struct study *s, struct trees *t)
{
	const char **text;
	bst_ulong n;

	if (check(XGBoosterDumpModel(s->booster, "", 0, &n, &text), "say what it learned") < 0)
		return -1;
	return trees_read(t, text, s->best_round);
}

static void study_free(struct study *s)
{
	free(s->sums);
	free(s->grad);
	free(s->hess);
	if (s->train_matrix)
		XGDMatrixFree(s->train_matrix);
	if (s->held_matrix)
		XGDMatrixFree(s->held_matrix);
	if (s->booster)
		XGBoosterFree(s->booster);
}

struct trees *booster_learn(const struct lesson *train, const struct lesson *held,
			    const struct booster_options *o, int *rounds)
{
	struct trees *trees = trees_new(o->rounds, o->depth);
	struct study s = { .train = train, .held = held, .o = o };
	int most = held && held->n > train->n ? held->n : train->n;
	size_t rows = (size_t)train->first[train->n];

	XGBSetGlobalConfig("{\"verbosity\": 0}");
	s.sums = cost_allocate((size_t)most, sizeof(float));
	s.grad = cost_allocate(rows, sizeof(float));
	s.hess = cost_allocate(rows, sizeof(float));
	int rc = study_all(&s) < 0 ? -1 : read_best(&s, trees);

	study_free(&s);
	*rounds = s.best_round;
	if (rc == 0)
		return trees;
	trees_free(trees);
	return NULL;
}

/* --- using */

void booster_predict(const struct trees *t, const struct lesson *l, float *sums)
{
	int n = l->first[l->n];
	float *rows = cost_allocate((size_t)n, sizeof(*rows));

	trees_sum(t, l->rows, n, l->columns, rows);
	sum_rows(l, rows, sums);
	free(rows);
}
