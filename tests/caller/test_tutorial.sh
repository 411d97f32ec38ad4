#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# docs/tutorial.md as a reader goes through it: each block of commands in turn, in a fresh folder, with hone as it is
# installed. All have to succeed, and to print what the page shows. Run by make check in the build folder.
src=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-tutorial.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
build=$PWD
page=docs/tutorial.md

# shellcheck source=tests/caller/page.sh
. "$src/tests/caller/page.sh"

# What is known of the device need not be probed again; all else is as on a first day.
fresh_cache()
{
	mkdir -p "$dir/cache/hone"
	cp "${XDG_CACHE_HOME:-$HOME/.cache}"/hone/device-*.json "$dir/cache/hone" 2>/dev/null
	export XDG_CACHE_HOME=$dir/cache
}

# run FILE LINE: the block of commands that begins in this line of the page.
run()
{
	local text=$dir/blocks/${1%.sh}.text

	bash -e -o pipefail "$dir/blocks/$1" >"$dir/out" 2>&1 </dev/null || fail "$page:$2: a command fails"
	test ! -f "$text" || prints "$text" "$dir/out" || fail "$page:$2: it prints something else than the page says"
}

without=
if ! command -v cmake >/dev/null; then
	echo "SKIP: the tutorial's section on CMake: no cmake here (package cmake)"
	without='### With CMake'
fi
if "$build/hone" export --db none -o x.tar.gz 2>&1 | grep -q 'without libarchive'; then
	echo "SKIP: the tutorial: hone was built without libarchive (apt-get install libarchive-dev)"
	exit 77
fi
install_links
fresh_cache
mkdir "$dir/blocks" "$dir/work"
blocks "$src/$page" "$dir/blocks" "$without"
export EXAMPLES=$src/examples
cd "$dir/work" || exit 99
n=0
while read -r block line <&5; do
	run "$block" "$line"
	n=$((n + 1))
done 5<"$dir/blocks/lines"
test "$n" -ge 15 || fail "only $n blocks of commands are found in $page"
exit 0
