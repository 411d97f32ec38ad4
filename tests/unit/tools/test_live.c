/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/tools/test_live.c - what following a campaign rests on: cells, spark lines, scrolling, who gets in, events. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <locale.h>
#include <math.h>

#include "base/rng.h"
#include "tests/skip.h"
#include "tools/live/serve/door.h"
#include "tools/live/view/series.h"
#include "tools/live/serve/stream.h"
#include "tools/live/view/view.h"

static int set_up(void **state)
{
	*state = arena_new();
	return 0;
}

static int tear_down(void **state)
{
	arena_free(*state);
	return 0;
}

static void shows(const struct canvas *c, const char *lines)
{
	struct text out = { 0 };

	canvas_print(&out, c);
	assert_string_equal(text_str(&out), lines);
	text_free(&out);
}

static void test_canvas(void **state)
{
	struct canvas c = canvas_new(*state, 6, 2, false);

	assert_int_equal(canvas_put(&c, 0, 4, STYLE_PLAIN, "abc"), 6);
	assert_int_equal(canvas_put_cut(&c, 1, 0, 4, STYLE_PLAIN, "abcdef"), 4);
	canvas_put(&c, 7, 0, STYLE_PLAIN, "below");
	canvas_put(&c, -1, 0, STYLE_PLAIN, "above");
	shows(&c, "    ab\nabc~\n");
	c = canvas_new(*state, 8, 1, false);
	canvas_put(&c, 0, 0, STYLE_PLAIN, "\x1b\t\xc3\xa9\xff\xed\xa0\x80");
	shows(&c, "?????\n");	/* the last is a surrogate */
	c = canvas_new(*state, -5, 1 << 30, true);
	assert_true(c.columns == 1 && c.rows == CANVAS_MOST);
}

static void test_wide(void **state)
{
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		skip_test("there is no locale C.UTF-8");
	struct canvas c = canvas_new(*state, 5, 2, true);

	/* Of three characters of two columns two fit; a mark takes one column. */
	assert_int_equal(canvas_put(&c, 0, 0, STYLE_PLAIN, "\xe7\x95\xb3\xe7\x95\xb3\xe7\x95\xb3"), 4);
	assert_int_equal(canvas_put_cut(&c, 1, 0, 4, STYLE_PLAIN, "\xe7\x95\xb3\xe7\x95\xb3\xe7\x95\xb3"), 3);
	shows(&c, "\xe7\x95\xb3\xe7\x95\xb3\n\xe7\x95\xb3\xe2\x80\xa6\n");
	setlocale(LC_CTYPE, "C");
}

static void test_spark(void **state)
{
	struct live_series v = { 0 };
	signed char levels[8];

	assert_int_equal(live_spark(&v, 3, 8, levels), 3);
	assert_true(levels[0] == -1 && levels[2] == -1);
	vec_push(*state, &v, (struct live_point){ 1, 100 });
	vec_push(*state, &v, (struct live_point){ 5, 10 });
	vec_push(*state, &v, (struct live_point){ 7, 1 });
	assert_int_equal(live_spark(&v, 8, 8, levels), 8);
	assert_memory_equal(levels, ((signed char[]){ -1, 7, 7, 7, 7, 4, 4, 0 }), 8);
	assert_int_equal(live_spark(&v, 8, 2, levels), 2);
	assert_true(levels[0] == 7 && levels[1] == 0);
	assert_true(live_gain(&v, 1) == 100 && isnan(live_gain(&v, 0)));
}

/* Whatever the size and whatever is pressed, what is shown is within bounds. */
static void test_sizes(void **state)
{
	struct rng rng = rng_seed(5);
	struct live_view view = { .db = "t.db" };
	struct status s = { .campaign = { .id = 1, .source = "mm", .state = CAMPAIGN_RUNNING }, .alive = true,
			    .full = true, .seconds = NAN, .left = NAN, .finals_s = NAN, .noise = NAN, .other = 1,
			    .latency_us = NAN };
	struct status_vec all = { 0 };

	for (int i = 0; i < 40; i++)
		vec_push(*state, &s.tasks, (struct status_task){
			.stats.task = { .key = "k", .name = "a task" }, .weight = NAN, .gflops = NAN, .peak_share = NAN });
	vec_push(*state, &all, s);
	for (int i = 0; i < 2000; i++) {
		struct arena *a = arena_new();
		struct canvas c = canvas_new(a, (int)rng_below(&rng, 130), (int)rng_below(&rng, 60), false);

		live_press(&view, &all, (enum live_key)rng_below(&rng, LIVE_KEY_QUIT));
		live_draw(&c, a, &all, &view);
		if (!view.help)
			assert_true(view.top == 0 || (view.top > 0 && view.top + view.page <= 40));
		for (int k = 0; k < c.columns * c.rows; k++)
			assert_true(c.cells[k].c >= ' ' && c.cells[k].c < 0x7f);
		arena_free(a);
	}
}

/* Of several campaigns the newest at work is shown, and the key goes round. */
static void test_campaigns(void **state)
{
	struct live_view view = { .db = "t.db" };
	struct status_vec all = { 0 };
	static const bool alive[] = { true, false, true, false };

	for (int i = 0; i < 4; i++)
		vec_push(*state, &all, (struct status){ .campaign.id = i + 1, .alive = alive[i], .full = i != 1 });
	live_press(&view, &all, LIVE_KEY_CAMPAIGN);
	assert_int_equal(view.campaign, 4);
	live_press(&view, &all, LIVE_KEY_CAMPAIGN);
	assert_int_equal(view.campaign, 1);
	live_press(&view, &all, LIVE_KEY_CAMPAIGN);
	assert_int_equal(view.campaign, 3);
}

/* --- what is served */

static int admit(const struct door *d, const char *method, const char *path, const char *host, const char *origin,
		 const char *token)
{
	const struct door_request r = { method, path, host, origin, token };
	enum door_path at;

	return door_admit(d, &r, &at);
}

static void test_door(void **state)
{
	struct door d = { .address = "127.0.0.1", .port = 8123 }, other = d;
	static const char here[] = "127.0.0.1:8123";
	enum door_path at;

	(void)state;
	assert_int_equal(door_draw(d.token), 0);
	assert_int_equal(door_draw(other.token), 0);
	assert_int_equal(strspn(d.token, "0123456789abcdef"), 32);
	assert_string_not_equal(d.token, other.token);

	assert_int_equal(admit(&d, "GET", "/", here, NULL, d.token), 200);
	assert_int_equal(admit(&d, "HEAD", "/events", "LOCALHOST:8123", NULL, d.token), 200);
	assert_int_equal(admit(&d, "GET", "/", here, "http://localhost:8123", d.token), 200);
	assert_int_equal(door_admit(&d, &(struct door_request){ "GET", "/report.json", here, NULL, d.token }, &at),
			 200);
	assert_int_equal(at, DOOR_REPORT);

	/* no token, a wrong one, its beginning, more than it */
	assert_int_equal(admit(&d, "GET", "/", here, NULL, NULL), 403);
	assert_int_equal(admit(&d, "GET", "/", here, NULL, other.token), 403);
	assert_int_equal(admit(&d, "GET", "/", here, NULL, ""), 403);
	d.token[31] = 0;
	char part[DOOR_TOKEN];

	memcpy(part, d.token, sizeof(part));
	d.token[31] = '0';
	assert_int_equal(admit(&d, "GET", "/", here, NULL, part), 403);
	assert_int_equal(admit(&d, "GET", "/nothing", here, NULL, NULL), 403);	/* and no word of what there is */

	assert_int_equal(admit(&d, "GET", "/nothing", here, NULL, d.token), 404);
	assert_int_equal(admit(&d, "GET", "/events/", here, NULL, d.token), 404);
	assert_int_equal(admit(&d, "POST", "/", here, NULL, d.token), 405);
	assert_int_equal(admit(&d, "OPTIONS", "/", here, NULL, d.token), 405);
	assert_int_equal(admit(&d, "GET", "/", NULL, NULL, d.token), 400);
	assert_int_equal(admit(&d, "GET", "/", "evil.example:8123", NULL, d.token), 421);
	assert_int_equal(admit(&d, "GET", "/", "127.0.0.1:8124", NULL, d.token), 421);
	assert_int_equal(admit(&d, "GET", "/", "127.0.0.1", NULL, d.token), 421);
	assert_int_equal(admit(&d, "GET", "/", "127.0.0.1:8123.evil.example", NULL, d.token), 421);
	assert_int_equal(admit(&d, "GET", "/", here, "http://evil.example", d.token), 403);
	assert_int_equal(admit(&d, "GET", "/", here, "null", d.token), 403);
	d.address = "[::1]";
	assert_int_equal(admit(&d, "GET", "/", "[::1]:8123", NULL, d.token), 200);
	assert_int_equal(admit(&d, "GET", "/", here, NULL, d.token), 421);
}

/* All that S gets, in parts of MOST bytes. */
static const char *taken(struct arena *a, struct stream *s, struct feed *f, double now, size_t most)
{
	char part[4096];
	const char *all = "";
	size_t n;

	assert_true(most <= sizeof(part));
	while ((n = stream_take(s, f, now, part, most)) > 0)
		all = arena_printf(a, "%s%.*s", all, (int)n, part);
	return all;
}

static void test_stream(void **state)
{
	char first[] = "{\"a\":1}", second[] = "{\"a\":2}";
	struct feed_text text = { first, strlen(first), 1 };
	struct feed f = { .version = 4, .report_version = 3, .status = &text };
	struct stream s = { .sent = 100 };

	assert_string_equal(taken(*state, &s, &f, 100, 5),
			    "retry: 2000\n\nevent: status\nid: 4\ndata: {\"a\":1}\n\n"
			    "event: report\nid: 4\ndata: {\"version\":3}\n\n");
	assert_false(stream_has(&s, &f, 110));
	assert_string_equal(taken(*state, &s, &f, 116, 100), ":\n\n");	/* a sign of life, once */
	f.report_version = 4;
	assert_string_equal(taken(*state, &s, &f, 117, 100), "event: report\nid: 4\ndata: {\"version\":4}\n\n");

	/* Who is slow gets the end of what it has begun with, then the newest. */
	char part[8];

	f.version = 5;
	assert_int_equal(stream_take(&s, &f, 118, part, sizeof(part)), sizeof(part));
	text.s = second;
	f.version = 9;
	assert_string_equal(taken(*state, &s, &f, 118, 100),
			    "tatus\nid: 5\ndata: {\"a\":1}\n\nevent: status\nid: 9\ndata: {\"a\":2}\n\n");
	text_free(&s.message);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(test_canvas), TEST(test_wide),	     TEST(test_spark),
					    TEST(test_sizes),  TEST(test_campaigns), TEST(test_door),
					    TEST(test_stream) };

	return cmocka_run_group_tests_name("live", tests, NULL, NULL);
}
