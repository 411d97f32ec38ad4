/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/serve/socket.h - a socket that listens on the loopback interface alone. */
#ifndef HONE_TOOLS_LIVE_SERVE_SOCKET_H
#define HONE_TOOLS_LIVE_SERVE_SOCKET_H

#include <stdbool.h>

/* On 127.0.0.1, or ::1 with IPV6, at *PORT; 0 there is one that is free, and becomes it. The socket, or -1 and
 * a message. */
int socket_listen(bool ipv6, int *port);
/* Whether who is at the other end of FD has closed it. */
bool socket_is_over(int fd);

#endif
