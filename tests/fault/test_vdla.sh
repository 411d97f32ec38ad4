#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone vdla: programs for the simulated accelerator are run, turned into each other's forms and traced; what is wrong
# with them is said. Run by make check in the build folder.
top=${srcdir:-$(dirname "$0")/../..}
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-vdla.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0
dense=$top/examples/vdla/dense.vdla

. "$top/tests/fault/ends.sh"

# quiet ARGUMENT...: `hone ARGUMENT...` succeeds and prints nothing
quiet()
{
	./hone "$@" >"$dir/out" 2>&1 && test ! -s "$dir/out" && return
	echo "hone $*: fails, or prints something"
	sed 's/^/    /' "$dir/out"
	bad=1
}

# same FILE FILE: what they must be
same()
{
	cmp -s "$1" "$2" || { echo "$1 and $2 differ"; bad=1; }
}

# --- a text and the file that is made of it do the same
quiet vdla assemble "$dense" -o "$dir/dense.bin"
ends 0 '^cycles   2412, 12.1 us at 200 MHz' vdla run "$dense"
cp "$dir/out" "$dir/run"
ends 0 'output   y, 64 bytes' vdla run "$dir/dense.bin"
same "$dir/out" "$dir/run"
ends 0 '"cycles": 2412' vdla run "$dense" --json
ends 0 cycles vdla run "$dense" --seed 3 -o "$dir/y3"
ends 0 cycles vdla run "$dir/dense.bin" --seed 3 --output "$dir/again"
same "$dir/y3" "$dir/again"
test "$(wc -c <"$dir/y3")" -eq 64 || { echo 'the output is not of 64 bytes'; bad=1; }
ends 0 cycles vdla run "$dense" --seed 4 -o "$dir/y4"
cmp -s "$dir/y3" "$dir/y4" && { echo 'two seeds give the same'; bad=1; }

# --- the text of a file is read back as that file
ends 0 '^gemm 4x2 sum 0+1,0 input 0+2,1 weight 0+0,1 pop before	# 3$' vdla disassemble "$dir/dense.bin"
cp "$dir/out" "$dir/dense.text"
quiet vdla assemble "$dir/dense.text" -o "$dir/twice.bin"
same "$dir/dense.bin" "$dir/twice.bin"
quiet vdla disassemble "$dense" -o "$dir/to.text"
same "$dir/dense.text" "$dir/to.text"

ends 0 '"ph": "X", "pid": 1, "tid": 3, .*"text": "store acc' vdla trace "$dense"
quiet vdla trace "$dir/dense.bin" -o "$dir/trace.json"
python3 -c 'import json, sys; sys.exit(len(json.load(open(sys.argv[1]))["traceEvents"]) != 4 + 7 + 2 * 2)' "$dir/trace.json" ||
	{ echo 'the trace is not of these events'; bad=1; }

# --- what is wrong
head -c 100 "$dir/dense.bin" >"$dir/short.bin"
printf 'a\0b' >"$dir/noise"
sed 's/ pop before.*4 rows.*//' "$dense" >"$dir/race.vdla"
sed 's/weight 0+0,1 pop/weight 1023+0,1 pop/' "$dense" >"$dir/outside.vdla"
sed 's/^memory 1024/memory 65536000000/' "$dense" >"$dir/huge.vdla"
sed '/^alu clip/s/ push behind//' "$dense" >"$dir/stuck.vdla"
ends 3 'cannot open' vdla run "$dir/none"
ends 3 'short.bin: it is damaged or cut off' vdla run "$dir/short.bin"
ends 3 'noise: this is no program' vdla disassemble "$dir/noise"
ends 3 'race.vdla: instruction 2 .* nobody takes\|race.vdla: instruction 3 .* which nothing has written' vdla run "$dir/race.vdla"
ends 3 'outside.vdla:15:[0-9]*: an entry outside of its scratchpad' vdla assemble "$dir/outside.vdla" -o "$dir/x"
ends 3 'stuck.vdla: deadlock; instruction 6 (store .*) waits for a token from compute to store' vdla trace "$dir/stuck.vdla"
ends 3 'huge.vdla: it has 65536000000 bytes of memory' vdla run "$dir/huge.vdla"
ends 3 'none' vdla run "$dense" -o "$dir/none/y"
ends 2 'where to?' vdla assemble "$dense"
ends 2 'one FILE at a time' vdla run "$dense" "$dense"
ends 2 "seed 'x'" vdla run "$dense" --seed x
ends 2 "there is no 'fly'" vdla fly "$dense"
exit $bad
