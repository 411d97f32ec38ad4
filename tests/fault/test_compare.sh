#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone compare where something is wrong: sides that say nothing, files that are none, nothing in common; and what it times
# again, of a small campaign, of another device, of another compiler. Run by make check in the build folder.
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-compare.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0
complain() { echo "$*"; bad=1; }

# fails STATUS WORDS ARGUMENT...: hone compare ends so, and says so
fails()
{
	status=$1 words=$2
	shift 2
	./hone compare "$@" >"$dir/out" 2>"$dir/err"
	got=$?
	test $got -eq "$status" || complain "compare $*: status $got, not $status: $(tail -n 2 "$dir/err")"
	grep -qF -e "$words" "$dir/err" || complain "compare $*: no '$words' in: $(cat "$dir/err")"
}

# compares STATUSES WORDS ARGUMENT...: it ends with one of these, and prints the words
compares()
{
	statuses=$1 words=$2
	shift 2
	./hone compare "$@" >"$dir/out" 2>"$dir/err"
	got=$?
	case " $statuses " in
	*" $got "*) ;;
	*) complain "compare $*: status $got: $(tail -n 2 "$dir/err")" ;;
	esac
	grep -qF -e "$words" "$dir/out" || complain "compare $*: no '$words' in: $(cat "$dir/out")"
}

op=matmul:m=8,n=8,k=8
db=$dir/a.db
for seed in 1 2; do	# in files apart: of one file the second could lose all of its races to the first's best
	./hone tune $op --db "$dir/seed$seed.db" --trials 6 --batch 3 --seed $seed --quiet 2>"$dir/err" ||
		{ cat "$dir/err"; exit 1; }
done
./hone db merge "$db" "$dir/seed1.db" "$dir/seed2.db" >"$dir/err" 2>&1 || { cat "$dir/err"; exit 1; }
./hone tune relu:n=64 --db "$dir/other.db" --trials 2 --quiet 2>"$dir/err" || { cat "$dir/err"; exit 1; }

# --- sides
fails 2 "'speed' selects nothing; there are: campaign" "$db#speed=1" "$db"
fails 2 'write KEY=VALUE behind the #' "$db#campaign" "$db"
fails 2 'write KEY=VALUE behind the #' "$db#" "$db"
fails 2 'campaign= says nothing' "$db#campaign=" "$db"
fails 2 'give a number from 1 to' "$db#threads=0" "$db"
fails 2 'give yes (what logs from elsewhere say) or no' "$db#imported=1" "$db"
fails 3 "campaign '999': " "$db#campaign=999" "$db"
fails 3 'have no kernel of one task in common' "$db#hone=0.0.1" "$db"
fails 3 'have no kernel of one task in common' "$db#toolchain=tcc" "$db"
fails 3 'have no kernel of one task in common' "$db#device=zz" "$db"
fails 3 'have no kernel of one task in common' "$db" "$dir/other.db"
fails 2 "--threshold 'x%': give a number above 0" "$db" "$db" --threshold x%
fails 2 "--format 'xml': there are: table markdown csv json html" "$db" "$db" --format xml
fails 2 'write --remeasure=all' "$db" "$db" --remeasure all
cp "$db" "$dir/a#b.db"	# a file may be named so
compares 0 'SAME' "$dir/a#b.db" "$db" --threshold 3%

# --- files
fails 3 'there is no file' "$db" "$dir/missing.db"
echo "no database" >"$dir/text"
fails 3 'is no database' "$dir/text" "$db"
: >"$dir/empty.db"
fails 3 'is empty' "$db" "$dir/empty.db"
if command -v python3 >/dev/null; then
	python3 - "$db" "$dir" <<'EOF' || exit 99
import shutil, sqlite3, sys
path, folder = sys.argv[1:]

def change(name, *statements):
    shutil.copy(path, f"{folder}/{name}")
    with sqlite3.connect(f"{folder}/{name}") as db:
        for one in statements:
            db.execute(one)

change("newer.db", "PRAGMA user_version = 999")
change("older.db", "PRAGMA user_version = 1")
change("device.db", "UPDATE devices SET fingerprint = 'ffffffffffffffffffffffffffffffff'")
change("text.db", "UPDATE records SET source_hash = '00000000000000000000000000000000'")
change("toolchain.db", "UPDATE toolchains SET text = replace(text, '-O2', '-O7')",
       "UPDATE records SET source_hash = NULL")
change("steps.db", "UPDATE records SET steps = 'nothing of the kind', source_hash = NULL")
whole = open(path, "rb").read()
middle = len(whole) // 3
open(f"{folder}/corrupt.db", "wb").write(whole[:middle] + b"\xa5" * (len(whole) - middle))
open(f"{folder}/cut.db", "wb").write(whole[:middle])
EOF
	fails 3 'was written by a newer hone' "$db" "$dir/newer.db"
	fails 3 'was written by an older hone' "$dir/older.db" "$db"
	fails 3 'corrupt.db' "$db" "$dir/corrupt.db"
	fails 3 'cut.db' "$dir/cut.db" "$db"
	fails 3 'device ffffffff there' "$db" "$dir/device.db"

	# --- what cannot be timed again keeps the verdict of its records, and says why
	compares '0 1' 'not timed again: it is of device ffffffff' "$dir/device.db" "$db" --devices --remeasure=all
	compares '0 1' 'not timed again: this hone writes other C text' "$dir/text.db" "$db" --remeasure=all
	compares '0 1' 'not timed again: no compiler here is' "$dir/toolchain.db" "$db" --remeasure=all
	fails 3 'more records like this are skipped' "$dir/steps.db" "$db" --remeasure=all	# no steps are of that hash
else
	echo "SKIP: test_compare.sh: files of other schemas and devices: there is no python3"
fi
./hone export -o "$dir/log.jsonl" --db "$db" >"$dir/err" 2>&1 &&
	./hone import "$dir/log.jsonl" --db "$dir/imported.db" >>"$dir/err" 2>&1 || complain "no log: $(cat "$dir/err")"
fails 3 'more are imported or estimates (imported=yes behind # takes what is imported)' "$db" "$dir/imported.db"
compares '0 1' 'the second imported' "$db" "$dir/imported.db#imported=yes"

# --- campaigns of one file, timed again on this machine: pairs, or one and the same kernel
compares '0 1' 'geometric mean of 1' "$db#campaign=1" "$db#campaign=2"
compares '0 1' '1 of 1 timed again on this machine' "$db#campaign=1" "$db#campaign=2" --remeasure=all
grep -q 'timing again, 1 of 1' "$dir/err" || complain "it does not say what it does: $(cat "$dir/err")"
./hone compare "$db" "$db" --remeasure >"$dir/out" 2>"$dir/err" && ! grep -q 'timing again' "$dir/err" ||
	complain "what is the same is timed again: $(cat "$dir/out" "$dir/err")"
if command -v gcc >/dev/null && command -v clang >/dev/null; then
	for cc in gcc clang; do
		./hone tune relu:n=64 --cc $cc --db "$dir/cc.db" --trials 2 --quiet 2>"$dir/err" ||
			complain "no records of $cc: $(cat "$dir/err")"
	done
	compares '0 1' 'timed again in turn' "$dir/cc.db#toolchain=gcc" "$dir/cc.db#toolchain=clang" --remeasure=all
else
	echo "SKIP: test_compare.sh: kernels of two compilers: apt install gcc clang"
fi

# --- what cannot be written is a failure
./hone compare "$db" "$db" --format html >/dev/full 2>"$dir/err"
test $? -eq 3 && grep -q 'No space' "$dir/err" || complain "a full disk: $(cat "$dir/err")"
exit $bad
