#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Pages of the manual: one for each command that hone --help lists, with all options of its --help, and of its parts'; no
# errors of form, and no line wider than a terminal. Run by make check in the build folder.
top=${srcdir:-$(dirname "$0")/../..}
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-manual.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0

fail()
{
	echo "$*"
	bad=1
}

command -v mandoc >/dev/null || echo 'SKIP: mandoc: pages are not looked at by it, which is not here (package mandoc)'

# No date, for the same sources give the same bytes.
harmless='missing date, using'

# reads_well PAGE: as mandoc sees it; $dir/plain is what is read.
reads_well()
{
	command -v mandoc >/dev/null || return
	mandoc -T lint "$1" | grep -v "$harmless" && fail "$1: is complained of"
	mandoc -T utf8 -O width=80 "$1" | sed 's/.\x08//g' >"$dir/plain"
	LC_ALL=C.UTF-8 awk 'length > 80 { print FILENAME ": " $0; bad = 1 } END { exit bad }' "$dir/plain" ||
		fail "$1: wider than 80 columns"
}

# has SECTION ARGUMENT...: the section of $dir/source (all of it where it is '') has the options of hone ARGUMENT...
has()
{
	section=$1
	shift
	./hone "$@" --help | grep -oE '^ {2,6}(-[a-zA-Z?], )?--[a-z0-9-]+' | grep -oE -- '--?[a-zA-Z?][a-z0-9-]*' >"$dir/options"
	test -s "$dir/options" || fail "hone $* --help has no options"
	awk -v section="$section" '/^\.S[SH]/ { on = section == "" || $0 == section } on' "$dir/source" |
		sed -n '/^-/p' | tr -s ' ,=[' '\n\n\n\n' | grep '^-' >"$dir/said"
	while read -r option; do
		# those of all have no place in a part
		case $section$option in .*--help | .*--usage | .*-\? | .*--suite) continue ;; esac
		grep -qxF -e "$option" "$dir/said" || fail "the page of hone $*: no $option"
	done <"$dir/options"
}

page=man/hone.1
./hone manual >"$dir/hone.1" || exit 1
reads_well "$dir/hone.1"
for c in $(./hone --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
	grep -q "hone.-$c (1)" "$dir/hone.1" || fail "hone(1) does not name hone-$c(1)"
	./hone manual "$c" >"$dir/hone-$c.1" || fail "hone manual $c fails"
	reads_well "$dir/hone-$c.1"
	test ! -f "man/hone-$c.1" || cmp "man/hone-$c.1" "$dir/hone-$c.1" || fail "man/hone-$c.1 is not what hone prints"
	test ! -f $page || test -f "man/hone-$c.1" || fail "no page is made for hone $c"
	for section in NAME SYNOPSIS DESCRIPTION OPTIONS 'EXIT STATUS' EXAMPLES 'SEE ALSO'; do
		grep -qx "\.SH $section" "$dir/hone-$c.1" || fail "hone-$c(1) has no $section"
	done
	sed 's/\\-/-/g; s/\\f[BIR]//g' "$dir/hone-$c.1" >"$dir/source"
	has '' "$c"
	for part in $(./hone "$c" --help | sed -n '/Example/q; s/^  \([a-z]*\) .*/\1/p'); do
		has ".SS hone $c $part" "$c" "$part"
	done
	test "$c" = bench || continue
	for suite in $(sed -n 's/^X(\([a-z]*\))/\1/p' "$top/bench/suites.def"); do
		# the first is the command's own
		test "$suite" = peers || has ".SS $suite" bench --suite "$suite"
	done
done
exit $bad
