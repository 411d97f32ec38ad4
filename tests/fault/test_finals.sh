#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A campaign for a model ends inside it: finals are held, their times are what a prediction is made of,
# and neither a crash in the model nor a kill in the midst of it loses anything. Run by make check in
# the build folder.
top=${srcdir:-$(dirname "$0")/../..}
model=$top/examples/tiny_cnn.onnx
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-finals.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
XDG_CACHE_HOME=$dir/cache	# nothing that was chosen before
export XDG_CACHE_HOME
db=$dir/t.db
bad=0

fail() {
	echo "$*"
	bad=1
}

# A program in the place of hone-finals that does $1 once it is ready.
stand_in() {
	printf '#!/bin/sh\necho "ready 1 1 1"\nread -r go\ntouch "%s/ready"\n%s\n' "$dir" "$1" \
		>"$dir/stand-in"
	chmod +x "$dir/stand-in"
	rm -f "$dir/ready"
}

# The campaign, which goes on as long as it is not done; its messages in $dir/err.
tune() {
	./hone tune "$model" --threads 1 --trials 24 --db "$db" 2>"$dir/err"
}

# How many of the best of the model's tasks have times of state model, and the number of trials.
in_model() {
	./hone best "$model" --db "$db" --threads 1 --json | grep -c '"cache": "model"'
}

trials() {
	./hone db stats "$db" --json | grep -o '"records": [0-9]*'
}

# The campaign of the model is where $1 says.
status_says() {
	./hone status --db "$db" >"$dir/out" || fail 'no status'
	grep -q "$1" "$dir/out" || fail "not '$1': $(cat "$dir/out")"
}

# Waits until process $1 is in its finals.
await_ready() {
	while ! test -e "$dir/ready"; do
		kill -0 "$1" 2>/dev/null || { fail 'no finals begin'; return; }
		sleep 0.1
	done
}

# Killed in the midst of the finals, told to stop there, crashed there: all that was measured is left.
stand_in 'sleep 600'
HONE_FINALS=$dir/stand-in ./hone tune "$model" --threads 1 --trials 24 --quiet --db "$db" \
	2>"$dir/err" &
pid=$!
await_ready $pid
status_says 'finals   playing: round 0 of [0-9]*, 1 lineup, 1 kernel of 1 task'
kill -9 $pid
wait $pid 2>/dev/null
status_says 'finals   killed: round 0 .*; the same command holds them again'
before=$(trials)
test "$(in_model)" = 0 || fail 'finals that were killed have records'

rm -f "$dir/ready"
HONE_FINALS=$dir/stand-in ./hone tune "$model" --threads 1 --trials 24 --quiet --db "$db" \
	2>"$dir/err" &
pid=$!
await_ready $pid
kill -TERM $pid
wait $pid
status=$?
test $status = 75 || fail "it ends with status $status when told to stop in its finals"
status_says 'finals   stopped'
test "$(trials)" = "$before" || fail "records: $(trials), before it was killed $before"

# shellcheck disable=SC2016
stand_in 'kill -SEGV $$'
cp "$db" "$dir/crash.db"
HONE_FINALS=$dir/stand-in ./hone tune "$model" --threads 1 --trials 24 --db "$dir/crash.db" \
	2>"$dir/err" || test $? = 5 || fail 'a crash in the finals ends the campaign'
grep -q 'no finals inside the model: the model crashed by SIGSEGV' "$dir/err" ||
	fail "a crash is not told: $(cat "$dir/err")"

# The same command holds them again. A task that got no trial has no kernel (status 5).
tune || test $? = 5 || fail "it does not go on: $(cat "$dir/err")"
grep -q '^finals: .* compete in the running model' "$dir/err" || fail 'no finals are held'
grep -q '^finals: .* get another kernel' "$dir/err" || fail 'finals are not decided'
status_says 'finals   held: round [0-9]* of'
found=$(in_model)
test "$found" -gt 0 || fail 'finals left no records'
./hone db check "$db" >"$dir/out" || fail "the database: $(cat "$dir/out")"

# A prediction says how many of its figures are theirs, a task's for each call; run, show and export take the same
# records.
./hone compile "$model" --db "$db" --threads 1 --explain >"$dir/out" || fail 'it does not compile'
calls=$(sed -n 's/^predicted: .* of \([0-9]*\) calls that were timed inside a model.*/\1/p' "$dir/out")
test "${calls:-0}" -ge "$found" ||
	fail "$found kernels were timed inside: $(tail -n 1 "$dir/out")"
test "$(grep -c ' [0-9.]*  *[0-9.]*% *record ' "$dir/out")" -ge "$found" ||
	fail "calls without a time: $(cat "$dir/out")"
./hone run "$model" --db "$db" --threads 1 --check >"$dir/out" || fail "run: $(cat "$dir/out")"

# Without a record nothing is measured, and no figure looks as if it were.
./hone compile "$model" --threads 1 --explain >"$dir/out" || fail 'it does not compile without records'
calls=$(sed -n 's/^predicted: .*: 0.000 of 0 calls .*, 0.000 of 0 timed alone (\*), .* of \([0-9]*\) .* (~); 0 have.*/\1/p' "$dir/out")
test "${calls:-0}" -ge 15 || fail "a prediction of guesses: $(tail -n 1 "$dir/out")"
test "$(grep -c ' [0-9.]*~ .* guess ' "$dir/out")" = "$calls" || fail "times of guesses: $(cat "$dir/out")"
grep 'guess' "$dir/out" | grep -v '[0-9]~ ' && fail 'guesses whose times look measured'

# Where no time is left for them, it says so.
./hone tune "$model" --threads 1 --minutes 0.0001 --db "$dir/short.db" 2>"$dir/err" || test $? = 5 ||
	fail "a short campaign: $(cat "$dir/err")"
grep -q '^finals are left out: ' "$dir/err" || fail "finals without time: $(cat "$dir/err")"
./hone status --db "$dir/short.db" | grep -q 'finals   left out' || fail 'status of finals left out'

# A recording has nothing to run.
./hone tune "$model" --replay "$db" --trials 20 --db "$dir/replayed.db" 2>"$dir/err" ||
	test $? = 5 || fail "a replay: $(cat "$dir/err")"
grep -q "^finals:" "$dir/err" && fail 'a replay holds finals'

exit $bad
