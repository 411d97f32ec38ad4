#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# hone status --serve: who gets in and who does not, what may be asked, events when the database changes, and the
# page in a browser. Run by make check in the build folder.
srcdir=${srcdir:-$(dirname "$0")/../..}
if ! grep -q 'define HAVE_MICROHTTPD 1' config.h; then
	echo "SKIP: test_serve.sh: built without libmicrohttpd; apt install libmicrohttpd-dev"
	exit 77
fi
if ! command -v curl >/dev/null; then
	echo "SKIP: test_serve.sh: no curl; apt install curl"
	exit 77
fi
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-serve.XXXXXX") || exit 99
db=$dir/t.db
bad=0 server='' listener=''
trap 'kill $server $listener 2>/dev/null; rm -rf "$dir"' EXIT
complain() { echo "$*"; bad=1; }
unset http_proxy HTTP_PROXY all_proxy ALL_PROXY

# until COMMAND...: waits for it to succeed; a minute is no figure of hone's.
until_true()
{
	for _ in $(seq 600); do
		"$@" && return
		sleep 0.1
	done
	return 1
}

# serve ARGUMENT...: $url, $root and $token are what it printed.
serve()
{
	rm -f "$dir/url"
	touch "$dir/url"
	# a shell has jobs in the background ignore SIGINT, nohup what it runs SIGHUP
	env --default-signal=INT,HUP ./hone status --db "$db" --serve "$@" >>"$dir/url" 2>"$dir/err" </dev/null &
	server=$!
	until_true grep -q token "$dir/url" || { cat "$dir/err"; exit 1; }
	url=$(cat "$dir/url") root=${url%%/\?*} token=${url#*token=}
}

# stops NUMBER: so it does by that signal, and says that all is well.
stops()
{
	kill "-$1" $server
	wait $server
	local rc=$?
	test $rc -eq 0 || complain "SIG$1: status $rc instead of 0"
	server=
}

# answers STATUS PATH ARGUMENT...: so does the server; the body is in $dir/body.
answers()
{
	local got wanted=$1 path=$2
	shift 2
	got=$(curl -s -m 60 -D "$dir/head" -o "$dir/body" -w '%{http_code}' "$@" "$root$path")
	test "$got" = "$wanted" || complain "$path $*: $got instead of $wanted"
}

# --- before there is a file
serve
[[ $url =~ ^http://127\.0\.0\.1:[0-9]+/\?token=[0-9a-f]{32}$ ]] || complain "the address is $url"
answers 200 "/?token=$token"
grep -q 'no report yet' "$dir/body" || complain "no word of what is missing"
answers 500 "/report.json?token=$token"
answers 200 "/status.json?token=$token"
test ! -e "$db" || complain "looking made a file"

./hone tune matmul:m=16,n=16,k=16 --db "$db" --trials 4 --batch 2 --quiet >"$dir/tune" 2>&1 ||
	{ cat "$dir/tune"; exit 1; }

# --- who gets in
answers 200 "/?token=$token"
for header in 'Cache-Control: no-store' "Content-Security-Policy: default-src 'none'; script-src 'nonce-" \
	'Referrer-Policy: no-referrer' 'X-Content-Type-Options: nosniff'; do
	grep -qiF "$header" "$dir/head" || complain "no $header"
done
grep -qi '^Access-Control' "$dir/head" && complain "other sites are let in"
grep -q "$token" "$dir/body" && complain "the page tells the token"
wrong=0${token#?}
test "$wrong" = "$token" && wrong=1${token#?}
answers 403 /
answers 403 "/?token=$wrong"
answers 403 "/status.json?token=${token%?}"
answers 403 "/events?token="
answers 403 /nothing
answers 404 "/nothing?token=$token"
answers 404 "/../t.db?token=$token" --path-as-is
answers 421 "/?token=$token" -H 'Host: evil.example'
answers 421 "/?token=$token" -H "Host: evil.example:${root##*:}"
answers 400 "/?token=$token" -H 'Host:' -0
answers 403 "/?token=$token" -H 'Origin: http://evil.example'
answers 405 "/?token=$token" -X POST -d x=1
answers 405 "/?token=$token" -X DELETE
grep -qi '^Allow: GET, HEAD' "$dir/head" || complain "405 does not say what is allowed"
answers 200 "/?token=$token" -I
test ! -s "$dir/body" || grep -q '<html' "$dir/body" && complain "HEAD has a body"
./hone report --db "$db" --json >"$dir/report"
# it may be some seconds old
is_report()
{
	answers 200 "/report.json?token=$token"
	python3 -c 'import json, sys; sys.exit(json.load(open(sys.argv[1])) != json.load(open(sys.argv[2])))' \
		"$dir/body" "$dir/report"
}
until_true is_report || complain "/report.json is another report"
# so may this
has_trials()
{
	answers 200 "/status.json?token=$token"
	grep -q '"trials":4' "$dir/body"
}
until_true has_trials || complain "/status.json lacks the trials"

# --- events
events() { test "$(grep -c '^event: status' "$dir/events")" -ge "$1"; }
curl -s -N -m 120 "$root/events?token=$token" >"$dir/events" &
listener=$!
until_true events 1 || complain "no first event"
grep -q '^event: report' "$dir/events" || complain "no word of the report"
id=$(sed -n 's/^id: //p' "$dir/events" | tail -n 1)
sum=$(sha256sum <"$db")
answers 200 "/?token=$token"
test "$sum" = "$(sha256sum <"$db")" || complain "reading writes"
./hone tune matmul:m=16,n=16,k=16 --db "$db" --trials 6 --batch 2 --quiet >"$dir/tune" 2>&1 </dev/null
later() { test "$(sed -n 's/^id: //p' "$dir/events" | tail -n 1)" -gt "$id" && grep -q '"trials":6' "$dir/events"; }
until_true later || complain "no event after a record was added"
# more than so many are refused, and places are free again when listeners go
many=
for i in $(seq 15); do
	curl -s -N -m 120 "$root/events?token=$token" >"$dir/many.$i" &
	many="$many $!"
done
for i in $(seq 15); do
	until_true grep -q '^event' "$dir/many.$i" || complain "listener $i gets nothing"
done
answers 503 "/events?token=$token" -N
# shellcheck disable=SC2086
kill $many
free() { test "$(curl -s -m 1 -o /dev/null -w '%{http_code}' "$root/events?token=$token")" = 200; }
until_true free || complain "who is gone keeps its place"
stops TERM
wait $listener || complain "a listener is cut off, not told"
listener=

# --- another address, a port that is taken
serve
stops INT
port=${root##*:}
serve --port "$port"
test "${root##*:}" = "$port" || complain "--port $port gives $root"
./hone status --db "$db" --serve --port "$port" >/dev/null 2>"$dir/err"
test $? -eq 3 && grep -q 'Address already in use' "$dir/err" || complain "a port that is taken: $(cat "$dir/err")"
stops HUP
if grep -q '^00000000000000000000000000000001 ' /proc/net/if_inet6 2>/dev/null; then
	serve --ipv6
	[[ $root =~ ^http://\[::1\]:[0-9]+$ ]] || complain "--ipv6 gives $root"
	answers 200 "/?token=$token" -g
	stops TERM
else
	echo "SKIP: test_serve.sh: --ipv6: this machine has no ::1"
fi

# --- a browser
if ! command -v chromium >/dev/null && ! command -v chromium-browser >/dev/null; then
	echo "SKIP: test_serve.sh: the page in a browser: there is none; apt install chromium"
	exit $bad
fi
serve
# each time two more
cat >"$dir/more" <<END
n=\$(cat '$dir/n' 2>/dev/null || echo 6); n=\$((n + 2)); echo \$n >'$dir/n'
exec ./hone tune matmul:m=16,n=16,k=16 --db '$db' --trials \$n --batch 2 --quiet >/dev/null 2>&1
END
python3 "$srcdir/tests/report/live.py" "$url" "sh '$dir/more'" ${HONE_PICTURE:+"$HONE_PICTURE"} ||
	complain "the page is wrong"
stops TERM
exit $bad
