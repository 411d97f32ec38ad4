/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/pick/boxes.c - of boxes that overlap the best ones. */
#include <math.h>
#include <stdlib.h>

#include "graph/op/move/axes.h"

/* Operands. */
enum { BOXES, SCORES, MAX, IOU, SCORE };

/* Corners in order. */
struct corners {
	double low[2], high[2];
};

struct scored_box {
	double score;
	int64_t box;
};

static int nms_type(struct infer *x)
{
	for (int i = 0; i < x->call->nargs; i++)
		if (infer_class(x, i, i == MAX ? CLASS_INTEGERS : CLASS_BIT(FLOAT)) < 0)
			return -1;
	for (int i = BOXES; i <= SCORES; i++)
		if (infer_rank(x, i) >= 0 && infer_rank(x, i) != 3)
			return infer_error(x, "operand %d has rank %d, not 3", i, infer_rank(x, i));
	return infer_tensor(x, ELEMENT_I64, 2,
			    (const struct dim[]){ dim_unknown(), dim_number(3) });
}

/* Boxes are two corners, or a centre with width and height: see ONNX's NonMaxSuppression. */
static struct corners corners_of(const double *box, bool center)
{
	struct corners c;

	for (int d = 0; d < 2; d++) {
		double a = center ? box[d] - box[2 + d] / 2 : box[d];
		double b = center ? box[d] + box[2 + d] / 2 : box[2 + d];

		c.low[d] = fmin(a, b);
		c.high[d] = fmax(a, b);
	}
	return c;
}

static double area(const struct corners *c)
{
	return (c->high[0] - c->low[0]) * (c->high[1] - c->low[1]);
}

/* Most pairs are: they are not to cost more than a look. */
static bool are_apart(const struct corners *a, const struct corners *b)
{
	return a->high[0] <= b->low[0] || b->high[0] <= a->low[0] || a->high[1] <= b->low[1] ||
	       b->high[1] <= a->low[1];
}

/* The area that both have in common, as a part of that which either has. */
static double overlap(const struct corners *a, const struct corners *b)
{
	struct corners both;

	for (int d = 0; d < 2; d++) {
		both.low[d] = fmax(a->low[d], b->low[d]);
		both.high[d] = fmin(a->high[d], b->high[d]);
		if (both.high[d] <= both.low[d])
			return 0;
	}
	double common = area(&both), all = area(a) + area(b) - common;

	return area(a) <= 0 || area(b) <= 0 || all <= 0 ? 0 : common / all;
}

/* The best first, of equal ones the first. */
static int by_score(const void *a, const void *b)
{
	const struct scored_box *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return (x->box > y->box) - (x->box < y->box);
}

/* A number that an operand may give; WITHOUT where it was left out. */
static double option(const struct eval *x, int i, double without)
{
	const struct array *v = eval_array(x, i);

	return v && v->count ? array_float(v, 0) : without;
}

struct suppression {
	double iou, score;
	int64_t most;		/* for each class */
};

/* Of the N boxes those that stay for one class, the best first, in KEPT, and what they are in STAY; their number,
 * -1 and a message. */
static int64_t suppress(const struct eval *x, const struct suppression *s,
			const struct corners *boxes, const double *scores, int64_t n,
			struct scored_box *queue, int64_t *kept, struct corners *stay)
{
	int64_t waiting = 0, nkept = 0;

	for (int64_t i = 0; i < n; i++)
		if (scores[i] > s->score)
			queue[waiting++] = (struct scored_box){ scores[i], i };
	qsort(queue, (size_t)waiting, sizeof(*queue), by_score);
	for (int64_t i = 0; i < waiting && nkept < s->most; i++) {
		const struct corners *box = &boxes[queue[i].box];
		bool stays = true;

		if (eval_clock(x) < 0)
			return -1;

		for (int64_t k = 0; k < nkept && stays; k++)
			stays = (s->iou >= 0 && are_apart(&stay[k], box)) || overlap(&stay[k], box) <= s->iou;
		if (!stays)
			continue;
		stay[nkept] = *box;
		kept[nkept++] = queue[i].box;
	}
	return nkept;
}

struct found_vec VEC(int64_t);

/* All classes of BATCH; what stays is appended to FOUND. -1 and a message. */
static int run_batch(struct eval *x, const struct suppression *s, int64_t batch,
		     struct found_vec *found)
{
	const struct array *boxes = eval_array(x, BOXES), *scores = eval_array(x, SCORES);
	int64_t n = boxes->dim[1], classes = scores->dim[1];
	struct corners *corners = eval_scratch(x, (size_t)(n + 1) * sizeof(*corners));
	struct corners *stay = eval_scratch(x, (size_t)(n + 1) * sizeof(*stay));
	struct scored_box *queue = eval_scratch(x, (size_t)(n + 1) * sizeof(*queue));
	double *score = eval_scratch(x, (size_t)(n + 1) * sizeof(*score));
	int64_t *kept = eval_scratch(x, (size_t)(n + 1) * sizeof(*kept));

	for (int64_t i = 0; i < n; i++) {
		double box[4];

		element_get_f64(boxes->element, boxes->data, (batch * n + i) * 4, 4, box);
		corners[i] = corners_of(box, call_flag(x->call, "center_point_box"));
	}
	for (int64_t c = 0; c < classes; c++) {
		element_get_f64(scores->element, scores->data, (batch * classes + c) * n, n, score);
		int64_t nkept = suppress(x, s, corners, score, n, queue, kept, stay);

		if (nkept < 0)
			return -1;
		for (int64_t k = 0; k < nkept; k++) {
			vec_push(eval_arena(x), found, batch);
			vec_push(eval_arena(x), found, c);
			vec_push(eval_arena(x), found, kept[k]);
		}
	}
	return 0;
}

static int nms_eval(struct eval *x)
{
	const struct array *boxes = eval_array(x, BOXES), *scores = eval_array(x, SCORES);
	struct suppression s = {
		.iou = option(x, IOU, 0),
		.score = option(x, SCORE, -INFINITY),
		.most = eval_has(x, MAX) ? eval_int(x, MAX) : 0,
	};
	struct found_vec found = { 0 };

	if (boxes->rank != 3 || scores->rank != 3 || boxes->dim[2] != 4 ||
	    boxes->dim[0] != scores->dim[0] || boxes->dim[1] != scores->dim[2])
		return eval_error(x, "boxes [batch, n, 4] and scores [batch, class, n] do not fit");
	for (int64_t b = 0; b < boxes->dim[0] && s.most > 0; b++)
		if (run_batch(x, &s, b, &found) < 0)
			return -1;
	struct array *y = eval_result(x, 0, ELEMENT_I64, 2, (const int64_t[]){ found.n / 3, 3 });

	if (y && found.n)
		memcpy(y->data, found.at, array_bytes(y));
	return y ? 0 : -1;
}

const struct core_op core_non_max_suppression = {
	.name = "non_max_suppression",
	.summary = "rows (batch, class, box) of boxes [batch, n, 4] that overlap none of better scores "
		   "[batch, class, n] by more than iou, at most max for each class, above score",
	.min_args = 2,
	.max_args = 5,
	.attrs = (const struct attr_spec[]){
		{ "center_point_box", ATTR_INT, 0, NULL, "1: boxes are centre, width and height" },
		{ 0 } },
	.fusion = FUSION_OPAQUE,
	.type = nms_type,
	.eval = nms_eval,
};
