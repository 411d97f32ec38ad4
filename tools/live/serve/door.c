/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/serve/door.c - the checks of a request, in an order that tells strangers least. */
#include "tools/live/serve/door.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "base/err.h"

enum { TOKEN_BYTES = (DOOR_TOKEN - 1) / 2, HOST_MOST = 64 };

int door_draw(char token[DOOR_TOKEN])
{
	uint8_t bytes[TOKEN_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return err_set("drawing a token: getrandom: %s: without one nothing is served",
			       strerror(errno));
	for (int i = 0; i < TOKEN_BYTES; i++)
		snprintf(token + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

bool door_knows(const struct door *d, const char *given)
{
	/* Read and written each time, so that no compiler makes a jump of it. */
	volatile unsigned char differs = 0;

	if (!given || strlen(given) != DOOR_TOKEN - 1)
		return false;
	for (int i = 0; i < DOOR_TOKEN - 1; i++)
		differs = (unsigned char)(differs | (d->token[i] ^ given[i]));
	return differs == 0;
}

/* Is NAME, a host with its port, this server? */
static bool is_ours(const struct door *d, const char *name)
{
	const char *const hosts[] = { d->address, "localhost" };
	char ours[HOST_MOST];

	for (size_t i = 0; i < sizeof(hosts) / sizeof(*hosts); i++) {
		snprintf(ours, sizeof(ours), "%s:%d", hosts[i], d->port);
		if (strcasecmp(name, ours) == 0)
			return true;
	}
	return false;
}

static bool is_our_origin(const struct door *d, const char *origin)
{
	static const char scheme[] = "http://";

	return strncmp(origin, scheme, strlen(scheme)) == 0 && is_ours(d, origin + strlen(scheme));
}

int door_admit(const struct door *d, const struct door_request *r, enum door_path *path)
{
	static const char *const paths[DOOR_PATHS] = {
		[DOOR_PAGE] = "/",
		[DOOR_EVENTS] = "/events",
		[DOOR_STATUS] = "/status.json",
		[DOOR_REPORT] = "/report.json",
	};

	if (!r->host)
		return 400;
	if (!is_ours(d, r->host))
		return 421;
	if (r->origin && !is_our_origin(d, r->origin))
		return 403;
	if (strcmp(r->method, "GET") != 0 && strcmp(r->method, "HEAD") != 0)
		return 405;
	if (!door_knows(d, r->token))
		return 403;
	for (int i = 0; i < DOOR_PATHS; i++) {
		*path = (enum door_path)i;
		if (strcmp(r->path, paths[i]) == 0)
			return 200;
	}
	return 404;
}
