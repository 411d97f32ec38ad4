/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/serve/door.h - who may see what is served: nobody without the token, and no page of another site.
 *
 * In:   what a request says of itself.
 * Out:  the status of HTTP that it is answered with, and which of the paths is meant.
 * Holds: a request without the token learns nothing of what there is; how long a comparison takes does not
 *        depend on the token. */
#ifndef HONE_TOOLS_LIVE_SERVE_DOOR_H
#define HONE_TOOLS_LIVE_SERVE_DOOR_H

#include <stdbool.h>

/* 128 random bits as lower-case hex digits, and a NUL. */
#define DOOR_TOKEN 33

struct door {
	char token[DOOR_TOKEN];
	const char *address;	/* as a URL has it: "127.0.0.1", "[::1]" */
	int port;
};

enum door_path { DOOR_PAGE, DOOR_EVENTS, DOOR_STATUS, DOOR_REPORT, DOOR_PATHS };

/* What is not there is NULL. */
struct door_request {
	const char *method, *path;
	const char *host, *origin;	/* headers */
	const char *token;		/* of the query */
};

/* Draws a token from the system; -1 and a message. */
int door_draw(char token[DOOR_TOKEN]);
/* Whether GIVEN is D's. */
bool door_knows(const struct door *d, const char *given);
/* 200 and *PATH; 400 without a host, 421 where it is another's (a name that was bent to this address), 403 for
 * other sites and wrong tokens, 405 for what would change something, 404. */
int door_admit(const struct door *d, const struct door_request *r, enum door_path *path);

#endif
