#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone bench --suite partition: its tables fit and hold together, and a model that cannot be opened stops
# nothing. No time is asserted. Run by make check in the build folder.
top=${srcdir:-$(dirname "$0")/../..}
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-suite.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0
model=$top/examples/tiny_cnn.onnx
XDG_CACHE_HOME=$dir/cache
HONE_DEVICE_LOCK=
export XDG_CACHE_HOME HONE_DEVICE_LOCK

cp "$top"/examples/generator/* "$dir"
make -s -C "$dir" CPPFLAGS="-I$(cd "$top/include" && pwd)" || exit 99
mine=$dir/example.so

# ends STATUS ARGUMENT...: the suite ends so.
ends()
{
	want=$1
	shift
	./hone bench --suite partition "$@" >"$dir/out" 2>"$dir/err"
	rc=$?
	test $rc -eq "$want" && return
	echo "hone bench --suite partition $*: exit status $rc, not $want"
	sed 's/^/    /' "$dir/out" "$dir/err"
	bad=1
}

# says WORDS FILE: after the last one.
says()
{
	grep -q -e "$1" "$dir/$2" && return
	echo "no '$1' in $2:"
	sed 's/^/    /' "$dir/$2"
	bad=1
}

ends 2 "$model"
says 'which --backend' err
ends 2 --backend "$mine"
says 'which MODEL' err
ends 3 "$model" --backend nowhere
says "generator 'nowhere'" err

# one that is not there, one that is: a line for each generator and for both in each table
ends 3 "$dir/none.onnx" "$model" --backend json --backend "$mine" --db "$dir/tune.db" --seconds 1
says 'not run: .*none.onnx' out
says "^$model\$" out
for title in offloaded latency speed-up 'by cost, ms'; do
	says "^  $title" out
done
for with in json example 'all of them'; do	# offload, latency, speed-up, breakdown, means
	lines=$(grep -c "^  $with  *[-0-9h]" "$dir/out")
	test "$with" = 'all of them' || lines=$((lines - 1))	# and the list of generators
	test "$lines" -eq 5 || { echo "$lines lines of '$with', not 5"; cat "$dir/out"; bad=1; }
done
says '^  json  *100.0%  100.0%' out
says '^  json  *[1-9][0-9]*  *json 1' out
says '^  example  *-  *example 1' out
test "$(grep -c '^  *all offloaded ' "$dir/out")" -eq 3 || { echo "not three speed-ups over all offloaded"; bad=1; }
test "$(awk 'length > 100 && !/^  not run: /' "$dir/out" | wc -l)" -eq 0 || {
	echo "lines of more than 100 columns:"
	awk 'length > 100' "$dir/out"
	bad=1
}

ends 2 "$model" --backend "$mine" --to i7
says "'i7': there are i8, bf16, f16" err

# a narrow model comes behind its own, with a line for f32 and means of its own
ends 0 "$model" --backend json --to bf16 --db "$dir/tune.db" --seconds 1
says "^$model as bf16\$" out
says '^  *f32, as run ' out
says 'means over models as bf16$' out
test "$(grep -c '^  *all offloaded ' "$dir/out")" -eq 2 || { echo "not two models"; cat "$dir/out"; bad=1; }

# a simulated device in two configurations: a line for each, none for both, and what they tell of their parts
gcc -O1 -I"$top" -I"$top/include" -fPIC -shared -DFAKE_GRAIN=HONE_KERNELS '-DFAKE_PATTERN="relu"' -DFAKE_HASTE=0 -DFAKE_SLEEP_US=0 \
	-DFAKE_COST=1000 -DFAKE_CONFIGURED -o "$dir/teller.so" "$top/tests/fake/fake_object.c" || exit 99
cat >"$dir/relu.graph" <<'END'
graph "t" @main
fn @main(%x: f32[64, 64]) {
	%0 = relu(%x)
	return %0
}
END
slow=12.000000000000
ends 0 "$dir/relu.graph" --backend "$dir/teller.so=8" --backend "$dir/teller.so=$slow" --backend json --db "$dir/tune.db" --seconds 1
says '^  told, ms  ' out
says '^  fake=8  *4.000  *2.000  *2.000  *0.000  *0.000  *0.000$' out
grep -A 1 "^  fake=$slow\$" "$dir/out" | grep -q '^  *6.000  *3.000  *3.000  *0.000  *0.000  *0.000$' || {
	echo "no line of what the slower device tells"
	cat "$dir/out"
	bad=1
}
says '^  fake=8  *-  *fake 1, 8 times$' out
grep -q '^  all of them' "$dir/out" && { echo "two configurations at once"; cat "$dir/out"; bad=1; }
ends 3 "$dir/relu.graph" --backend "$dir/teller.so=8" --backend "$dir/teller.so=8"
says "two generators are called 'fake=8'" err
ends 3 "$dir/relu.graph" --backend "$dir/teller.so=fast"
says "'fast' is no number" err

# the same for programs: a generator alone is a set, its mean over one model is that model's
ends 3 "$model" "$dir/none.onnx" --backend "$mine" --db "$dir/tune.db" --seconds 1 --json
if command -v python3 >/dev/null; then
	python3 - "$dir/out" "$mine" <<-'END' || bad=1
	import json, sys
	r = json.load(open(sys.argv[1]))
	assert [len(m["entries"]) for m in r["models"]] == [1, 0], r
	assert r["models"][0]["why"] is None and "none.onnx" in r["models"][1]["why"], r
	(entry,) = r["models"][0]["entries"]
	assert entry["with"] == [sys.argv[2]], entry["with"]
	plans = {p["plan"]: p for p in entry["plans"]}
	for p in plans.values():
	    assert p["agrees"], p
	    spent = dict(p["spent"])
	    run = spent.pop("run_us")
	    assert spent.pop("told") is None and all(s["told"] is None for s in p["shares"]), p
	    assert abs(sum(spent.values()) - run) < 1e-6 * run, p["spent"]
	    assert spent["rest_us"] >= 0, p["spent"]
	    nodes = {s["by"]: s["nodes"] for s in p["shares"]}
	    assert abs(p["offloaded_nodes"] - nodes["example"] / sum(nodes.values())) < 1e-9, p
	alone, everything = plans["hone alone"], plans["all offloaded"]
	assert alone["offloaded_nodes"] == alone["offloaded_macs"] == alone["spent"]["generators_us"] == 0, alone
	assert everything["offloaded_nodes"] > 0.5 and everything["spent"]["generators_us"] > 0, everything
	assert sum(s["subgraphs"] for s in everything["shares"]) > 1, everything
	(mean,) = r["means"]
	assert mean["models"] == 1, mean
	assert abs(mean["over_host"] - entry["with_host"]["ratio"]) < 1e-6, mean
	assert abs(mean["over_all"] - entry["with_all"]["ratio"]) < 1e-6 * mean["over_all"], mean
	assert r["generators"] == [{"name": "example", "configuration": None, "version": "example 1", "lines": None}], r["generators"]
	END
else
	echo "SKIP: what --json of the suite says: no python3"
fi
exit $bad
