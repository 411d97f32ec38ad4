#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone bench --suite search --hardware: campaigns on this machine end in a table, go on where they
# were in the same folder, and say so where they are stopped. Run by make check in the build folder.
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-suite.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0
mm=matmul:m=8,n=8,k=8

bench()
{
	./hone bench --suite search --hardware --seeds 1 --trials 4 --search evolve "$@" $mm \
		>"$dir/out" 2>"$dir/err" </dev/null
}

# expects TEXT FILE: after the last bench.
expects()
{
	grep -q -e "$1" "$dir/$2" && return
	echo "no '$1' in $2:"
	sed 's/^/    /' "$dir/$2"
	bad=1
}

trials()
{
	for db in "$dir"/kept/*.db; do
		./hone db stats "$db"
	done
}

bench --folder "$dir/kept" || { echo "exit status $?"; cat "$dir/err"; bad=1; }
expects "^$mm (judging task)" out
expects '^  evolve .*random over it' out
expects '^all 1 tasks' out
expects ': random, seed 1' err
trials >"$dir/before"
bench --folder "$dir/kept" --json || { echo "the second time: exit status $?"; bad=1; }
expects '"role": *"judging"' out
expects '"against": *"random"' out
trials >"$dir/after"
cmp -s "$dir/before" "$dir/after" || { echo "campaigns that were over went on"; bad=1; }

# strategies have trials of their own
bench --folder "$dir/kept" --search random:6 || { echo "random:6: exit status $?"; cat "$dir/err"; bad=1; }
expects '^  random  *6 trials' out
expects '^  evolve  *4 trials' out

# a replay says what is guessed, by what, and that its tasks are those of tuning
./hone bench --suite search --replay "${srcdir:-$(dirname "$0")/../..}/bench/recorded/avx512.db" \
	--stand-in nearest --search random --seeds 1 --baseline-trials 16 matmul:m=197,n=197,k=67 \
	>"$dir/out" 2>"$dir/err" || { echo "a replay: exit status $?"; cat "$dir/err"; bad=1; }
expects '^matmul:m=197,n=197,k=67 (tuning task)' out
expects 'estimates: beyond 400 records a stand-in (nearest) guesses' out
expects 'guessed  floor' out

# stopped in the first campaign, without a folder to go on from
rm "$dir/err"
./hone bench --suite search --hardware --trials 100000 $mm >"$dir/out" 2>"$dir/err" </dev/null &
pid=$!
while kill -0 $pid 2>/dev/null && ! grep -qs 'seed 1' "$dir/err"; do sleep 0.1; done
kill -TERM $pid
wait $pid
rc=$?
test $rc -eq 75 || { echo "stopped: exit status $rc instead of 75"; bad=1; }
expects 'stopped; what was measured is gone' err
exit $bad
