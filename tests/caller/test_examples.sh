#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# examples/run_model.c and .cpp, compiled as a user of libhone does: without a warning, with the same
# results, and under valgrind without an error or a leak. Run by make check in the build folder.
src=${srcdir:-$(dirname "$0")/../..}
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-examples.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
model=$dir/small.graph
flags="-Wall -Wextra -Werror -O1 -g -I$src/include"
libs="-L.libs -lhone -lpthread -Wl,-rpath,$PWD/.libs"

fail()
{
	echo "FAIL: $1"
	test -f "$dir/err" && sed 's/^/    /' "$dir/err"
	exit 1
}

skip()
{
	echo "SKIP: $1"
}

# compiles COMPILER OPTIONS SOURCE PROGRAM
compiles()
{
	# shellcheck disable=SC2086
	$1 $2 $flags "$src/examples/$3" $libs -o "$dir/$4" 2>"$dir/err" ||
		fail "$3 does not compile"
}

# runs PROGRAM...: prints what it does
runs()
{
	"$@" "$model" 2>"$dir/err" || fail "$1 failed"
}

# valgrind does not know all instructions of this machine: kernels are compiled for those that every
# machine of its kind has, and kept apart from others
plain_compilers()
{
	mkdir "$dir/bin"
	for cc in gcc clang; do
		real=$(command -v $cc) || continue
		cat >"$dir/bin/$cc" <<END
#!/bin/bash
exec $real "\${@/-march=native/-g0}"
END
		chmod +x "$dir/bin/$cc"
	done
	PATH=$dir/bin:$PATH
	export PATH
}

# what the system keeps of an object that is never unloaded is no leak of ours
suppressions='{
	never unloaded
	Memcheck:Leak
	match-leak-kinds: definite,indirect
	...
	fun:_dl_open
}'

under_valgrind()
{
	command -v valgrind >/dev/null || { skip "valgrind: not installed"; return; }
	echo "$suppressions" >"$dir/suppressions"
	for program in $1; do
		valgrind -q --suppressions="$dir/suppressions" --leak-check=full \
			--show-leak-kinds=definite,indirect \
			--errors-for-leak-kinds=definite,indirect --error-exitcode=9 "$dir/$program" "$model" >"$dir/out" 2>"$dir/err" ||
			fail "$program under valgrind"
	done
}

cat >"$model" <<'END'
graph small
fn @main(%x: f32[2, 4]) -> f32[2, 3] {
	%w = const f32[4, 3] [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
	%b = const f32[3] [0, 1, 2]
	%product = matmul(%x, %w)
	%sum = add(%product, %b)
	%y = exp(%sum)
	return %y
}
END
# what is known of the device need not be probed again
mkdir -p "$dir/cache/hone"
cp "${XDG_CACHE_HOME:-$HOME/.cache}"/hone/device-*.json "$dir/cache/hone" 2>/dev/null
XDG_CACHE_HOME=$dir/cache
export XDG_CACHE_HOME
plain_compilers
compiles "${CC:-cc}" "-std=c11" run_model.c in_c
runs "$dir/in_c" >"$dir/c.txt"
printf 'input x: type 2, 32 bits, [2, 4]\noutput y: type 2, 32 bits, [2, 3]\ny = 1 2.71828 7.38906 1\n' |
	cmp -s - "$dir/c.txt" || fail "other results: $(cat "$dir/c.txt")"
programs=in_c
if command -v c++ >/dev/null; then
	compiles c++ "-std=c++17" run_model.cpp in_cpp
	runs "$dir/in_cpp" >"$dir/cpp.txt"
	programs="in_c in_cpp"
	# both of its threads print what the other program does
	test "$(sort -u "$dir/cpp.txt")" = "$(grep '=' "$dir/c.txt")" ||
		fail "other results in C++: $(cat "$dir/c.txt" "$dir/cpp.txt")"
else
	skip "C++: no c++ here (package g++)"
fi
under_valgrind "$programs"
exit 0
