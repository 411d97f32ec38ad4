#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A model quantized from the command line: what is said of it, what is written, and what is wrong. Run by
# make check in the build folder.
top=${srcdir:-$(dirname "$0")/../..}
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-quantize.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0
model=$top/examples/tiny_cnn.onnx
XDG_CACHE_HOME=$dir/cache
export XDG_CACHE_HOME

. "$top/tests/fault/ends.sh"

few='--samples 4 --held-out 4'
ends 2 'which MODEL' quantize
ends 2 'minmax, percentile, entropy' quantize "$model" --method most
ends 2 'a number of 50 to 100' quantize "$model" --percentile 3
ends 2 'ends in .json' quantize "$model" -o "$dir/x.onnx"
ends 2 'is no type for it' quantize "$model" --data f32
ends 2 'has no scales' quantize "$model" --to bf16 --table "$dir/none"
ends 3 'is no model' quantize "$top/README.md"
ends 3 'none.json' quantize "$model" --table "$dir/none.json"
ends 3 "labelled 'nowhere'" quantize "$model" --keep nowhere
ends 3 'none.npy' quantize "$model" --calibrate "$dir/none.npy"
printf '{"tensors": {"nowhere": {"scale": 1}}}' >"$dir/bad.json"
ends 3 'tensor "nowhere"' quantize "$model" --table "$dir/bad.json"

ends 0 '100.0% of their multiply-adds) have integers' quantize "$model" $few --agreement 0 \
	-o "$dir/int8.json" --write-table "$dir/table.json"
ends 0 'worst node: .* dB' quantize "$model" $few --agreement 0 --method entropy --data i8
ends 0 'conv .* i32\[\|i32\[' graph "$dir/int8.json" --text
ends 0 'latency' run "$dir/int8.json"
ends 0 '^0 of ' quantize "$dir/int8.json" $few
ends 0 'made of integers already' quantize "$dir/int8.json" $few --explain
# integers from the first sum to the last, and what contradicts that
ends 2 'not with --data u8' quantize "$model" --integers-only --data u8
ends 2 'not with --to bf16' quantize "$model" --to bf16 --integers-only
ends 2 'has no table' quantize "$model" --integers-only --write-table "$dir/none.json"
ends 2 'not with --agreement' quantize "$model" --integers-only --agreement 97
ends 0 '^38 of all 39 operators are of integers alone' quantize "$model" $few --integers-only -o "$dir/integers.json"
ends 0 'shift_right' graph "$dir/integers.json" --text
ends 0 'agrees with interpreter' run "$dir/integers.json" --check
ends 0 '"integers": 38' quantize "$model" $few --integers-only --data i8 --json
# the table says all of it
ends 0 'have integers' quantize "$model" --agreement 0 --held-out 0 --uncorrected --table "$dir/table.json" \
	-o "$dir/a.json"
ends 0 'have integers' quantize "$model" --agreement 0 --held-out 0 --uncorrected --table "$dir/table.json" \
	-o "$dir/b.json" --seed 9 --samples 2
cmp "$dir/a.json" "$dir/b.json" || bad=1
# a folder of inputs, and what the model gave
mkdir "$dir/sample"
ends 0 'scores' run "$model" -o "$dir/given"
ends 3 'input_0.pb' quantize "$model" --calibrate "$dir/sample"
label=$(./hone quantize "$model" $few --agreement 0 --json | sed -n 's/.*"node": "\(.*\)",*$/\1/p' | head -n 1)
test -n "$label" || { echo "no label"; bad=1; }
ends 0 'it is to be kept' quantize "$model" $few --agreement 0 --keep "$label"
ends 0 'have bf16' quantize "$model" --to bf16 --held-out 4 -o "$dir/bf16.json"
ends 0 'latency' run "$dir/bf16.json"

# what stays float for the class, and what that was checked on
ends 0 'checked on [0-9]* samples that calibration did not see: [0-5] of 263 rows change' quantize "$model" $few
# zeros N FILE: N images of zeros.
zeros()
{
	{
		printf '\223NUMPY\001\000v\000'
		printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': ($1, 3, 64, 64), }"
		head -c $(($1 * 3 * 64 * 64 * 4)) /dev/zero
	} >"$2"
}
zeros 1 "$dir/one.npy"
zeros 30 "$dir/many.npy"
ends 0 'not checked: there are too few' quantize "$model" $few --calibrate "$dir/one.npy"
ends 0 '"may_change": 1' quantize "$model" $few --agreement 90 --json --calibrate "$dir/many.npy"

exit $bad
