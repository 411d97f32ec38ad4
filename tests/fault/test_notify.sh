#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone tune --notify: the command hears how the campaign ends, and its own failure is only a
# warning. Run by make check in the build folder.
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-notify.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0
mm=matmul:m=8,n=8,k=8

# tunes STATUS NOTICE COMMAND ARGUMENT...: hone ends with STATUS, and COMMAND wrote NOTICE.
tunes()
{
	want=$1 notice=$2 command=$3
	shift 3
	rm -f "$dir/notice"
	./hone tune $mm --db "$dir/t.db" --notify "$command" "$@" >"$dir/out" 2>"$dir/err" </dev/null
	rc=$?
	if test $rc -ne "$want"; then
		echo "hone tune $*: exit status $rc instead of $want"
	elif test "$(cat "$dir/notice" 2>/dev/null)" != "$notice"; then
		echo "hone tune $*: the notice is '$(cat "$dir/notice")', not '$notice'"
	else
		return
	fi
	sed 's/^/    /' "$dir/err"
	bad=1
}

says='printf "%s|%s|%s|%s" "$HONE_EVENT" "$HONE_SOURCE" "$HONE_TRIALS" "$HONE_WHY"'
tunes 0 "done|$mm|4|--trials 4" "$says >'$dir/notice'" --trials 4
tunes 0 "$dir/t.db" "echo \$HONE_DB >'$dir/notice'; exit 3" --trials 4
grep -q 'hone: --notify: exit status 3' "$dir/err" || { echo "no warning"; bad=1; }
tunes 0 '"name":"'$mm'"' "echo \"\$HONE_BEST\" | grep -o '\"name\":\"$mm\"' >'$dir/notice'" \
	--trials 4 --quiet
tunes 3 failed "echo \$HONE_EVENT >'$dir/notice'; echo \$HONE_WHY >'$dir/why'" --cc "$dir/no-such-cc"
grep -q 'cannot run the compiler' "$dir/why" || { echo "no reason: $(cat "$dir/why")"; bad=1; }
exit $bad
