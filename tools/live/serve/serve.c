/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/serve/serve.c - the server, by libmicrohttpd: one thread, which looks at the file once a second while
 * somebody listens. */
#include "tools/live/serve/serve.h"

#include "base/err.h"
#include "config.h"

#ifndef HAVE_MICROHTTPD

int live_serve(const struct live_serve *s)
{
	(void)s;
	return err_set("hone status --serve: this hone was built without libmicrohttpd (package libmicrohttpd-dev): "
		       "build it with that; hone report writes the page as a file");
}

#else

#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "tools/live/serve/door.h"
#include "tools/live/serve/socket.h"
#include "tools/live/serve/stream.h"

/* Of a browser that is wide open on it; more are refused. Seconds are those in which a connection has to move:
 * who does not take a heartbeat is dropped. */
enum { STREAMS_MOST = 16, CONNECTIONS_MOST = 64, SILENT_S = 60, PART_BYTES = 16384 };
enum { FAREWELL_TURNS = 20, FAREWELL_MS = 10 };

struct live_server {
	const struct live_serve *how;
	struct door door;
	struct feed feed;
	struct MHD_Daemon *daemon;
	struct stream *streams;
	int n_streams;
};

/* --- answers */

static const struct {
	const char *name, *value;
} always[] = {
	{ "Cache-Control", "no-store" },
	{ "X-Content-Type-Options", "nosniff" },
	{ "Referrer-Policy", "no-referrer" },	/* the token is in the address */
	{ "Cross-Origin-Resource-Policy", "same-origin" },
	{ "Cross-Origin-Opener-Policy", "same-origin" },
	{ "X-Frame-Options", "DENY" },
};

static enum MHD_Result answer(struct MHD_Connection *c, int status, struct MHD_Response *r, const char *type,
			      const char *policy)
{
	for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++)
		MHD_add_response_header(r, always[i].name, always[i].value);
	MHD_add_response_header(r, "Content-Type", type);
	MHD_add_response_header(r, "Content-Security-Policy", policy ? policy : "default-src 'none'; frame-ancestors 'none'");
	if (status == 405)
		MHD_add_response_header(r, "Allow", "GET, HEAD");
	enum MHD_Result rc = MHD_queue_response(c, (unsigned)status, r);

	MHD_destroy_response(r);
	return rc;
}

static enum MHD_Result refuse(struct MHD_Connection *c, int status, const char *why)
{
	struct text words = { 0 };

	text_printf(&words, "%s\n", why);
	struct MHD_Response *r = MHD_create_response_from_buffer(words.n, words.s, MHD_RESPMEM_MUST_COPY);

	text_free(&words);
	return r ? answer(c, status, r, "text/plain; charset=utf-8", NULL) : MHD_NO;
}

static const char *reason(int status)
{
	switch (status) {
	case 400:
		return "a request names its host";
	case 403:
		return "the address has a token: use the one that hone status --serve printed";
	case 405:
		return "this can only be read";
	case 421:
		return "this is another host";
	default:
		return "there is no such page";
	}
}

static ssize_t read_text(void *cls, uint64_t at, char *out, size_t most)
{
	const struct feed_text *t = cls;
	size_t n = t->n - (size_t)at;

	if (n > most)
		n = most;
	memcpy(out, t->s + at, n);
	return (ssize_t)n;
}

static void release_text(void *cls)
{
	feed_text_release(cls);
}

static enum MHD_Result send_text(struct MHD_Connection *c, struct feed_text *t, const char *type, const char *policy)
{
	if (!t)
		return refuse(c, 500, err_get());
	struct MHD_Response *r =
		MHD_create_response_from_callback(t->n, PART_BYTES, read_text, t, release_text);

	if (!r)
		feed_text_release(t);
	return r ? answer(c, 200, r, type, policy) : MHD_NO;
}

static enum MHD_Result send_page(struct live_server *s, struct MHD_Connection *c)
{
	struct feed_text *page = feed_page(&s->feed);
	struct text policy = { 0 };

	/* uPlot and the page's script set styles of elements one by one, which a policy allows. */
	text_printf(&policy, "default-src 'none'; script-src 'nonce-%s'; style-src 'nonce-%s'; img-src data:; "
			     "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		    s->feed.nonce, s->feed.nonce);
	enum MHD_Result rc = send_text(c, page, "text/html; charset=utf-8", policy.s);

	text_free(&policy);
	return rc;
}

/* --- events */

struct listening {
	struct live_server *server;
	struct stream stream;
};

static ssize_t read_events(void *cls, uint64_t at, char *out, size_t most)
{
	struct listening *l = cls;

	(void)at;
	if (l->stream.over)
		return MHD_CONTENT_READER_END_OF_STREAM;
	size_t n = stream_take(&l->stream, &l->server->feed, clock_s(), out, most);

	if (n == 0) {
		l->stream.waits = true;
		MHD_suspend_connection(l->stream.connection);
	}
	return (ssize_t)n;
}

static void end_events(void *cls)
{
	struct listening *l = cls;
	struct stream **at = &l->server->streams;

	while (*at != &l->stream)
		at = &(*at)->next;
	*at = l->stream.next;
	l->server->n_streams--;
	text_free(&l->stream.message);
	free(l);
}

static enum MHD_Result send_events(struct live_server *s, struct MHD_Connection *c, bool head)
{
	static const char type[] = "text/event-stream; charset=utf-8";

	if (head)
		return answer(c, 200, MHD_create_response_from_buffer(0, "", MHD_RESPMEM_PERSISTENT), type, NULL);
	if (s->n_streams >= STREAMS_MOST)
		return refuse(c, 503, "too many listen already: close a page");
	bool changed = false;

	if (feed_look(&s->feed, &changed) < 0)
		return refuse(c, 500, err_get());
	struct listening *l = calloc(1, sizeof(*l));
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);

	if (!l)
		die("out of memory");
	l->server = s;
	l->stream = (struct stream){ .next = s->streams, .connection = c, .fd = info->connect_fd,
				     .sent = clock_s() };
	s->streams = &l->stream;
	s->n_streams++;
	struct MHD_Response *r =
		MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PART_BYTES, read_events, l, end_events);

	if (!r)
		end_events(l);
	return r ? answer(c, 200, r, type, NULL) : MHD_NO;
}

/* Wakes those who have something to get, and those who are gone. */
static void wake(struct live_server *s)
{
	for (struct stream *t = s->streams; t; t = t->next) {
		if (!t->waits)
			continue;
		t->over |= socket_is_over(t->fd);
		if (!t->over && !stream_has(t, &s->feed, clock_s()))
			continue;
		t->waits = false;
		MHD_resume_connection(t->connection);
	}
}

/* --- requests */

static enum MHD_Result respond(void *cls, struct MHD_Connection *c, const char *url, const char *method,
			       const char *version, const char *upload, size_t *upload_bytes, void **of_request)
{
	struct live_server *s = cls;
	const struct door_request r = {
		.method = method,
		.path = url,
		.host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Host"),
		.origin = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Origin"),
		.token = MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "token"),
	};
	enum door_path path = DOOR_PAGE;
	int status = door_admit(&s->door, &r, &path);

	(void)version;
	(void)upload;
	if (status != 200)
		return refuse(c, status, reason(status));
	/* The library keeps a connection whose requests were read to their ends. */
	if (!*of_request || *upload_bytes) {
		*of_request = s;
		*upload_bytes = 0;
		return MHD_YES;
	}
	switch (path) {
	case DOOR_PAGE:
		return send_page(s, c);
	case DOOR_EVENTS:
		return send_events(s, c, strcmp(method, "HEAD") == 0);
	case DOOR_STATUS:
		return send_text(c, feed_status(&s->feed), "application/json", NULL);
	case DOOR_REPORT:
		return send_text(c, feed_figures(&s->feed), "application/json", NULL);
	case DOOR_PATHS:
		break;
	}
	return MHD_NO;
}

/* Takes FD. */
static int start(struct live_server *s, int fd)
{
	s->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, respond, s,
				     MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
				     (unsigned)CONNECTIONS_MOST, MHD_OPTION_CONNECTION_TIMEOUT,
				     (unsigned)SILENT_S, MHD_OPTION_END);
	if (s->daemon)
		return 0;
	close(fd);
	return err_set("hone status --serve: libmicrohttpd does not start: %s", strerror(errno));
}

/* Until something is to be done, a second at most. */
static void wait_a_while(const struct live_server *s)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	struct pollfd fd = { .fd = info->epoll_fd, .events = POLLIN };
	MHD_UNSIGNED_LONG_LONG ms = 1000;

	if (MHD_get_timeout(s->daemon, &ms) != MHD_YES || ms > 1000)
		ms = 1000;
	poll(&fd, 1, (int)ms);
}

/* Ends all streams, so that listeners are told and not cut off; who does not listen is not waited for. */
static void farewell(struct live_server *s)
{
	for (struct stream *t = s->streams; t; t = t->next)
		t->over = true;
	for (int i = 0; i < FAREWELL_TURNS && s->streams; i++) {
		wake(s);
		MHD_run(s->daemon);
		poll(NULL, 0, FAREWELL_MS);
	}
}

static void serve(struct live_server *s)
{
	while (!*s->how->stop) {
		bool changed = false;

		/* What cannot be read now may be the next time; who asks is told. */
		if (s->streams)
			feed_look(&s->feed, &changed);
		wake(s);
		MHD_run(s->daemon);
		wait_a_while(s);
	}
	farewell(s);
	MHD_stop_daemon(s->daemon);
}

int live_serve(const struct live_serve *how)
{
	struct live_server s = { .how = how, .feed.query = how->query,
			    .door = { .address = how->ipv6 ? "[::1]" : "127.0.0.1", .port = how->port } };
	int fd = door_draw(s.door.token) < 0 ? -1 : socket_listen(how->ipv6, &s.door.port);

	if (fd < 0 || start(&s, fd) < 0)
		return -1;
	printf("http://%s:%d/?token=%s\n", s.door.address, s.door.port, s.door.token);
	fflush(stdout);
	fprintf(stderr, "Serving %s to this machine, to read alone, for whoever has the address; Ctrl-C ends.\n",
		how->query.db);
	serve(&s);
	feed_end(&s.feed);
	return 0;
}

#endif
