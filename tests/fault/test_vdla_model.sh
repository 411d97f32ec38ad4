#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A model of integers shared with the simulated accelerator: the same bits wherever it runs, an artifact that is a program,
# and time that is the simulator's. Run by make check in the build folder.
top=${srcdir:-$(dirname "$0")/../..}
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-vdla-model.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0
model=$dir/integers.json
one=/1/body/body.0/body.0.0/Conv	# a node of the one region
XDG_CACHE_HOME=$dir/cache
export XDG_CACHE_HOME

. "$top/tests/fault/ends.sh"

# same FOLDER FOLDER: what the model gave in both
same()
{
	cmp "$1/scores.npy" "$2/scores.npy" || { echo "$1 and $2 have other results"; bad=1; }
}

# what comes behind the integers is a factor, so that results are equal or not
ends 0 'are of integers alone' quantize "$top/examples/tiny_cnn.onnx" --samples 4 --held-out 0 --integers-only -o "$dir/whole.json"
python3 - "$dir/whole.json" >"$model" <<'END' || exit 99
import json, sys
model = json.load(open(sys.argv[1]))
main = model["functions"][0]
assert main["bindings"].pop()["op"] == "softmax"
main["results"][0] -= 1
main["bindings"][-1]["name"] = "scores"
json.dump(model, sys.stdout)
END

# --- what is shared, and the program that it becomes
ends 0 'vdla: 83 of 89 nodes .* in 1 region' partition "$model" --backend vdla --dry-run
ends 0 'all offloaded .* agree, 0e+00, [0-9.]* ms of it told' partition "$model" --backend vdla --threads 1 --seconds 1 \
	--artifacts "$dir/regions"
told=$(sed -n 's/^all offloaded  *vdla  *\([0-9.]*\) us  *\([0-9.]*\) us .*/\1 \2/p' "$dir/out")
ends 0 '^cycles .* us at 200 MHz, of which 28000 of 14 launches' vdla run "$dir/regions/vdla_1.vdla"
taken=$(sed -n 's/^cycles  *[0-9]*, \([0-9.]*\) us .*/\1/p' "$dir/out")
echo "$told $taken" | awk '{ exit !(($1 + $2 - $3) ^ 2 < 0.1 && $2 == 140) }' ||
	{ echo "of kernels and launches '$told' us are told, the program takes $taken"; bad=1; }

# --- the same bits by hone alone, with the device, in a module, in a library
zeros=$dir/zeros.npy
{
	printf '\223NUMPY\001\000v\000'
	printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3, 64, 64), }"
	head -c $((3 * 64 * 64 * 4)) /dev/zero
} >"$zeros"
for input in '' "--input image=$zeros"; do
	# shellcheck disable=SC2086 # two words
	ends 0 'agrees with interpreter' run "$model" $input --check -o "$dir/alone"
	# shellcheck disable=SC2086
	ends 0 'agrees with interpreter' run "$model" $input --backend vdla --offload $one --check -o "$dir/shared"
	same "$dir/alone" "$dir/shared"
done
ends 0 ' vdla  *vdla_1' run "$model" --backend vdla --offload $one --profile
ends 0 '1 regions of generators' compile "$model" --backend vdla --offload $one -o "$dir/integers.hone"
ends 0 'agrees with interpreter' run "$dir/integers.hone" --input "image=$zeros" --check -o "$dir/module"
same "$dir/alone" "$dir/module"
ends 0 'library integers written' build "$model" --backend vdla --offload $one --name integers -o "$dir/library"
make -s -C "$dir/library" >"$dir/out" 2>&1 || { echo "the library cannot be built"; cat "$dir/out"; bad=1; }
(cd "$dir/library" && ./example 1) >"$dir/out" 2>&1 || { echo "the library does not run"; cat "$dir/out"; bad=1; }
tail -c 40 "$dir/alone/scores.npy" | cmp - "$dir/library/output_0.bin" || { echo "the library has other results"; bad=1; }
test -s "$dir/library/integers_generators/hone-vdla.so" || { echo "no generator beside the library"; bad=1; }

# --- other machines
edge=$top/examples/vdla/edge.machine
ends 0 'agrees with interpreter' run "$model" --backend "vdla=$edge" --offload $one --check
ends 0 'in 1 region' partition "$model" --backend "vdla=$edge" --dry-run --artifacts "$dir/edge"
ends 0 'at 100 MHz' vdla run "$dir/edge/vdla_1.vdla"
printf 'clock_mhz 100\nqueue 3\n' >"$dir/bad.machine"
ends 3 "bad.machine:2" partition "$model" --backend "vdla=$dir/bad.machine" --dry-run
ends 3 'vdla=FILE names' partition "$model" --backend vdla= --dry-run
ends 3 "$dir/none" partition "$model" --backend "vdla=$dir/none" --dry-run

exit $bad
