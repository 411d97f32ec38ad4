/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/serve/stream.c - what a listener gets next. */
#include "tools/live/serve/stream.h"

#include <inttypes.h>
#include <string.h>

/* Seconds without a byte after which a listener gets one: who is gone is found so, and nobody between gives up. */
static const double heartbeat_s = 15;

static bool has_news(const struct stream *s, const struct feed *f)
{
	return f->status && (s->version != f->version || s->report_version != f->report_version);
}

bool stream_has(const struct stream *s, const struct feed *f, double now)
{
	return s->at < s->message.n || has_news(s, f) || now - s->sent >= heartbeat_s;
}

void stream_event(struct text *out, const char *name, int64_t id, const char *data)
{
	text_printf(out, "event: %s\nid: %" PRId64 "\ndata: %s\n\n", name, id, data);
}

static void write_message(struct stream *s, const struct feed *f)
{
	struct text *m = &s->message;

	m->n = s->at = 0;
	if (!has_news(s, f)) {
		text_puts(m, ":\n\n");
		return;
	}
	if (!s->version)
		text_puts(m, "retry: 2000\n\n");	/* milliseconds */
	if (s->version != f->version)
		stream_event(m, "status", f->version, f->status->s);
	if (s->report_version != f->report_version) {
		struct text data = { 0 };

		text_printf(&data, "{\"version\":%" PRId64 "}", f->report_version);
		stream_event(m, "report", f->version, data.s);
		text_free(&data);
	}
	s->version = f->version;
	s->report_version = f->report_version;
}

size_t stream_take(struct stream *s, struct feed *f, double now, char *out, size_t most)
{
	if (!stream_has(s, f, now))
		return 0;
	if (s->at == s->message.n) {
		write_message(s, f);
		s->sent = now;
	}
	size_t n = s->message.n - s->at < most ? s->message.n - s->at : most;

	memcpy(out, s->message.s + s->at, n);
	s->at += n;
	return n;
}
