/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/serve/socket.c - binds, listens, and looks whether somebody is still there. */
#include "tools/live/serve/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"

enum { BACKLOG = 32 };

union socket_address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static socklen_t address_of(union socket_address *a, bool ipv6, int port)
{
	memset(a, 0, sizeof(*a));
	if (ipv6) {
		a->v6.sin6_family = AF_INET6;
		a->v6.sin6_addr = in6addr_loopback;
		a->v6.sin6_port = htons((uint16_t)port);
		return sizeof(a->v6);
	}
	a->v4.sin_family = AF_INET;
	a->v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	a->v4.sin_port = htons((uint16_t)port);
	return sizeof(a->v4);
}

static int listen_at(int fd, bool ipv6, int *port)
{
	const int yes = 1;
	union socket_address a;
	socklen_t n = address_of(&a, ipv6, *port);

	/* A port that was served a moment ago can be again. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(fd, &a.any, n) < 0 || listen(fd, BACKLOG) < 0 || getsockname(fd, &a.any, &n) < 0)
		return -1;
	*port = ntohs(ipv6 ? a.v6.sin6_port : a.v4.sin_port);
	return 0;
}

int socket_listen(bool ipv6, int *port)
{
	int fd = socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 && listen_at(fd, ipv6, port) == 0)
		return fd;
	err_set("serving on %s port %d: %s: choose another --port (0: one that is free)%s",
		ipv6 ? "::1" : "127.0.0.1", *port, strerror(errno), ipv6 ? ", or leave --ipv6 out" : "");
	if (fd >= 0)
		close(fd);
	return -1;
}

bool socket_is_over(int fd)
{
	char c;
	ssize_t n = recv(fd, &c, 1, MSG_PEEK | MSG_DONTWAIT);

	return n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}
