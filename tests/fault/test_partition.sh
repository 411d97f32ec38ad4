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

# ends STATUS WORDS ARGUMENT...: `hone ARGUMENT...` ends so, and prints the WORDS.
ends()
{
	want=$1 words=$2
	shift 2
	./hone "$@" >"$dir/out" 2>&1
	rc=$?
	if test $rc -ne "$want" || ! grep -q -e "$words" "$dir/out"; then
		echo "hone $*: exit status $rc, not $want with '$words'"
		sed 's/^/    /' "$dir/out"
		bad=1
	fi
}

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

# plain loops lose everywhere, so hone computes all of it; what that took is in the database
ends 0 'hone is no slower' partition "$model" --backend "$mine" --db "$dir/tune.db" --threads 1 --seconds 1 --explain
ends 0 '^  example  *0 of' partition "$model" --backend "$mine" --db "$dir/tune.db" --threads 1 --seconds 1
ends 0 'sound\|no problem' db check "$dir/tune.db"
ends 0 'agrees with interpreter' run "$model" --backend "$mine" --threads 2 --check
ends 0 '^ .* example  *example_' run "$model" --backend "$mine" --profile --threads 2

exit $bad
