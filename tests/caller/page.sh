# SPDX-License-Identifier: Apache-2.0
# For tests that run what a page of docs/ tells to run, which read it with `.`: $src is the folder of the sources,
# $build that of the build, $dir one of theirs, and $dir/out what the latest command printed.
# shellcheck shell=bash

fail()
{
	echo "FAIL: $1"
	test -f "$dir/out" && sed 's/^/    /' "$dir/out"
	exit 1
}

# What `make install` would give, as links in $dir/stage, for whoever looks there.
install_links()
{
	local stage=$dir/stage

	mkdir -p "$stage/bin" "$stage/lib/pkgconfig" "$stage/share/cmake"
	ln -s "$build/hone" "$stage/bin/hone"
	ln -s "$build"/.libs/libhone.so* "$stage/lib"
	ln -s "$src/include" "$stage/include"
	ln -s "$src/share/hone" "$stage/share/hone"
	mkdir "$stage/share/cmake/hone"
	ln -s "$src/share/cmake/hone/honeConfig.cmake" "$build/share/cmake/hone/honeConfigVersion.cmake" \
		"$stage/share/cmake/hone"
	sed "s|^prefix=.*|prefix=$stage|; s|^libdir=.*|libdir=$stage/lib|" "$build/hone.pc" >"$stage/lib/pkgconfig/hone.pc"
	export PATH="$stage/bin:$PATH" PKG_CONFIG_PATH=$stage/lib/pkgconfig CMAKE_PREFIX_PATH=$stage
	unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CFLAGS CPPFLAGS LDFLAGS
	export LC_ALL=C
}

# A line of a page as a pattern for grep: ... is any text.
pattern()
{
	printf '%s\n' "$1" | sed 's/[][\.*^$]/\\&/g; s/\\\.\\\.\\\./.*/g'
}

# blocks PAGE FOLDER [SECTION]: the blocks `sh` of a page as FOLDER/01.sh, 02.sh, ..., and what the page says they
# print, the blocks `text` behind them, as 01.text, ...; FOLDER/lines has the line that each begins in. A section that
# needs what is not here may be left out.
blocks()
{
	awk -v folder="$2" -v without="${3:-none}" '
	!inside && /^##/ { left_out = $0 == without }
	/^```/ {
		inside = !inside
		file = ""
		if (!inside || left_out)
			next
		if ($0 == "```sh") {
			printf "%02d.sh %d\n", ++n, NR >(folder "/lines")
			file = sprintf("%s/%02d.sh", folder, n)
		} else if ($0 == "```text") {
			file = sprintf("%s/%02d.text", folder, n)
		}
		next
	}
	inside && file { print >file }' "$1"
}

# A text without what may differ from run to run: numbers, and how wide columns are.
shape()
{
	sed -E 's/[0-9]+(\.[0-9]+)?(e[-+][0-9]+)?/0/g; s/[[:blank:]]+/ /g; s/ $//'
}

# prints TEXT OUTPUT: whether lines of file OUTPUT are those of file TEXT, where ... is any text, and alone in a line any
# lines; numbers are as good as others. What is missing is said.
prints()
{
	local expected line glob any=false found
	exec 4< <(shape <"$2")
	while IFS= read -r expected <&3; do
		if test "$expected" = ...; then
			any=true
			continue
		fi
		glob=$(printf '%s\n' "$expected" | sed 's/[][*?\\]/\\&/g; s/\.\.\./*/g')
		found=false
		while IFS= read -r line <&4; do
			# shellcheck disable=SC2053
			if [[ $line == $glob ]]; then
				found=true
				break
			fi
			$any || break
		done
		if ! $found; then
			echo "expected, and not there: $expected"
			return 1
		fi
		any=false
	done 3< <(shape <"$1")
	$any && return 0
	if IFS= read -r line <&4; then
		echo "not expected: $line"
		return 1
	fi
}
