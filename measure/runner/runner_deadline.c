/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/runner_deadline.c - hone-runner: a kernel that has lost its race within its first run is not waited for.
 *
 * Three of 64 candidates of a 3x3 convolution computed transforms anew for each element and took four fifths of all
 * that was spent on measuring. Nothing but the end of the process ends a kernel; hone starts another. */
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "measure/runner/runner_task.h"

/* What the handler says: a signal handler has no argument of ours. */
static struct event lost;

static void give_up(int sig)
{
	(void)sig;
	send(RUNNER_SOCKET, &lost, sizeof(lost), MSG_NOSIGNAL);
	_exit(0);
}

void deadline_begin(double limit_us)
{
	double us = race_deadline_us(limit_us);

	if (us <= 0)
		return;
	lost = (struct event){ .kind = EVENT_RESULT, .status = TRIAL_LOST_RACE, .retire = true,
			       .verify_ms = us * 1e-3, .time_us = us, .samples = { us }, .n_samples = 1,
			       .counted = "1" };
	snprintf(lost.text, sizeof(lost.text), "its first run did not end within %.4g us, the limit is %.4g us",
		 us, limit_us);
	struct sigaction act = { .sa_handler = give_up };
	int64_t whole = (int64_t)us;
	struct itimerval timer = { .it_value = { whole / 1000000, whole % 1000000 } };

	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

void deadline_end(void)
{
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
}
