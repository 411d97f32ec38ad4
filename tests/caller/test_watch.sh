#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# hone status --watch: in a terminal (of tmux) a full screen that follows a campaign, takes its size and keys, and
# leaves the terminal as it was however it ends; blocks of text anywhere else. Run by make check in the build folder.
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-watch.XXXXXX") || exit 99
export TMUX_TMPDIR=$dir LC_ALL=C.UTF-8
unset TMUX
mux() { tmux -L hone -f /dev/null "$@"; }
trap 'mux kill-server 2>/dev/null; rm -rf "$dir"' EXIT
db=$dir/t.db
bad=0
complain() { echo "$*"; bad=1; }

# until COMMAND...: waits for it to succeed; a minute is no figure of hone's.
until_true()
{
	for _ in $(seq 600); do
		"$@" && return
		sleep 0.1
	done
	return 1
}

tune() { ./hone tune matmul:m=16,n=16,k=16 --db "$db" --trials "$1" --batch 2 --quiet >"$dir/tune" 2>&1 </dev/null ||
	{ cat "$dir/tune"; exit 1; }; }

# --- no terminal: a block, and another one when something has changed; the end is that of the campaign
./hone status --db "$db" --watch >"$dir/blocks" 2>"$dir/err" </dev/null &
pid=$!
until_true grep -q 'no campaign yet' "$dir/blocks" || complain "nothing before the file is there"
tune 4
wait $pid || complain "status $? behind the campaign's end"
grep -q '^matmul:m=16,n=16,k=16 (campaign 1): done' "$dir/blocks" || complain "the last block is not of the end"
grep -q $'\033' "$dir/blocks" && complain "escapes in a file"
test "$(grep -c '^matmul:m=16,n=16,k=16' "$dir/blocks")" -le 12 || complain "blocks without a change"

if ! command -v tmux >/dev/null; then
	echo "SKIP: test_watch.sh: the full screen: no tmux; apt install tmux"
	exit $bad
fi
if ! ./hone status --help | grep -q -- --watch || ! grep -q 'define HAVE_NCURSESW 1' config.h; then
	echo "SKIP: test_watch.sh: the full screen: built without ncurses; apt install libncurses-dev"
	exit $bad
fi

shown() { mux capture-pane -p -t w 2>/dev/null; }
shows() { shown | grep -q -- "$1"; }
# Is the last of N rows the line of keys?
keys_at() { test "$(shown | sed -n "$1p" | grep -c 'q quit')" = 1; }
expect() { until_true "$@" || { complain "not: $*"; shown | sed 's/^/    /'; }; }

mux new-session -d -s stay 'exec sleep 1000'	# so that the server does
# watch ARGUMENT...: in a new window of 80 x 24; its process id is in $dir/pid.
watch()
{
	rm -f "$dir/pid" "$dir/after"
	mux kill-session -t w 2>/dev/null
	mux new-session -d -x 80 -y 24 -s w "sh -c 'echo \$\$ >$dir/pid; exec ./hone status --db $db --watch $*'; \
		echo ended \$?; stty -a >$dir/after; exec sleep 1000"
	until_true test -s "$dir/pid" || complain "tmux starts nothing"
}

# ended STATUS: so it did, and the terminal is as it was.
ended()
{
	expect shows "^ended $1\$"
	expect test -s "$dir/after"
	test "$(mux display -p -t w '#{alternate_on}#{cursor_flag}')" = 01 || complain "$2: the screen is not left"
	for mode in icanon echo isig icrnl opost; do
		grep -qw -- "$mode" "$dir/after" || complain "$2: the terminal is not in its mode $mode"
	done
}

watch
expect keys_at 24
expect shows 'campaign 1'
test "$(mux display -p -t w '#{alternate_on}')" = 1 || complain "no full screen"
mux resize-window -t w -x 120 -y 40
expect keys_at 40
expect shows 'GFLOP/s'
mux resize-window -t w -x 30 -y 8
expect keys_at 8
mux resize-window -t w -x 80 -y 24
expect keys_at 24

# it follows a campaign while that is at work; what is paused does not
trials() { shown | sed -n 's/^  trials *\([0-9]*\) .*/\1/p'; }
more() { test "$(trials)" -gt "$1"; }
before=$(trials)
tune 8
expect more "$before"
mux send-keys -t w '?'
expect shows '^Columns'
mux send-keys -t w '?'
expect shows 'best us'
mux send-keys -t w s
expect shows 'best usv'
mux send-keys -t w p
expect shows '^paused'
mux send-keys -t w q
ended 0 q

# however it ends
watch
expect keys_at 24
kill -TERM "$(cat "$dir/pid")"
ended 0 SIGTERM
watch
expect keys_at 24
mux send-keys -t w C-c
ended 0 Ctrl-C
watch
expect keys_at 24
kill -SEGV "$(cat "$dir/pid")"
ended 139 SIGSEGV

# an error is said behind the screen
watch
expect keys_at 24
mv "$db" "$dir/kept.db"
echo none >"$db"
ended 3 'an error'
expect shows 'hone: '
mv "$dir/kept.db" "$db"

# with the campaign
watch matmul:m=16,n=16,k=16 --until-done
expect keys_at 24
tune 10
ended 0 --until-done

# where there is no full screen to be had, blocks
mux kill-session -t w
mux new-session -d -x 80 -y 24 -s w "TERM=dumb ./hone status --db $db --watch; exec sleep 1000"
expect shows 'campaign 1'
shows 'q quit' && complain "a full screen on a dumb terminal"
exit $bad
