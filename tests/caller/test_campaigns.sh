#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Campaigns as one keeps house with them: begun under a name, listed at any width, found by what one remembers of them,
# merged, deleted. They replay records, so that nothing is measured. Run by make check in the build folder.
src=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-campaigns.XXXXXX") || exit 99
pid=
trap 'test -n "$pid" && kill -KILL "$pid" 2>/dev/null; rm -rf "$dir"' EXIT
recorded=$src/bench/recorded/avx512.db
db=$dir/t.db
mm=matmul:m=197,n=197,k=67

fail()
{
	echo "FAIL: $1"
	test -f "$dir/out" && sed 's/^/    /' "$dir/out"
	exit 1
}

# says STATUS TEXT ARGUMENT...: hone ends with STATUS, and prints a line that has TEXT.
says()
{
	local want=$1 text=$2 rc
	shift 2
	./hone "$@" >"$dir/out" 2>&1 </dev/null
	rc=$?
	test $rc -eq "$want" || fail "hone $*: exit status $rc instead of $want"
	test -z "$text" || grep -qF -e "$text" "$dir/out" || fail "hone $*: does not say '$text'"
}

tune()	# FILE ARGUMENT...
{
	local file=$1
	shift
	./hone tune $mm --db "$file" --replay "$recorded" -q "$@" >"$dir/out" 2>&1
}

# No line of "$dir/out" has more than $1 characters.
fits()
{
	awk -v most="$1" 'length($0) > most { exit 1 }' "$dir/out" || fail "a line is longer than $1"
}

# --- begun under a name
tune "$db" --trials 16 --name first --note 'with the old compiler' || fail 'tune --name'
tune "$db" --trials 16 --name first && fail 'two campaigns of one name'
grep -qF "is called 'first' already, and is done" "$dir/out" || fail 'does not say whose name that is'
tune "$db" --trials 16 --seed 2 || fail 'tune without a name'
tune "$db" --trials 16 --name 12 && fail 'a number as a name'

# --- listed, shown
says 0 'with the old compiler' campaigns --db "$db"
says 0 "$mm" campaigns list --db "$db"
for width in 60 80 100 200; do
	COLUMNS=$width says 0 first campaigns --db "$db"
	test $width -lt 80 || fits $width
	COLUMNS=$width says 0 'note     with the old compiler' campaigns show first --db "$db"
	test $width -lt 80 || fits $width
done
COLUMNS=80 says 0 'gain' campaigns --db "$db"
grep -qF "$mm" "$dir/out" && fail '80 columns have room for all'
uid=$(./hone campaigns --json --db "$db" | sed -n 's/.*"uid": "\(........\).*/\1/p' | sed -n 2p)
for campaign in 2 "$uid"; do
	says 0 'campaign 2)' campaigns show "$campaign" --db "$db"
done
says 0 'campaign 1, first)' status --db "$db"

# --- named, noted, mistyped
says 0 '' campaigns name 2 second --db "$db"
says 0 'campaign 2, second)' campaigns show second --db "$db"
says 3 "is called 'first' already" campaigns name second first --db "$db"
says 3 "is it 2 (second)?" campaigns show secnd --db "$db"
says 3 "there are: 2 (second), 1 (first)" campaigns show nightly --db "$db"
says 0 '' campaigns note second 'line one
line two' --db "$db"
says 0 'line two' campaigns show second --db "$db"
says 0 '' campaigns note second '' --db "$db"
./hone campaigns show second --db "$db" | grep -q note && fail 'the note is still there'
says 0 'campaign 2' report --campaign second --db "$db"
says 3 'is it 2 (second)?' report --campaign secont --db "$db"
says 3 '#campaign=1' campaigns compare first second --db "$db"	# guesses are not compared
says 2 'write: hone campaigns show CAMPAIGN' campaigns show --db "$db"

# --- merged: names stay, and two that are alike are told apart, in whatever order
tune "$dir/other.db" --trials 16 --name first || fail 'tune into another file'
for order in "$db $dir/other.db" "$dir/other.db $db"; do
	# shellcheck disable=SC2086
	says 0 campaigns db merge "$dir/merged.db" $order
	# shellcheck disable=SC2086
	says 0 '0 campaigns' db merge "$dir/merged.db" $order
	./hone campaigns --json --db "$dir/merged.db" | sed -n 's/.*"\(uid\|name\)"/\1/p' | paste - - | sort >"$dir/labels"
	test -f "$dir/before" && { cmp -s "$dir/before" "$dir/labels" || fail 'names depend on the order of merging'; }
	mv "$dir/labels" "$dir/before"
	rm "$dir/merged.db"
done
grep -q '"first~' "$dir/before" || fail 'two campaigns are called alike'
grep -q '"first"' "$dir/before" || fail 'nobody is called first any more'

# --- deleted, but not unasked, and not at work
says 3 'nobody is there to be asked' campaigns delete first --db "$db"
grep -qF 'campaign 1, first of' "$dir/out" || fail 'does not say what would go'
grep -qF '16 records' "$dir/out" || fail 'does not say how much would go'
./hone tune $mm --db "$db" --replay "$recorded" -q --trials 1000000 --name busy --fresh >/dev/null 2>&1 &
pid=$!
for _ in $(seq 600); do
	./hone campaigns show busy --db "$db" >"$dir/seen" 2>&1 && grep -q running "$dir/seen" && break
	kill -0 $pid || fail 'the campaign is over'
	sleep 0.1
done
kill -STOP $pid
says 3 "being worked on by process $pid on" campaigns delete first busy --yes --db "$db"
says 0 first campaigns --db "$db"
kill -KILL $pid
{ wait $pid; } 2>/dev/null
pid=
if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
	echo n | script -qec "./hone campaigns delete first --db '$db'" /dev/null >"$dir/out" 2>&1
	grep -qF 'delete it, for good? [y/N]' "$dir/out" || fail 'does not ask at a terminal'
	says 0 first campaigns --db "$db"
	echo y | script -qec "./hone campaigns delete first --db '$db'" /dev/null >"$dir/out" 2>&1
else
	./hone campaigns delete first --yes --db "$db" >"$dir/out" 2>&1
fi
grep -qF 'deleted 1 campaign with 16 records' "$dir/out" || fail 'does not say what went'
says 0 'deleted 2 campaigns' campaigns delete busy second --yes --db "$db"
says 0 'no campaign yet' campaigns --db "$db"
says 0 'sound' db check "$db"
echo 'campaigns: named, listed, merged, deleted'
