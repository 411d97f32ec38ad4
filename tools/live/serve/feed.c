/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/serve/feed.c - looks, and makes of what it sees what is asked for. */
#include "tools/live/serve/feed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "tools/json.h"
#include "tools/live/serve/door.h"
#include "tools/live/watch.h"
#include "tools/report/html.h"
#include "tools/report/report.h"

/* Seconds between reports: as often as one can read what is new. */
static const double report_s = 3;

static const char live_style[] =
#include "tools/live/serve/live_css.inc"
	;
static const char live_script[] =
#include "tools/live/serve/live_js.inc"
	;

/* --- texts */

/* Takes S, which is of malloc(). */
static struct feed_text *text_of(char *s, size_t n)
{
	struct feed_text *t = malloc(sizeof(*t));

	if (!t || !s)
		die("out of memory");
	*t = (struct feed_text){ s, n, 1 };
	return t;
}

void feed_text_release(struct feed_text *t)
{
	if (!t || --t->references > 0)
		return;
	free(t->s);
	free(t);
}

/* SLOT has NEW from now on. */
static void put(struct feed_text **slot, struct feed_text *new)
{
	feed_text_release(*slot);
	*slot = new;
}

static struct feed_text *hand_out(struct feed_text *t)
{
	if (t)
		t->references++;
	return t;
}

/* --- looks */

/* The file changes with what is no campaign's, too; its log, with what is not in it yet. */
static struct hash128 stamp_of_file(const struct feed *f)
{
	struct hasher *h = hasher_new();
	struct text log = { 0 };

	text_printf(&log, "%s-wal", f->query.db);
	hasher_file(h, f->query.db);
	hasher_file(h, log.s);
	text_free(&log);
	return hasher_end(h);
}

static void take(struct feed *f, const struct status_vec *v)
{
	char *s = json_line(status_all_json(f->query.db, v));

	if (!s)
		die("out of memory");
	put(&f->status, text_of(s, strlen(s)));
	f->alive = status_any_alive(v);
	bool one = f->query.source && v->n;

	*f->campaign = '\0';
	if (one)
		snprintf(f->campaign, sizeof(f->campaign), "%jd", (intmax_t)v->at[v->n - 1].campaign.id);
}

int feed_look(struct feed *f, bool *changed)
{
	double from = clock_s();
	struct status_vec v;

	if (from < f->next)
		return 0;
	struct arena *a = arena_new();
	/* First, so that what is written meanwhile is seen the next time. */
	struct hash128 file = stamp_of_file(f);
	int rc = status_look(&f->query, a, &v);
	double now = clock_s();

	f->next = now + live_pause(now - from);
	if (rc == 0) {
		struct hash128 campaigns = live_stamp(&v);
		bool is_new = f->version == 0 || !hash_equal(file, f->file) ||
			      !hash_equal(campaigns, f->campaigns);

		take(f, &v);	/* how long ago something was is always new */
		f->file = file;
		f->campaigns = campaigns;
		f->version += is_new;
		*changed |= is_new;
	}
	arena_free(a);
	if (rc == 0 && f->report_version != f->version && now >= f->next_report) {
		f->report_version = f->version;
		f->next_report = now + report_s;
		*changed = true;
	}
	return rc;
}

struct feed_text *feed_status(struct feed *f)
{
	bool changed = false;

	if (feed_look(f, &changed) < 0)
		return NULL;
	return hand_out(f->status);
}

/* --- the page */

/* What stands before there is anything to report: as much as the script needs. */
static int write_waiting(FILE *to, const struct feed *f, const char *tail)
{
	fprintf(to, "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
		    "<meta name=color-scheme content=\"light dark\">\n<link rel=icon href=\"data:,\">\n"
		    "<title>hone report</title>\n</head>\n<body>\n<main data-waiting>\n<h1>hone report</h1>\n<p>"
		    "There is no report yet: ");
	html_text(to, err_get());
	fprintf(to, "</p>\n<p>This page fills when there is something to see in ");
	html_text(to, f->query.db);
	fprintf(to, ".</p>\n</main>\n%s</body>\n</html>\n", tail);
	return 0;
}

static int write_report(FILE *to, const struct feed *f, const char *tail)
{
	struct report_query q = { .campaign = *f->campaign ? f->campaign : NULL, .nonce = f->nonce, .tail = tail };
	struct db *db = db_open(f->query.db, DB_READ);
	int rc = db ? report_write(to, db, &q) : -1;

	db_close(db);
	return rc;
}

/* What a WRITER writes; NULL where it fails. */
static struct feed_text *written(const struct feed *f, const char *tail,
				 int (*writer)(FILE *to, const struct feed *f, const char *tail))
{
	char *s = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&s, &n);
	int rc = to ? writer(to, f, tail) : -1;

	if (!to || fclose(to) != 0)
		die("out of memory");
	if (rc == 0)
		return text_of(s, n);
	free(s);
	return NULL;
}

static int make_page(struct feed *f)
{
	struct text tail = { 0 };

	if (door_draw(f->nonce) < 0)
		return -1;
	text_printf(&tail, "<style nonce=\"%s\">\n%s</style>\n<div id=live role=status></div>\n"
			   "<script nonce=\"%s\" id=live-script data-version=%jd>\n%s</script>\n",
		    f->nonce, live_style, f->nonce, (intmax_t)f->report_version, live_script);
	struct feed_text *page = written(f, tail.s, write_report);

	put(&f->page, page ? page : written(f, tail.s, write_waiting));
	text_free(&tail);
	f->page_version = f->report_version;
	return 0;
}

/* A report that takes long is made seldom. */
static void report_made(struct feed *f, double from)
{
	double next = clock_s() + live_pause(clock_s() - from);

	if (next > f->next_report)
		f->next_report = next;
}

struct feed_text *feed_page(struct feed *f)
{
	bool changed = false;

	if (feed_look(f, &changed) < 0)
		return NULL;
	double from = clock_s();

	if (!f->page || f->page_version != f->report_version) {
		if (make_page(f) < 0)
			return NULL;
		report_made(f, from);
	}
	return hand_out(f->page);
}

static int make_figures(struct feed *f)
{
	const struct report_query q = { .campaign = *f->campaign ? f->campaign : NULL };
	struct db *db = db_open(f->query.db, DB_READ);
	json_t *json = db ? report_json(db, &q) : NULL;
	char *s = json ? json_line(json) : NULL;

	db_close(db);
	if (!s)
		return -1;
	put(&f->figures, text_of(s, strlen(s)));
	f->figures_version = f->report_version;
	return 0;
}

struct feed_text *feed_figures(struct feed *f)
{
	bool changed = false;

	if (feed_look(f, &changed) < 0)
		return NULL;
	double from = clock_s();

	if (!f->figures || f->figures_version != f->report_version) {
		if (make_figures(f) < 0)
			return NULL;
		report_made(f, from);
	}
	return hand_out(f->figures);
}

void feed_end(struct feed *f)
{
	put(&f->status, NULL);
	put(&f->page, NULL);
	put(&f->figures, NULL);
}
