/* SPDX-License-Identifier: Apache-2.0 */
/* bench/search/curves.c - panels of staircases: a value holds until a trial betters it. */
#include "bench/search/curves.h"

#include <math.h>

/* Pixels. */
enum { WIDTH = 380, HEIGHT = 240, LEFT = 48, RIGHT = 12, TOP = 32, BOTTOM = 34, LEGEND = 36,
       COLUMNS = 2 };

/* The first trials are chance; the scale is logarithmic, because the first hundred matter most. */
enum { FIRST_TRIAL = 8 };

/* Told apart by most eyes, and of middle brightness, for white and for black paper. */
static const char *const colors[] = { "#8a8a8a", "#e8590c", "#1c7ed6", "#2f9e44",
				      "#9c36b5", "#c2255c", "#0c8599", "#b08900" };

enum { COLORS = sizeof(colors) / sizeof(*colors) };

/* Where values lie on the page. */
struct plot_scale {
	double x0, y0;		/* of the plot's upper left corner */
	double trials, least;	/* the ends of its axes; the others are FIRST_TRIAL and 1 */
};

static double x_of(const struct plot_scale *s, double trial)
{
	double part = log(trial / FIRST_TRIAL) / log(s->trials / FIRST_TRIAL);

	return s->x0 + part * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct plot_scale *s, double value)
{
	double part = (1 - fmin(fmax(value, s->least), 1)) / (1 - s->least);

	return s->y0 + part * (HEIGHT - TOP - BOTTOM);
}

static struct plot_scale scale_of(const struct panel *p, int n_curves, double x0, double y0)
{
	struct plot_scale s = { .x0 = x0, .y0 = y0, .trials = 2 * FIRST_TRIAL, .least = 0.95 };

	for (int i = 0; i < n_curves; i++) {
		const struct curve *c = &p->curve[i];

		s.trials = fmax(s.trials, c->n);
		if (c->n >= FIRST_TRIAL)
			s.least = fmin(s.least, c->low[FIRST_TRIAL - 1]);
	}
	s.least = floor(s.least * 20) / 20;
	return s;
}

/* Corners from the FIRST_TRIAL on, or back to it; the path is at its first point before. */
static void staircase(struct text *out, const struct plot_scale *s, const double *value, int n,
		      bool back)
{
	for (int i = FIRST_TRIAL; !back && i < n; i++)
		if (value[i] != value[i - 1])
			text_printf(out, "H%.1fV%.1f", x_of(s, i + 1), y_of(s, value[i]));
	for (int i = n - 1; back && i >= FIRST_TRIAL; i--)
		if (value[i] != value[i - 1])
			text_printf(out, "H%.1fV%.1f", x_of(s, i + 1), y_of(s, value[i - 1]));
	text_printf(out, "H%.1f", x_of(s, back ? FIRST_TRIAL : n));
}

static void draw_curve(struct text *out, const struct plot_scale *s, const struct curve *c,
		       const char *color)
{
	if (c->n < FIRST_TRIAL)
		return;
	double x = x_of(s, FIRST_TRIAL);

	text_printf(out, "<path fill=\"%s\" fill-opacity=\".18\" d=\"M%.1f %.1f", color, x,
		    y_of(s, c->high[FIRST_TRIAL - 1]));
	staircase(out, s, c->high, c->n, false);
	text_printf(out, "V%.1f", y_of(s, c->low[c->n - 1]));
	staircase(out, s, c->low, c->n, true);
	text_printf(out, "Z\"/>\n<path class=\"median\" stroke=\"%s\" d=\"M%.1f %.1f", color, x,
		    y_of(s, c->median[FIRST_TRIAL - 1]));
	staircase(out, s, c->median, c->n, false);
	text_puts(out, "\"/>\n");
}

static void escape(struct text *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '<' || *s == '&')
			text_puts(out, *s == '<' ? "&lt;" : "&amp;");
		else
			text_putn(out, s, 1);
	}
}

static void draw_axes(struct text *out, const struct plot_scale *s)
{
	double right = s->x0 + WIDTH - LEFT - RIGHT, bottom = s->y0 + HEIGHT - TOP - BOTTOM;
	double step = s->least < 0.75 ? 0.1 : s->least < 0.9 ? 0.05 : 0.02;

	for (double v = 1; v > s->least - 1e-9; v -= step)
		text_printf(out, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>"
				 "<text class=\"y\" x=\"%.1f\" y=\"%.1f\">%.2f</text>\n",
			    s->x0, y_of(s, v), right, s->x0 - 6, y_of(s, v) + 4, v);
	for (int t = FIRST_TRIAL; t <= s->trials; t *= 2)
		text_printf(out, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>"
				 "<text class=\"x\" x=\"%.1f\" y=\"%.1f\">%d</text>\n",
			    x_of(s, t), s->y0, bottom, x_of(s, t), bottom + 16, t);
}

static void draw_panel(struct text *out, const struct panel *p, int n_curves, int at)
{
	double x = at % COLUMNS * WIDTH, y = LEGEND + at / COLUMNS * HEIGHT;
	struct plot_scale s = scale_of(p, n_curves, x + LEFT, y + TOP);

	text_printf(out, "<text class=\"title\" x=\"%.1f\" y=\"%.1f\">", x + LEFT, y + TOP - 10);
	escape(out, p->title);
	text_puts(out, "</text>\n");
	draw_axes(out, &s);
	for (int i = 0; i < n_curves; i++)
		draw_curve(out, &s, &p->curve[i], colors[i % COLORS]);
}

static void draw_legend(struct text *out, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		text_printf(out, "<path class=\"median\" stroke=\"%s\" d=\"M%d 20h24\"/>"
				 "<text x=\"%d\" y=\"24\">%s</text>\n",
			    colors[i % COLORS], LEFT + 90 * i, LEFT + 90 * i + 30, names[i]);
}

void curves_svg(struct text *out, const struct panel *panel, int n_panels,
		const char *const *names, int n_names)
{
	static const char style[] =
		"<style>text{font:11px sans-serif;fill:#333}.y{text-anchor:end}"
		".x{text-anchor:middle}.title{font-size:10px}"
		".grid{stroke:#888;stroke-opacity:.35;fill:none}"
		".median{stroke-width:1.8;fill:none}"
		"@media(prefers-color-scheme:dark){text{fill:#ccc}}</style>\n";
	int columns = n_panels < COLUMNS ? 1 : COLUMNS;
	int rows = (n_panels + COLUMNS - 1) / COLUMNS;
	int width = columns * WIDTH, height = LEGEND + rows * HEIGHT;

	text_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
			 "width=\"%d\" height=\"%d\">\n%s",
		    width, height, width, height, style);
	draw_legend(out, names, n_names);
	for (int i = 0; i < n_panels; i++)
		draw_panel(out, &panel[i], n_names, i);
	text_puts(out, "</svg>\n");
}
