#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A limit of time for kernels of several threads is shared out: a campaign of one thread goes first, with whose kernels the
# other begins; a limit of trials, and a campaign that is to learn nothing from others, is not. Measures, on two cores. Run by make
# check in the build folder.
if test "$(nproc)" -lt 2; then
	echo "SKIP: kernels of two threads need two cores"
	exit 77
fi
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-scouts.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
mm=matmul:m=32,n=48,k=64
notes='half of the time goes to kernels of one thread'

fail()
{
	echo "FAIL: $1"
	sed 's/^/    /' "$dir/out"
	exit 1
}

# tune DB ARGUMENT...: a campaign of two threads; what it says is in "$dir/out".
tune()
{
	local db=$dir/$1
	shift
	./hone tune $mm --threads 2 --db "$db" "$@" >"$dir/out" 2>&1 || fail "hone tune $*: exit status $?"
}

# campaigns DB N: there are N in it.
campaigns()
{
	./hone campaigns list --db "$dir/$1" --json >"$dir/out"
	test "$(grep -c '"uid"' "$dir/out")" -eq "$2" || fail "$1: there are not $2 campaigns"
}

# has DB THREADS: there is a kernel so.
has()
{
	./hone best $mm --db "$dir/$1" --threads "$2" >"$dir/out" 2>&1 || fail "hone best: exit status $?"
	! grep -q 'no kernel was found' "$dir/out"
}

tune t.db --minutes 0.1 --name night
grep -qF "$notes" "$dir/out" || fail "does not say that it shares its time out"
campaigns t.db 2
test "$(grep -c '"name": "night"' "$dir/out")" -eq 1 || fail "the name is not of one of them"
for threads in 1 2; do
	has t.db $threads || fail "nothing with $threads threads"
done
./hone campaigns show 1 --db "$dir/t.db" >"$dir/out" || fail "the first is not shown"
grep -q 'threads 1' "$dir/out" || fail "the first is of other kernels"

tune u.db --trials 8
campaigns u.db 1
tune v.db --minutes 0.05 --no-transfer
campaigns v.db 1
has v.db 1 && fail "kernels of one thread where none were to be learned from"
exit 0
