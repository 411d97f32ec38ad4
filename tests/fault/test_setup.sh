#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench/contest/setup: where its environment is, and what it refuses, each with its reason. Nothing
# is installed.
setup=${srcdir:-$(dirname "$0")/../..}/bench/contest/setup
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
failed=0

check() {
	what=$1 want=$2 got=$3
	case $got in
	*"$want"*) ;;
	*) echo "FAIL: $what: '$got', not '$want'"; failed=1 ;;
	esac
}

# run STATUS WHAT PART-OF-ITS-MESSAGE COMMAND...
run() {
	status=$1 what=$2 want=$3
	shift 3
	got=$("$@" 2>&1)
	rc=$?
	[ $rc -eq "$status" ] || { echo "FAIL: $what: status $rc, not $status"; failed=1; }
	check "$what" "$want" "$got"
}

run 0 "its own variable" "$tmp/venv" env HONE_CONTEST_VENV="$tmp/venv" "$setup" --where
run 0 "the data folder" "$tmp/hone/contest" \
	env -u HONE_CONTEST_VENV XDG_DATA_HOME="$tmp" "$setup" --where
run 0 "the home folder" "$tmp/.local/share/hone/contest" \
	env -u HONE_CONTEST_VENV -u XDG_DATA_HOME HOME="$tmp" "$setup" --where
run 2 "an unknown option" "Usage: bench/contest/setup" "$setup" --what
run 3 "no interpreter" "there is no $tmp/none" \
	env HONE_CONTEST_VENV="$tmp/venv" PYTHON="$tmp/none" "$setup"

printf '#!/bin/sh\n[ "$1" = -V ] && echo Python 3.5 && exit\nexit 1\n' >"$tmp/old"
chmod +x "$tmp/old"
run 3 "an old interpreter" "Python 3.11 to 3.13 is needed" \
	env HONE_CONTEST_VENV="$tmp/venv" PYTHON="$tmp/old" "$setup"

printf '#!/bin/sh\nexit 0\n' >"$tmp/any"
chmod +x "$tmp/any"
mkdir "$tmp/mine" && touch "$tmp/mine/file"
run 3 "a folder of somebody's" "is no virtual environment" \
	env HONE_CONTEST_VENV="$tmp/mine" PYTHON="$tmp/any" "$setup"
[ -f "$tmp/mine/file" ] || { echo "FAIL: somebody's folder was cleared"; failed=1; }

# what is complete is left alone, without an interpreter to make it
mkdir -p "$tmp/done/bin"
cp "$tmp/any" "$tmp/done/bin/python"
cp "$(dirname "$setup")/requirements.txt" "$tmp/done"
run 0 "a complete one" "is complete" \
	env HONE_CONTEST_VENV="$tmp/done" PYTHON="$tmp/none" "$setup"
exit $failed
