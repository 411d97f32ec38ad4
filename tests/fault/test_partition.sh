#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A model shared with a code generator from outside: what the command line says of it, and what runs. Run
# by make check in the build folder.
top=${srcdir:-$(dirname "$0")/../..}
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-partition.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0
model=$top/examples/tiny_cnn.onnx
XDG_CACHE_HOME=$dir/cache
export XDG_CACHE_HOME

. "$top/tests/fault/ends.sh"

cp "$top"/examples/generator/* "$dir"
make -s -C "$dir" CPPFLAGS="-I$(cd "$top/include" && pwd)" || exit 99
mine=$dir/example.so

ends 2 'which --backend' partition "$model"
ends 3 "generator 'nowhere'" partition "$model" --backend nowhere
ends 3 "generator '$dir/none.so' cannot be loaded" partition "$model" --backend "$dir/none.so"
ends 3 'two generators are called' partition "$model" --backend "$mine" --backend "$mine"

ends 0 'example: [1-9][0-9]* of [0-9]* nodes' partition "$model" --backend "$mine" --dry-run
ends 0 'no pattern matches' partition "$model" --backend "$mine" --dry-run --explain
ends 0 'the user keeps it' partition "$model" --backend "$mine" --keep /0/0.0/Conv --dry-run --explain
ends 0 'its region is too small' partition "$model" --backend "$mine" --dry-run --least 8 --explain
ends 3 'are left to hone' partition "$model" --backend "$mine" --dry-run --require-full-offload
ends 2 '--least is for --dry-run' partition "$model" --backend "$mine" --least 8

# what options demand, and what the model itself does, in both of hone's forms
ends 0 'conv .*/0/0.0/Conv: the user sends it there' partition "$model" --backend "$mine" --offload /0/0.0/Conv --dry-run --explain
ends 3 "no operator labelled 'nowhere'" partition "$model" --backend "$mine" --keep nowhere --dry-run
ends 3 "no operator labelled 'nowhere'" run "$model" --backend "$mine" --offload nowhere
ends 3 "'/0/0.0/Conv' cannot be kept and offloaded" partition "$model" --backend "$mine" --keep /0/0.0/Conv --offload /0/0.0/Conv --dry-run
ends 3 "node '/2/2.0/2.0.2/Clip' (clip) has to go to a generator: .*no pattern matches" run "$model" --backend "$mine" --offload /2/2.0/2.0.2/Clip
cat >"$dir/demands.graph" <<'END'
graph "t" @main
fn @main(%x: f32[4, 4]) {
	%0 = tanh(%x) @"here" keep
	%1 = relu(%0) @"there" offload "json"
	%2 = tanh(%1) offload
	return %2
}
END
./hone graph "$dir/demands.graph" --json --full >"$dir/demands.json" || bad=1
for form in graph json; do
	of=$dir/demands.$form
	ends 0 'tanh .*here: the user keeps it' partition "$of" --backend json --dry-run --explain
	ends 0 'relu .*there: the user sends it there' partition "$of" --backend json --dry-run --explain
	ends 0 'json: 2 of 3 nodes' partition "$of" --backend json --dry-run --least 9
	ends 0 'hone: 0 of 3 nodes' partition "$of" --backend json --dry-run --offload here
	ends 3 "node 'there' (relu) has to go to generator json: it was not asked for" partition "$of" --backend "$mine" --dry-run
	ends 3 'a tanh without a label has to go to a generator: no pattern' partition "$of" --backend "$mine" --keep there --dry-run
	ends 0 'agrees with interpreter' run "$of" --backend json --check
	ends 0 'agrees with interpreter' run "$of" --check
done
# a model that may not be hone's alone is not, though that is the fastest
ends 0 'tanh .*here: the user keeps it' partition "$dir/demands.graph" --backend json --threads 1 --seconds 1 --explain --db "$dir/demands.db"
grep -q 'the model runs \(by measured cost\|all offloaded\)' "$dir/out" || { echo "hone alone, though nodes have to go"; bad=1; }
ends 0 ' json  *json_' run "$dir/demands.graph" --backend json --threads 1 --profile --db "$dir/demands.db"

# plain loops lose everywhere, so hone computes all of it; what that took is in the database
ends 0 'hone is no slower' partition "$model" --backend "$mine" --db "$dir/tune.db" --threads 1 --seconds 1 --explain
ends 0 '^  example  *0 of' partition "$model" --backend "$mine" --db "$dir/tune.db" --threads 1 --seconds 1
ends 0 'sound\|no problem' db check "$dir/tune.db"
ends 0 'agrees with interpreter' run "$model" --backend "$mine" --threads 2 --check
ends 0 '^ .* example  *example_' run "$model" --backend "$mine" --profile --threads 2

# who computes what: regions between lists, and kernels as calls of a list
ends 0 '^  .* example  *example_1, [0-9]* calls' compile "$model" --backend "$mine" --explain
ends 0 '[1-9] regions of generators and 0 operators' compile "$model" --backend "$mine"
gcc -O2 -I"$top/include" -fPIC -shared -o "$dir/kernels.so" "$top/tests/library/kernels.c" || exit 99
ends 0 '^ *0.00  *[0-9.]*%  kernels  *conv2d+bias' compile "$model" --backend "$dir/kernels.so" --explain
ends 0 'library tiny written' build "$model" --backend "$mine" --name tiny -o "$dir/tiny"
test -s "$dir/tiny/tiny_generators/example.so" || { echo "no generator beside the library"; bad=1; }
cp "$mine" "$dir/my example.so"
ends 3 'rename it' build "$model" --backend "$dir/my example.so" -o "$dir/tiny"

# what was cut, as files: a drawing, artifacts
ends 0 'json' partition "$model" --backend json --dry-run --keep /2/2.0/2.0.2/Clip --dot "$dir/cut.dot" --artifacts "$dir/regions"
test "$(grep -c 'label="json: json_' "$dir/cut.dot")" -eq 2 || { echo "not two regions in the drawing"; bad=1; }
test "$(find "$dir/regions" -name '*.json' | wc -l)" -eq 2 || { echo "not two artifacts"; bad=1; }
for region in "$dir"/regions/*.json; do
	ends 0 'output .*f32\[1, ' graph "$region"
done
# the same of what was measured: of all that is taken, though hone is faster
ends 0 'hone is no slower' partition "$model" --backend json --threads 1 --seconds 1 --explain --artifacts "$dir/all"
test -s "$dir/all/json_1.json" || { echo "no artifact of a model that was measured"; bad=1; }
touch "$dir/file"
ends 3 "$dir/file" partition "$model" --backend json --dry-run --artifacts "$dir/file/regions"
ends 3 "$dir/none/cut.dot" partition "$model" --backend json --dry-run --dot "$dir/none/cut.dot"
if command -v dot >/dev/null; then
	ends 0 'json' partition "$model" --backend json --dry-run --svg "$dir/cut.svg"
	grep -q 'json: json_' "$dir/cut.svg" || { echo "no region in the SVG"; bad=1; }
else
	echo "SKIP: --svg: no dot (package graphviz)"
fi

# what a generator tells is told, and not measured
gcc -O1 -I"$top" -I"$top/include" -fPIC -shared -DFAKE_GRAIN=HONE_KERNELS '-DFAKE_PATTERN="relu"' -DFAKE_HASTE=0 -DFAKE_SLEEP_US=0 -DFAKE_COST=0.25 \
	-o "$dir/teller.so" "$top/tests/fake/fake_object.c" || exit 99
cat >"$dir/relu.graph" <<'END'
graph "t" @main
fn @main(%x: f32[64, 64]) {
	%0 = relu(%x) @"act"
	return %0
}
END
ends 0 'relu .* fake 0.2 told' partition "$dir/relu.graph" --backend "$dir/teller.so" --offload act --threads 1 --seconds 1 --explain
grep -q 'act: the user sends it there' "$dir/out" || { echo "not told that the user wants it"; cat "$dir/out"; bad=1; }
grep -q '^fake tells what it takes' "$dir/out" || { echo "not told that times are told"; cat "$dir/out"; bad=1; }
for plan in 'all offloaded' 'by measured cost'; do
	grep -q "^$plan  *fake  *0.1 us  *0.1 us  *0.1 us\$" "$dir/out" || { echo "no parts of '$plan'"; cat "$dir/out"; bad=1; }
done
test "$(grep -c ', 0.000 ms of it told$' "$dir/out")" -eq 2 || { echo "not two plans with told times"; cat "$dir/out"; bad=1; }
ends 0 'relu .* fake 0.2 told' partition "$dir/relu.graph" --backend "$dir/teller.so" --keep act --threads 1 --seconds 1 --explain
grep -q '^fake tells what it takes' "$dir/out" && { echo "times are told of what is kept"; cat "$dir/out"; bad=1; }
ends 3 "takes no configuration, 'debug' is for nobody" partition "$dir/relu.graph" --backend "$dir/teller.so=debug" --dry-run
ends 3 "takes no configuration, '' is for nobody" run "$dir/relu.graph" --backend json=

# generators that come with hone
ends 0 'json: \([0-9]*\) of \1 nodes' partition "$model" --backend json --dry-run --require-full-offload
ends 0 'agrees with interpreter' run "$model" --backend json --check

# regions inside of branches: the profile has the one that ran
cat >"$dir/branches.graph" <<'END'
graph "t" @main
fn @main(%x: f32[4, 4], %c: bool[]) {
	%0 = tanh(%x)
	%1 = if %c then @yes else @no (%0)
	return %1
}
fn @yes(%x: f32[4, 4]) -> f32[4, 4] {
	%0 = relu(%x) @"in yes"
	return %0
}
fn @no(%x: f32[4, 4]) -> f32[4, 4] {
	%0 = sigmoid(%x) @"in no"
	return %0
}
END
ends 0 'json: 3 of 3 nodes.*in 3 regions' partition "$dir/branches.graph" --backend json --dry-run
ends 0 '^ .* json  *json_[34]' run "$dir/branches.graph" --backend json --profile --check
test "$(grep -c ' json  *json_' "$dir/out")" -eq 2 || { echo "not two regions ran"; cat "$dir/out"; bad=1; }

# where no library of a generator was found, its test says so, and is counted
tests=$(pwd)/tests/unit/partition/test_generators
(cd "$dir" && "$tests" >test_generators.log 2>&1) || { echo "test_generators fails without generators"; bad=1; }
echo ':test-result: PASS' >"$dir/test_generators.trs"
"$top/tests/summary" "$dir/test_generators.trs" >"$dir/out" || { echo "a test was skipped without a reason"; bad=1; }
for name in onednn blas; do
	grep -q "^skipped: .*: $name: its library was not found" "$dir/out" ||
		{ echo "$name is not told to be skipped"; cat "$dir/out"; bad=1; }
done
grep -q '^tests: 1 passed, 0 failed, [1-9]' "$dir/out" || { echo "nothing was counted"; bad=1; }

cp "$top"/examples/csource/* "$dir"
make -s -C "$dir" CPPFLAGS="-I$(cd "$top/include" && pwd)" || exit 99
HONE_CSOURCE_KERNELS=
export HONE_CSOURCE_KERNELS
ends 0 'HONE_CSOURCE_KERNELS names no library' partition "$model" --backend csource --dry-run --explain
HONE_CSOURCE_KERNELS=$dir/kernels.so
ends 0 "the user's kernels have no max_pool" partition "$model" --backend csource --dry-run --explain --artifacts "$dir/sources"
ends 0 'agrees with interpreter' run "$model" --backend csource --check
for source in "$dir"/sources/*.c; do
	cc -c -o "$dir/source.o" "$source" || { echo "$source does not compile"; bad=1; }
done

exit $bad
