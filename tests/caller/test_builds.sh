#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Kernels in the builds of others: the commands of docs/builds.md as they stand there, in a copy of examples/dense
# whose path has a space; then what changes make builds do, with make and with both generators of CMake. Run by
# make check in the build folder.
src=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-builds.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
build=$PWD
work="$dir/a project"

# shellcheck source=tests/caller/page.sh
. "$src/tests/caller/page.sh"

# The shell blocks of the page, without those of a section that needs what is not here.
page()
{
	awk -v without="${1:-none}" '
	/^## / { section = $0 }
	/^```/ { inside = !inside; shell = $0 == "```"; next }
	inside && shell && section != without' "$src/docs/builds.md"
}

# What the page says of a makefile and of CMake is what the project has.
page_is_the_project()
{
	local line file=
	while IFS= read -r line; do
		case $line in
		'```make')	file=Makefile ;;
		'```cmake')	file=CMakeLists.txt ;;
		'```'*)	file= ;;
		*)	test -z "$file" || grep -qxF -- "${line%%	# *}" "$src/examples/dense/$file" ||
				fail "examples/dense/$file has no line '$line' of docs/builds.md"
			;;
		esac
	done <"$src/docs/builds.md"
}

# Runs the commands of the page behind "$ ", and expects the lines below each among what it prints.
run_page()
{
	local line n=0
	while IFS= read -r line <&3; do
		case $line in
		'$ '*)	eval "${line#??}" >"$dir/out" 2>&1 || fail "docs/builds.md: $line"
			n=$((n + 1))
			;;
		...)	;;
		*)	grep -qx -- "$(pattern "$line")" "$dir/out" ||
				fail "docs/builds.md expects '$line'"
			;;
		esac
	done 3< <(page "$1")
	test "$n" -ge 6 || fail "only $n commands are found in docs/builds.md"
}

# says WORDS COMMAND...: it fails, and says so.
says()
{
	local words=$1
	shift
	if "$@" >"$dir/out" 2>&1; then
		fail "$* does not fail"
	fi
	grep -q -- "$words" "$dir/out" || fail "$* does not say '$words'"
}

# does COMMAND...: it succeeds.
does()
{
	"$@" >"$dir/out" 2>&1 || fail "$*"
}

# exported COMMAND...: it succeeds, and exports on the way; kept: it does not.
exported()
{
	does "$@"
	grep -q 'written to' "$dir/out" || fail "$* does not export"
}
kept()
{
	does "$@"
	! grep -q 'written to' "$dir/out" || fail "$* exports, though nothing has changed"
}

# A list is watched with its operators, the database and the makefile.
make_notices()
{
	does make clean
	sed -i 's/^kernels_SOURCE.*/kernels_SOURCE = all.tasks/' Makefile
	echo dense.te >all.tasks
	exported make
	kept make
	for file in dense.te tune.db all.tasks Makefile; do
		make -q kernels/hone_kernels.a || fail "make begins anew before $file has changed"
		touches $file
		! make -q kernels/hone_kernels.a || fail "make does not see that $file has changed"
		touches kernels/manifest.json kernels/hone_kernels.a
	done
	echo relu:n=777 >>all.tasks
	says 'relu:n=777: not exported: no record fits .*there is none of this task' make
	says 'relu:n=777: not exported' make
	mv tune.db away.db
	says 'there is no file tune.db' make
	mv away.db tune.db
	sed -i '$d' all.tasks
	exported make
	./dense >/dev/null || fail "the program is wrong"
}

# touches FILE...: each later than all before.
touches()
{
	for file; do
		sleep 0.02	# more than a tick of the file system's clock
		touch "$file"
	done
}

# cmake_builds GENERATOR FOLDER: with paths that have a space.
cmake_builds()
{
	does cmake -B "$2" -G "$1"
	exported cmake --build "$2"
	kept cmake --build "$2"
	"$2/dense" >/dev/null || fail "the program is wrong"
}

# What is watched: the call, the database, the operator. A failure is one until it is dealt with.
cmake_notices()
{
	does cmake -B "$1" -DFALLBACK=FALLBACK
	exported cmake --build "$1"
	grep -q '"command": ".* --fallback"' "$1/dense_kernels/manifest.json" || fail "FALLBACK is not handed on"
	does cmake -B "$1" -DFALLBACK=
	mv tune.db away.db
	says 'tune.db' cmake --build "$1"
	mv away.db tune.db
	sed -i 's/48/47/' dense.te
	says 'there is none of this task' cmake --build "$1"
	says 'there is none of this task' cmake --build "$1"
	cp "$src/examples/dense/dense.te" .
}

# CMake's own errors name the call and what to do.
cmake_refuses()
{
	local words
	for call in 'hone_add_kernels(other SOURCE a.te DB b)|there is no target other' \
		'hone_add_kernels(dense DB b)|SOURCE is missing' \
		'hone_add_kernels(dense SOURCE a.te)|DB is missing' \
		'hone_add_kernels(dense SOURCE a.te DB b FALBACK)|FALBACK' \
		'find_package(hone 9 REQUIRED)|version'; do
		words=${call#*|}
		mkdir -p refused
		printf 'cmake_minimum_required(VERSION 3.20)\nproject(x NONE)\nfind_package(hone 0.2 REQUIRED)\n%s\n%s\n' \
			'add_custom_target(dense)' "${call%|*}" >refused/CMakeLists.txt
		says "$words" cmake -S refused -B refused/build
	done
}

# The library by hone.pc, as a program of its user gets it.
pkg_config_is_right()
{
	test "$(pkg-config --modversion hone)" = "$("$build/hone" --version | awk '{ print $NF; exit }')" ||
		fail "hone.pc has another version than hone"
	test -x "$(pkg-config --variable=program hone)" || fail "hone.pc: there is no program"
	# shellcheck disable=SC2046
	does "${CC:-cc}" -o run_model "$src/examples/run_model.c" $(pkg-config --cflags --libs hone)
}

install_links
page_is_the_project
cp -r "$src/examples/dense" "$work"
chmod -R u+w "$work"
cd "$work" || exit 99
if command -v cmake >/dev/null; then
	run_page
else
	echo "SKIP: kernels in CMake projects: no cmake here (package cmake)"
	run_page '## With CMake'
fi
pkg_config_is_right
if command -v cmake >/dev/null; then
	cmake_builds 'Unix Makefiles' 'of make'
	if command -v ninja >/dev/null; then
		cmake_builds Ninja 'of ninja'
	else
		echo "SKIP: kernels in projects of Ninja: no ninja here (package ninja-build)"
	fi
	cmake_notices 'of make'
	cmake_refuses
fi
make_notices
exit 0
