#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/summary counts, names what was skipped, and takes no skipping in silence. Run by make check.
summary=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/summary
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-summary.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 99
bad=0

# result NAME VERDICT TEXT: as a test leaves it.
result()
{
	echo ":test-result: $2" >"$1.trs"
	printf '%b' "$3" >"$1.log"
}

# says STATUS LAST_LINE LINE NAME...: of the results NAME.
says()
{
	status=$1 last=$2 line=$3
	shift 3
	"$summary" "$@" >out
	rc=$?
	test $rc -eq "$status" || { echo "$*: exit status $rc instead of $status"; bad=1; }
	test "$(tail -n 1 out)" = "$last" || { echo "$*: ends with '$(tail -n 1 out)'"; bad=1; }
	grep -qF -e "$line" out || { echo "$*: no line '$line'"; bad=1; }
}

result good PASS '[       OK ] a\n'
result part PASS '[ RUN      ] a\nSKIP: peer: not built\nSKIP: peer: not built\n[       OK ] a
[ RUN      ] b\nSKIP: b: no data\n[  SKIPPED ] b\n[  SKIPPED ] 1 test(s), listed below:\n'
result later PASS '[ RUN      ] a\nSKIP: a: no disk\n[  SKIPPED ] a
[ RUN      ] b\n[       OK ] b\n[  SKIPPED ] 1 test(s), listed below:\n'
result whole SKIP 'SKIP: all of it: no disk\n'
result wrong FAIL '[  FAILED  ] a\n'
result crash ERROR ''
result silent PASS '[ RUN      ] a\nSKIP: peer: not built\n[       OK ] a\n[ RUN      ] c\n[  SKIPPED ] c\n'
result nothing SKIP ''
says 0 'tests: 1 passed, 0 failed, 0 skipped' tests: good.trs
says 0 'tests: 2 passed, 0 failed, 3 skipped' 'skipped: part: b: no data' good.trs part.trs whole.trs
says 0 'tests: 1 passed, 0 failed, 1 skipped' 'skipped: later: a: no disk' later.trs
says 0 'tests: 0 passed, 2 failed, 0 skipped' tests: wrong.trs crash.trs
says 0 'tests: 0 passed, 1 failed, 0 skipped' '    [  FAILED  ] a' wrong.trs
says 1 'tests: 1 passed, 0 failed, 1 skipped' 'silent: c: skipped without a reason' silent.trs
says 1 'tests: 0 passed, 0 failed, 0 skipped' 'nothing: skipped without a reason' nothing.trs
exit $bad
