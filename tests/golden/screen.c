/* SPDX-License-Identifier: Apache-2.0 */
/* tests/golden/screen.c - compares the full screen of `hone status --watch` with what a file says it shows
 * (tests/golden/golden.h).
 *
 *	tests/golden/screen [--accept] [FILE.screen ...]
 *
 * A file tests/golden/screen/NAME.screen begins with lines of words and values: "columns", "rows", "tasks",
 * "charset" (utf8, ascii), "state" (running, done, none), "press" (keys as letters: see key_of() below). Then comes
 * the section "screen". The campaign is made up, and always the same. */
#include <locale.h>
#include <math.h>

#include "tests/golden/golden.h"
#include "tools/live/view/view.h"

enum { ROUNDS = 60 };

struct screen_case {
	int columns, rows, tasks;
	bool utf8;
	const char *state, *press;
};

static const char *const names[] = {
	"conv2d+bias+relu:n=1,ic=3,h=224,w=224,oc=64,k=7,s=2,p=3",
	"conv2d+bias+relu:n=1,ic=64,h=56,w=56,oc=64,k=3,s=1,p=1",
	"matmul:m=512,n=512,k=512",
	"matmul\t\x1b[2J of \xff bytes",
	"\xe7\x95\xb3\xe3\x81\xbf\xe8\xbe\xbc\xe3\x81\xbf:n=1",
	"softmax:n=128x1000",
};
enum { NAMES = sizeof(names) / sizeof(*names) };

static struct status_task task_of(struct arena *a, int i)
{
	double best = i % 7 == 5 ? 0 : 10 * (i + 1) * (i % 3 + 1);
	struct status_task t = {
		.stats.task = { .key = arena_printf(a, "%032d", i), .name = names[i % NAMES], .flop = 1e9 },
		.weight = i % 4 + 1,
		.gflops = best > 0 ? 1e6 / best : NAN,
		.peak_share = best > 0 ? 10 / best : NAN,
	};

	t.stats.best_us = best;
	t.stats.n_trials = best > 0 ? 8 * (i + 1) : 0;
	t.stats.trials[TRIAL_OK] = t.stats.n_trials - i % 3;
	t.stats.trials[TRIAL_CRASH] = best > 0 ? i % 3 : 0;
	t.stats.confirmed = i % 2;
	return t;
}

static void add_rounds(struct arena *a, struct status *s)
{
	for (int r = 0; r < ROUNDS && s->tasks.n; r++) {
		const struct status_task *t = &s->tasks.at[r * 11 % s->tasks.n];
		struct db_round round = { .number = r + 1, .task_key = t->stats.task.key };

		round.best_us = t->stats.best_us * (1 + 4.0 * (ROUNDS - 1 - r) / ROUNDS);
		vec_push(a, &s->rounds, round);
	}
}

static struct status status_of(struct arena *a, const struct screen_case *k)
{
	bool runs = strcmp(k->state, "running") == 0;
	struct status s = {
		.campaign = { .id = 7, .source = "resnet18.onnx", .rounds = ROUNDS, .ended = runs ? 0 : 940,
			      .state = runs ? CAMPAIGN_RUNNING : CAMPAIGN_DONE },
		.now = 1000, .age = 3, .alive = runs, .full = true, .refused = 17,
		.seconds = 1320, .left = runs ? 2280 : NAN, .minutes_budget = 60,
		.stopped_by = runs ? NULL : "--minutes 60",
		.phases = { 60, 30, 620, 410, 80, 5 }, .finals_s = NAN, .other = 115, .noise = 1.034,
		.quality = { .samples = 80, .recall = 0.62, .rank = 0.48, .accuracy = 0.74 }, .compared = 10,
	};

	for (int i = 0; i < k->tasks; i++) {
		struct status_task t = task_of(a, i);

		vec_push(a, &s.tasks, t);
		s.missing += t.stats.best_us <= 0;
		s.latency_us += t.weight * t.stats.best_us;
		s.trials += t.stats.n_trials;
		s.failed += t.stats.trials[TRIAL_CRASH];
	}
	add_rounds(a, &s);
	for (int i = 0; i < 2; i++)
		vec_push(a, &s.sittings, (struct db_sitting){ .host = "here", .pid = 4711,
							     .calibration.fixed_us = i ? 60 : 50 });
	return s;
}

static enum live_key key_of(char c)
{
	static const struct {
		char c;
		enum live_key key;
	} keys[] = {
		{ 's', LIVE_KEY_SORT },	     { 'r', LIVE_KEY_BACKWARDS }, { 'd', LIVE_KEY_DOWN },
		{ 'D', LIVE_KEY_PAGE_DOWN }, { 'u', LIVE_KEY_UP },	  { 'e', LIVE_KEY_LAST },
		{ 'p', LIVE_KEY_PAUSE },     { '?', LIVE_KEY_HELP },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (keys[i].c == c)
			return keys[i].key;
	return LIVE_KEY_NONE;
}

static int read_case(struct golden *g, struct screen_case *k)
{
	char *end, *text = arena_strdup(g->arena, g->at[0].text);

	*k = (struct screen_case){ .columns = 80, .rows = 24, .tasks = 6, .utf8 = true, .state = "running",
				   .press = "" };
	for (char *at = strtok_r(text, "\n", &end); at; at = strtok_r(NULL, "\n", &end)) {
		const char *value = strchr(at, ' ');

		value = value ? value + 1 : "";
		if (*at == '#')
			continue;
		if (strncmp(at, "columns ", 8) == 0)
			k->columns = atoi(value);
		else if (strncmp(at, "rows ", 5) == 0)
			k->rows = atoi(value);
		else if (strncmp(at, "tasks ", 6) == 0)
			k->tasks = atoi(value);
		else if (strncmp(at, "charset ", 8) == 0)
			k->utf8 = strcmp(value, "utf8") == 0;
		else if (strncmp(at, "state ", 6) == 0)
			k->state = value;
		else if (strncmp(at, "press ", 6) == 0)
			k->press = value;
		else
			return err_set("%s: '%s' is no option", g->path, at);
	}
	return 0;
}

static int rewrite(struct golden *g, struct text *out)
{
	struct live_view view = { .db = "tune.db" };
	struct status_vec all = { 0 };
	struct screen_case k;

	if (read_case(g, &k) < 0)
		return -1;
	if (strcmp(k.state, "none") != 0)
		vec_push(g->arena, &all, status_of(g->arena, &k));
	struct canvas c = canvas_new(g->arena, k.columns, k.rows, k.utf8);

	/* As a user does: what is there is seen before the next key. */
	for (const char *p = k.press; *p; p++) {
		live_draw(&c, g->arena, &all, &view);
		live_press(&view, &all, key_of(*p));
	}
	c = canvas_new(g->arena, k.columns, k.rows, k.utf8);
	live_draw(&c, g->arena, &all, &view);
	text_printf(out, "%s%sscreen\n", g->at[0].text, golden_marker);
	canvas_print(out, &c);
	return 0;
}

int main(int argc, char **argv)
{
	if (!setlocale(LC_CTYPE, "C.UTF-8")) {
		printf("SKIP: golden/screen: there is no locale C.UTF-8\n");
		return 77;
	}
	return golden_main(argc, argv, "tests/golden/screen/*.screen", rewrite);
}
