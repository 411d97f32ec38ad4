/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/dense/slide.c - windows that slide: their attributes, and what they read. */
#include "graph/op/dense/slide.h"

#include "te/limits.h"

/* Far above any real kernel, stride or padding, and products of two stay far from overflow. */
#define SLIDE_LIMIT ((int64_t)1 << 30)

static const char *read_list(struct arena *a, const struct binding *call, const char *name, int n,
			     int64_t low, int64_t usual, int64_t *out)
{
	int given;
	const int64_t *list = call_ints(call, name, &given);

	if (given && given != n)
		return arena_printf(a, "%s has %d entries instead of %d", name, given, n);
	for (int i = 0; i < n; i++) {
		out[i] = given ? list[i] : usual;
		if (out[i] < low || out[i] > SLIDE_LIMIT)
			return arena_printf(a, "%s is %lld", name, (long long)out[i]);
	}
	return NULL;
}

static bool is_same(const struct binding *call)
{
	return strncmp(call_string(call, "auto_pad"), "same", 4) == 0;
}

const char *slide_read(struct arena *a, const struct binding *call, int nd, struct slide *s)
{
	const char *mode = call_string(call, "auto_pad");
	int64_t pads[2 * SLIDE_MAX] = { 0 };
	const char *why;

	*s = (struct slide){ .nd = nd };
	if (nd < 1 || nd > SLIDE_MAX)
		return arena_printf(a, "%d spatial dims", nd);
	if (strcmp(mode, "explicit") != 0 && strcmp(mode, "same_upper") != 0 &&
	    strcmp(mode, "same_lower") != 0)
		return arena_printf(a, "auto_pad is '%s'", mode);
	if ((why = read_list(a, call, "strides", nd, 1, 1, s->stride)) ||
	    (why = read_list(a, call, "dilations", nd, 1, 1, s->dilation)) ||
	    (!is_same(call) && (why = read_list(a, call, "pads", 2 * nd, -SLIDE_LIMIT, 0, pads))))
		return why;
	memcpy(s->before, pads, sizeof(*pads) * (size_t)nd);
	memcpy(s->after, pads + nd, sizeof(*pads) * (size_t)nd);
	return NULL;
}

const char *slide_read_pool(struct arena *a, const struct binding *call, int nd, struct slide *s)
{
	const char *why = slide_read(a, call, nd, s);

	if (why || (why = read_list(a, call, "kernel", nd, 1, 0, s->kernel)))
		return why;
	return shape_count(nd, s->kernel) < 0 ? "a window of more taps than any image has" : NULL;
}

/* From the first element that a window reads to the last. */
static int64_t span(const struct slide *s, int i)
{
	return (s->kernel[i] - 1) * s->dilation[i] + 1;
}

/* One more than how often stride I fits into ROOM. */
static struct dim steps(struct arena *a, const struct slide *s, int i, struct dim room)
{
	return dim_add(a, dim_div(a, room, dim_number(s->stride[i])), dim_number(1));
}

const char *slide_places(struct arena *a, const struct binding *call, const struct slide *s, int i,
			 struct dim in, struct dim *out)
{
	bool ceil = core_op_attr(call->op, "ceil") && call_flag(call, "ceil");
	int64_t stride = s->stride[i], v;

	if (s->kernel[i] < 1 || s->kernel[i] > SLIDE_LIMIT)
		return arena_printf(a, "a window of %lld taps", (long long)s->kernel[i]);
	if (is_same(call)) {
		*out = steps(a, s, i, dim_sub(a, in, dim_number(1)));
		return NULL;
	}
	struct dim padded = dim_add(a, in, dim_of(a, s->before[i] + s->after[i]));
	struct dim room = dim_sub(a, padded, dim_number(span(s, i)));

	if (dim_value(room, &v) && v < 0)
		return arena_printf(a, "a window of %lld over %lld padded elements",
				    (long long)span(s, i), (long long)(v + span(s, i)));
	*out = steps(a, s, i, room);
	if (!ceil)
		return NULL;
	/* The last window begins inside of the image or of the padding before it. */
	struct dim begins = dim_add(a, in, dim_of(a, s->before[i] - 1));

	*out = dim_min(a, steps(a, s, i, dim_add(a, room, dim_number(stride - 1))),
		       steps(a, s, i, begins));
	return NULL;
}

const char *slide_fit(struct arena *a, const struct binding *call, const int64_t *shape,
		      struct slide *s)
{
	for (int i = 0; i < s->nd; i++) {
		struct dim out;
		const char *why = slide_places(a, call, s, i, dim_number(shape[i]), &out);

		if (why)
			return why;
		s->in[i] = shape[i];
		if (!dim_value(out, &s->out[i]) || s->out[i] < 0 || s->out[i] > GRAPH_MAX_DIM)
			return "more places of a window than any image has";
		int64_t pad = (s->out[i] - 1) * s->stride[i] + span(s, i) - s->in[i];

		if (is_same(call)) {
			pad = pad > 0 ? pad : 0;
			bool lower = strcmp(call_string(call, "auto_pad"), "same_lower") == 0;

			s->before[i] = lower ? pad - pad / 2 : pad / 2;
			s->after[i] = pad - s->before[i];
		}
	}
	return NULL;
}

static int64_t product(const int64_t *v, int n)
{
	int64_t count = 1;

	for (int i = 0; i < n; i++)
		count *= v[i];
	return count;
}

int64_t slide_elements(const struct slide *s)
{
	return product(s->in, s->nd);
}

int64_t slide_places_count(const struct slide *s)
{
	return product(s->out, s->nd);
}

int64_t slide_taps(const struct slide *s)
{
	return product(s->kernel, s->nd);
}

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
	return v < low ? low : v > high ? high : v;
}

/* V / BY rounded up, within [0, MOST]. */
static int64_t divide_up(int64_t v, int64_t by, int64_t most)
{
	return v <= 0 ? 0 : clamp((v - 1) / by + 1, 0, most);
}

/* The tap at K[i] along each dim i. */
static struct slide_tap tap_at(const struct slide *s, const int64_t *k)
{
	struct slide_tap t;
	int last = s->nd - 1;

	for (int i = 0; i < s->nd; i++)
		t.at[i] = k[i] * s->dilation[i] - s->before[i];
	t.from = divide_up(-t.at[last], s->stride[last], s->out[last]);
	t.to = divide_up(s->in[last] - t.at[last], s->stride[last], s->out[last]);
	return t;
}

struct slide_tap slide_tap(const struct slide *s, int64_t tap)
{
	int64_t k[SLIDE_MAX];

	for (int i = s->nd - 1; i >= 0; i--) {
		k[i] = tap % s->kernel[i];
		tap /= s->kernel[i];
	}
	return tap_at(s, k);
}

int64_t slide_read_row(const struct slide *s, const struct slide_tap *t, const int64_t *row)
{
	int last = s->nd - 1;
	int64_t element = 0;

	for (int i = 0; i < last; i++) {
		int64_t y = t->at[i] + row[i] * s->stride[i];

		if (y < 0 || y >= s->in[i])
			return -1;
		element = element * s->in[i] + y;
	}
	if (t->from >= t->to)
		return -1;
	return element * s->in[last] + t->at[last] + t->from * s->stride[last];
}

void slide_row(const struct slide *s, int64_t row, int64_t *place)
{
	for (int i = s->nd - 2; i >= 0; i--) {
		place[i] = row % s->out[i];
		row /= s->out[i];
	}
}

void slide_next_row(const struct slide *s, int64_t *place)
{
	for (int i = s->nd - 2; i >= 0; i--) {
		if (++place[i] < s->out[i])
			return;
		place[i] = 0;
	}
}

/* Which taps along dim I read in [0, extent) where tap 0 reads FIRST. */
static void taps_inside(const struct slide *s, int i, int64_t first, int64_t extent, int64_t *low,
			int64_t *high)
{
	*low = divide_up(-first, s->dilation[i], s->kernel[i]);
	*high = divide_up(extent - first, s->dilation[i], s->kernel[i]);
}

/* The run of the tap at r->k; false where it is empty. */
static bool fill_run(const struct slide *s, const int64_t *place, struct slide_run *r)
{
	struct slide_tap t = tap_at(s, r->k);

	r->tap = 0;
	for (int i = 0; i < s->nd; i++)
		r->tap = r->tap * s->kernel[i] + r->k[i];
	r->from = t.from;
	r->to = t.to;
	r->first = slide_read_row(s, &t, place);
	return r->first >= 0;
}

bool slide_first_run(const struct slide *s, const int64_t *place, struct slide_run *r)
{
	int last = s->nd - 1;
	int64_t none;

	for (int i = 0; i < s->nd; i++) {
		int64_t first = (i < last ? place[i] * s->stride[i] : 0) - s->before[i];

		taps_inside(s, i, first, s->in[i], &r->low[i], &r->high[i]);
		if (i == last)	/* inside at the last place is enough to begin */
			taps_inside(s, i, first + (s->out[i] - 1) * s->stride[i], s->in[i],
				    &r->low[i], &none);
		r->k[i] = r->low[i];
		if (r->low[i] >= r->high[i])
			return false;
	}
	return fill_run(s, place, r) || slide_next_run(s, place, r);
}

bool slide_next_run(const struct slide *s, const int64_t *place, struct slide_run *r)
{
	for (int i = s->nd - 1; i >= 0;) {
		if (++r->k[i] >= r->high[i]) {
			r->k[i] = r->low[i];
			i--;
			continue;
		}
		if (fill_run(s, place, r))
			return true;
		i = s->nd - 1;
	}
	return false;
}

int64_t slide_count(const struct slide *s, int i, int64_t place, bool padded)
{
	int64_t first = place * s->stride[i] - (padded ? 0 : s->before[i]);
	int64_t extent = s->in[i] + (padded ? s->before[i] + s->after[i] : 0);
	int64_t low, high;

	taps_inside(s, i, first, extent, &low, &high);
	return high > low ? high - low : 0;
}

void slide_join(const struct slide *s, size_t size, const void *x, const void *w, void *y,
		slide_joiner *join)
{
	int64_t wide = s->out[s->nd - 1], step = s->stride[s->nd - 1];
	int64_t rows = wide ? slide_places_count(s) / wide : 0;
	int64_t place[SLIDE_MAX] = { 0 };
	char *row = y;
	struct slide_run r;

	for (; rows > 0; rows--, row += (size_t)wide * size, slide_next_row(s, place))
		for (bool more = slide_first_run(s, place, &r); more;
		     more = slide_next_run(s, place, &r))
			join(row + (size_t)r.from * size, (const char *)x + (size_t)r.first * size,
			     w ? (const char *)w + (size_t)r.tap * size : NULL, r.to - r.from, step);
}

bool slide_express(const struct express *x, const struct slide *s, struct conv *c)
{
	if (s->nd > SPATIAL_MAX) {
		express_error(x, "more than %d spatial dims", SPATIAL_MAX);
		return false;
	}
	*c = conv_plain(s->nd, LAYOUT_NCHW);
	for (int i = 0; i < s->nd; i++) {
		/* What the last window reads beyond the image, which ceil makes more than padding. */
		int64_t more = (s->out[i] - 1) * s->stride[i] + span(s, i) - s->in[i] -
			       s->before[i];

		c->stride[i] = s->stride[i];
		c->dilation[i] = s->dilation[i];
		c->pad_begin[i] = s->before[i];
		c->pad_end[i] = more > s->after[i] ? more : s->after[i];
	}
	return true;
}
