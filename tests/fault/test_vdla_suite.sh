#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone bench --suite vdla: its table, the same each time; campaigns that are over are not run again; its figures hold
# together, and with those of hone vdla run on what hone show prints. Run by make check in the build folder.
top=${srcdir:-$(dirname "$0")/../..}
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-vdla-suite.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0
conv=conv2d:ic=32,h=8,w=8,oc=32,k=3,p=1,layout=nchw16c,dtype=i8,act=relu,shift=8
short=conv2d:ic=32,h=8,w=8,oc=16,k=1,s=2,layout=nchw16c,dtype=i8,shift=8

. "$top/tests/fault/ends.sh"

# shows WORDS: they are in what was printed last.
shows()
{
	grep -q -e "$1" "$dir/out" && return
	echo "no '$1' in:"
	sed 's/^/    /' "$dir/out"
	bad=1
}

printf '2 x %s\n%s\n' $conv $short >"$dir/two.tasks"
bench="bench --suite vdla $dir/two.tasks --trials 12"
# shellcheck disable=SC2086
ends 0 '^2 tasks, 2 with a kernel$' $bench --db "$dir/t.db"
shows 'compute .*%.* conv2d:ic=32,h=8,w=8,oc=32,k=3'
shows 'memory .*%.* conv2d:ic=32,h=8,w=8,oc=16,k=1'
shows '^4 virtual threads against none: [0-9.]* times as fast'
cp "$dir/out" "$dir/first"

# the campaigns are over: nothing is tuned again, and without them the same comes out
./hone db stats "$dir/t.db" >"$dir/before"
# shellcheck disable=SC2086
ends 0 '^2 tasks' $bench --db "$dir/t.db"
./hone db stats "$dir/t.db" | cmp -s - "$dir/before" || { echo 'campaigns that were over went on'; bad=1; }
cmp -s "$dir/out" "$dir/first" || { echo 'the table of the same database is another'; bad=1; }
# shellcheck disable=SC2086
ends 0 '^2 tasks' $bench
cmp -s "$dir/out" "$dir/first" || { echo 'the same seed gives another table'; bad=1; }

# shellcheck disable=SC2086
./hone $bench --db "$dir/t.db" --json >"$dir/json" 2>/dev/null || { echo 'no JSON'; bad=1; }
./hone show $conv --db "$dir/t.db" --device vdla --threads 4 --stage asm >"$dir/best.vdla" &&
	./hone vdla run "$dir/best.vdla" --json >"$dir/run.json" || { echo 'the stream of the best does not run'; bad=1; }
python3 - "$dir/json" "$dir/run.json" <<'END' || bad=1
import json, sys
suite, run = (json.load(open(path)) for path in sys.argv[1:])
wrong = []
def expect(what, got, wanted):
    if abs(got - wanted) > 1e-6 * abs(wanted):
        wrong.append(f"{what}: {got} instead of {wanted}")
conv, short = suite["tasks"]
expect("products", conv["product_cycles"], 8 * 8 * 2 * 2 * 9)
expect("products of the 1x1", short["product_cycles"], 4 * 4 * 2)
expect("bytes", conv["bytes"], 2 * 8 * 8 * 32 + 32 * 32 * 9)
expect("memory", conv["memory_cycles"], conv["bytes"] / 8)
for task in suite["tasks"]:
    expect("roof", task["roof_cycles"], max(task["product_cycles"], task["memory_cycles"]))
    expect("ratio", task["ratio"], task["without"]["cycles"] / task["virtual"]["cycles"])
    for kernel in task["virtual"], task["without"]:
        expect("share", kernel["roof_share"], task["roof_cycles"] / kernel["cycles"])
        expect("rate", kernel["gops"], task["flop"] / kernel["cycles"] * suite["clock_mhz"] * 1e-3)
        unit = kernel["units"][1]
        expect("cycles of a unit", unit["busy"] + sum(unit["waiting"].values()) + unit["port"] + unit["idle"], kernel["cycles"])
        if not kernel["product_share"] + kernel["vector_share"] <= unit["busy"] / kernel["cycles"] + 1e-6:
            wrong.append("products and vectors take longer than the unit is busy")
        if kernel["roof_share"] > 1 or kernel["bytes_moved"] < task["bytes"]:
            wrong.append("a kernel is above its roof")
expect("cycles of the stream", run["cycles"], conv["virtual"]["cycles"])
expect("the mean", suite["ratio"] ** 2, conv["ratio"] * short["ratio"])
print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(bool(wrong))
END

# another machine is another device; what it cannot compute has no kernel
echo 'dma_bytes 1' >"$dir/slow"
# shellcheck disable=SC2086
ends 0 'memory .* conv2d:ic=32,h=8,w=8,oc=32,k=3' $bench --device "$dir/slow" --search random --threads 4
ends 5 ' - .* relu:n=1000$' bench --suite vdla relu:n=1000 --trials 4
ends 2 'give a whole number of at least 2' bench --suite vdla --threads 1
ends 2 'there is no such strategy' bench --suite vdla --search luck
ends 3 'none.tasks' bench --suite vdla none.tasks

# stopped in a campaign, and gone on with
rm -f "$dir/err"
./hone bench --suite vdla $conv --trials 100000 --db "$dir/s.db" >"$dir/out" 2>"$dir/err" </dev/null &
pid=$!
while kill -0 $pid 2>/dev/null && ! test -s "$dir/s.db-wal"; do sleep 0.1; done
kill -TERM $pid
wait $pid
rc=$?
test $rc -eq 75 || { echo "stopped: exit status $rc instead of 75"; cat "$dir/err"; bad=1; }
exit $bad
