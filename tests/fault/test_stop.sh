#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A campaign that is told to stop while it computes a reference of minutes ends all the same. Run by
# make check in the build folder.
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-stop.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0

# Waits until process $1 has come to what program $2 does; fails where it ends before.
await_child() {
	for i in $(seq 600); do
		kill -0 "$1" 2>/dev/null || return 1
		for child in $(cat /proc/"$1"/task/*/children 2>/dev/null); do
			test "$(cat "/proc/$child/comm" 2>/dev/null)" = "$2" && return 0
		done
		sleep 0.1
	done
	return 1
}

# Ends campaign $1 by signal $2: status 75, long before it would have come to its end.
stops() {
	kill -"$2" "$1"
	for i in $(seq 300); do
		kill -0 "$1" 2>/dev/null || break
		sleep 0.1
	done
	kill -9 "$1" 2>/dev/null && { echo "it goes on after SIG$2"; bad=1; }
	wait "$1"
	status=$?
	test $status = 75 || { echo "it ends with status $status after SIG$2"; bad=1; }
}

./hone tune matmul:m=4096,n=4096,k=4096,dtype=f64 --threads 1 --trials 4 --quiet \
	--db "$dir/t.db" 2>"$dir/err" &
pid=$!
await_child $pid hone-runner || { echo "no reference is computed"; cat "$dir/err"; bad=1; }
stops $pid TERM

exit $bad
