# SPDX-License-Identifier: Apache-2.0
# For tests of the command line that read it with `.`: $dir is a folder of theirs, and $bad becomes 1.
# shellcheck shell=sh

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
