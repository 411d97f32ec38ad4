#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Models in one file: they run without the model's files and the cache, as the model did; one that is cut off, damaged,
# or no module at all is told of, and so is what it needs and is not there. Run by make check in the build folder.
top=${srcdir:-$(dirname "$0")/../..}
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-module.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0
XDG_CACHE_HOME=$dir/cache
export XDG_CACHE_HOME
cp "$top/examples/tiny_cnn.onnx" "$dir/tiny.onnx"
cp "$top"/examples/generator/* "$dir"
make -s -C "$dir" CPPFLAGS="-I$(cd "$top/include" && pwd)" || exit 99
gcc -O2 -I"$top/include" -fPIC -shared -o "$dir/kernels.so" "$top/tests/library/kernels.c" || exit 99

. "$top/tests/fault/ends.sh"

mkdir "$dir/tmp"

# alone ARGUMENT...: hone without what it keeps, or could keep.
alone()
{
	HOME=$dir/none XDG_CACHE_HOME=$dir/none TMPDIR=$dir/tmp ./hone "$@"
}

ends 2 "give a name that ends in .hone" compile "$dir/tiny.onnx" -o "$dir/tiny.module"
ends 3 "$dir/none/tiny.hone" compile "$dir/tiny.onnx" -o "$dir/none/tiny.hone"

# by hone alone, with regions, with kernels, and by the interpreter of what the artifact says
for how in "" "--backend $dir/example.so --offload /0/0.0/Conv" "--backend $dir/kernels.so" "--backend json"; do
	# shellcheck disable=SC2086 # several words
	ends 0 'predicted' compile "$dir/tiny.onnx" --threads 2 $how -o "$dir/tiny.hone"
	# shellcheck disable=SC2086
	ends 0 'scores' run "$dir/tiny.onnx" --threads 2 $how --output "$dir/model"
	mv "$dir/tiny.onnx" "$dir/away.onnx"
	rm -rf "$dir/module" "$dir/kept"
	mv "$dir/cache" "$dir/kept"
	alone run "$dir/tiny.hone" --check --output "$dir/module" >"$dir/out" 2>&1 ||
		{ echo "'$how': the module does not run"; cat "$dir/out"; bad=1; }
	grep -q 'agrees with interpreter' "$dir/out" || { echo "'$how': not compared"; cat "$dir/out"; bad=1; }
	grep -q ' 0 kernels compiled' "$dir/out" || { echo "'$how': it compiles"; cat "$dir/out"; bad=1; }
	test -e "$dir/cache" -o -e "$dir/none" && { echo "'$how': it keeps something"; bad=1; }
	cmp "$dir/model/scores.npy" "$dir/module/scores.npy" || { echo "'$how': other results"; bad=1; }
	mv "$dir/kept" "$dir/cache"
	mv "$dir/away.onnx" "$dir/tiny.onnx"
done
rmdir "$dir/tmp" || { echo "objects of a module are left"; bad=1; }

# what a module is not for, and what it is not asked
ends 0 'regions of generators' compile "$dir/tiny.hone" --explain
ends 3 'is a module, which is there to be run' compile "$dir/tiny.hone" -o "$dir/again.hone"
ends 3 'is a module, which is there to be run' build "$dir/tiny.hone" -o "$dir/library"
ends 3 'is a module, which is there to be run' partition "$dir/tiny.hone" --backend json --dry-run
ends 3 'compile the model again with --dim' run "$dir/tiny.hone" --dim n=2
ends 3 'compile the model again with --dim' run "$dir/tiny.hone" --keep /0/0.0/Conv
ends 3 'was compiled for 2 threads: give --threads 2' run "$dir/tiny.hone" --threads 1

# generators that are gone, others, or elsewhere
./hone compile "$dir/tiny.onnx" --threads 1 --backend "$dir/kernels.so" -o "$dir/tiny.hone" >/dev/null || bad=1
ends 3 'has nothing of generator json' run "$dir/tiny.hone" --backend json
mv "$dir/kernels.so" "$dir/elsewhere.so"
ends 3 'needs generator kernels: say by --backend PATH' run "$dir/tiny.hone"
ends 0 'scores' run "$dir/tiny.hone" --backend "$dir/elsewhere.so"
cp "$dir/example.so" "$dir/kernels.so"
ends 3 'is generator example now' run "$dir/tiny.hone"
sed 's/return "kernels [^"]*"/return "kernels of later"/' "$top/tests/library/kernels.c" >"$dir/later.c"
cmp -s "$dir/later.c" "$top/tests/library/kernels.c" && { echo "no later version was made"; bad=1; }
gcc -O2 -I"$top/include" -I"$top" -fPIC -shared -o "$dir/later.so" "$dir/later.c" || bad=1
ends 3 "of version '.*', here it is 'kernels of later'" run "$dir/tiny.hone" --backend "$dir/later.so"

# damage
./hone compile "$dir/tiny.onnx" --threads 1 --backend json -o "$dir/tiny.hone" >/dev/null || bad=1
size=$(wc -c <"$dir/tiny.hone")
for n in 0 1 7 8 40 71 72 4096 $((size / 2)) $((size - 1)); do
	head -c $n "$dir/tiny.hone" >"$dir/bad.hone"
	ends 3 'is cut off\|is no module' run "$dir/bad.hone"
done
for at in 0 9 20 33 41 50 64 1000 $((size / 2)) $((size - 2)); do
	cp "$dir/tiny.hone" "$dir/bad.hone"
	printf '\377' | dd of="$dir/bad.hone" bs=1 seek=$at conv=notrunc 2>/dev/null
	ends 3 'is damaged\|is cut off\|is no module\|has format' run "$dir/bad.hone"
done
{ cat "$dir/tiny.hone"; echo more; } >"$dir/bad.hone"
ends 3 'is damaged' run "$dir/bad.hone"

# files of others
cp "$dir/tiny.onnx" "$dir/bad.hone"
ends 3 'is no module: hone compile' run "$dir/bad.hone"
echo '{"module": {}}' >"$dir/bad.hone"
ends 3 'is no module: hone compile' run "$dir/bad.hone"
kept=$(find "$dir/cache/hone/models" -type f | head -n 1)
cp "$kept" "$dir/bad.hone" || bad=1
ends 3 'is no module: hone compile' run "$dir/bad.hone"
mkdir "$dir/folder.hone"
ends 3 'folder.hone' run "$dir/folder.hone"
ends 3 'none.hone' run "$dir/none.hone"

exit $bad
