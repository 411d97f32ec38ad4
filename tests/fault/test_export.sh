#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is exported comes back: logs, byte by byte, and archives, which build and check themselves where there is no hone.
# What does not fit is told record by record; what is damaged or hostile is refused. Run by make check in the build folder.
top=${srcdir:-$(dirname "$0")/../..}
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-export.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0
op=relu:n=1000

. "$top/tests/fault/ends.sh"

# must WHAT COMMAND...
must()
{
	what=$1
	shift
	"$@" >"$dir/out" 2>&1 && return
	echo "$what"
	sed 's/^/    /' "$dir/out"
	bad=1
}

cat >"$dir/net.graph" <<'END'
graph net
fn @main(%x: f32[1000]) -> f32[1000] {
	%r = relu(%x)
	return %r
}
END
./hone tune $op --db "$dir/t.db" --trials 6 >"$dir/out" 2>&1 || { cat "$dir/out"; exit 1; }

# --- logs
ends 0 'records written' export --db "$dir/t.db" -o "$dir/t.jsonl"
ends 0 'records written' export $op --db "$dir/t.db" -o "$dir/same.jsonl"
must 'a log of the only operator is that of the database' cmp "$dir/t.jsonl" "$dir/same.jsonl"
ends 0 '1 record written' export $op --db "$dir/t.db" --top 1 --format log -o "$dir/top"
ends 3 'has no record of' export matmul:m=3,n=3,k=3 --db "$dir/t.db" -o "$dir/none.jsonl"
ends 2 'only a log' export --db "$dir/t.db" -o "$dir/kernels"
ends 2 'a folder has 100 C files' export $op --db "$dir/t.db" -o "$dir/kernels" --top 101
ends 0 'hone_' export $op --db "$dir/t.db" -o "$dir/best3" --top 3
test "$(ls "$dir"/best3/hone_*_2.c | wc -l)" -eq 1 || { echo "the second best is no file"; ls "$dir/best3"; bad=1; }
test "$(grep -c '"rank"' "$dir/best3/manifest.json")" -ge 2 || { echo "the manifest has no ranks"; bad=1; }
ends 0 '(0 were there), 0 do not fit' import "$dir/t.jsonl" --db "$dir/u.db"
ends 0 ' 0 records imported' import "$dir/t.jsonl" --db "$dir/u.db"
ends 0 ' 0 records imported' import "$dir/t.jsonl" --db "$dir/t.db"
ends 0 sound db check "$dir/u.db"
./hone export --db "$dir/u.db" -o "$dir/u.jsonl" >/dev/null
must 'a log that came back is another' cmp "$dir/t.jsonl" "$dir/u.jsonl"
sed 's/"trial":[0-9]*/"trial":-1/' "$dir/t.jsonl" >"$dir/old.jsonl"
ends 0 ', 0 do not fit' import "$dir/old.jsonl" --db "$dir/old.db"
for command in "best $op --db" "show $op --db" 'db stats'; do
	# shellcheck disable=SC2086
	ends 0 imported $command "$dir/u.db"
done
./hone best $op --db "$dir/t.db" >"$dir/out"
grep -q imported "$dir/out" && { echo 'what was measured here is called imported'; bad=1; }

# measured here, it is imported no longer
must 'a campaign over what was imported' ./hone tune $op --db "$dir/u.db" --trials 4
./hone best $op --db "$dir/u.db" >"$dir/out"
grep -q imported "$dir/out" && { echo 'an imported time stands above a measured one'; bad=1; }

# refuses WORDS SED: a line that was changed so
refuses()
{
	sed -n "1{$2;p}" "$dir/t.jsonl" >"$dir/bad.jsonl"
	ends 3 "bad.jsonl:1: not imported: .*$1" import "$dir/bad.jsonl" --db "$dir/bad.db"
}
refuses 'it is no JSON' 's/,/;/'
refuses 'version 7 of logs' 's/"hone_log":1/"hone_log":7/'
refuses 'no number "hone_log"' 's/"hone_log":1/"hone_log":"x"/'
refuses 'it has no "steps"' 's/"steps":/"stairs":/'
refuses '"threads" cannot be "two"' 's/"threads":1/"threads":"two"/'
refuses 'number of threads cannot be' 's/"threads":1/"threads":0/'
refuses "the target 'mips'" 's/"target":"[^"]*"/"target":"mips"/'
refuses "cache state is 'hot'" 's/"cache":"[^"]*"/"cache":"hot"/'
refuses 'the hash of its steps is wrong' 's/"steps_hash":"./"steps_hash":"x/'
refuses 'not that of its text' 's/"task":"[0-9a-f]\{4\}/"task":"0000/'
refuses 'none that this hone knows' 's/"text":"/&?/'
refuses '"status" cannot be "great"' 's/"status":"[^"]*"/"status":"great"/'
refuses 'seq' 's/"seq":[0-9]*/"seq":9223372036854775807/'
refuses 'of a code generator' 's/"toolchain":"/&offload /'
head -c 300 "$dir/t.jsonl" >"$dir/bad.jsonl"
ends 3 ':1: not imported: the log ends inside' import "$dir/bad.jsonl" --db "$dir/bad.db"
printf 'junk\n' >"$dir/mixed.jsonl"
cat "$dir/t.jsonl" >>"$dir/mixed.jsonl"
ends 3 'mixed.jsonl: [1-9][0-9]* records imported .* 1 do not fit' import "$dir/mixed.jsonl" --db "$dir/bad.db"
ends 3 'none.jsonl' import "$dir/none.jsonl" --db "$dir/bad.db"
: >"$dir/empty.jsonl"
ends 0 ' 0 records' import "$dir/empty.jsonl" --db "$dir/bad.db"

# --- archives
if ./hone export $op --db "$dir/t.db" -o "$dir/op.tar.gz" 2>&1 | grep -q 'without libarchive'; then
	echo 'SKIP: archives: hone was built without libarchive (apt-get install libarchive-dev)'
	exit $bad
fi
for ending in tar.gz tar.zst; do
	for i in 1 2; do
		mkdir -p "$dir/$i"
		ends 0 '1 of 1 kernel' export "$dir/net.graph" --db "$dir/t.db" --threads 1 -o "$dir/$i/net.$ending"
	done
	must "a second $ending has other bytes" cmp "$dir/1/net.$ending" "$dir/2/net.$ending"
	ends 0 '[1-9] records imported (0 were there), 0 do not fit' import "$dir/1/net.$ending" --db "$dir/$ending.db"
done
mkdir "$dir/elsewhere" "$dir/bin"
for tool in make cc gcc ld as ar objcopy sed rm sh; do
	ln -s "$(command -v $tool)" "$dir/bin/$tool"
done
tar xzf "$dir/1/net.tar.gz" -C "$dir/elsewhere"
must 'the archive of a model does not build and check itself' \
	env -i PATH="$dir/bin" make -s -C "$dir/elsewhere/net" check
grep -q 'r: 1000 of f32, off by .*: ok' "$dir/out" || { cat "$dir/out"; bad=1; }
# the check can fail
head -c 4000 /dev/zero | tr '\0' '\101' >"$dir/elsewhere/net/check/want_0.bin"
env -i PATH="$dir/bin" make -s -C "$dir/elsewhere/net" check >"$dir/out" 2>&1 && { echo 'wrong results pass'; bad=1; }
grep -q WRONG "$dir/out" || bad=1

# pack ENDS...: the folder net, as it is now, is refused
refused()
{
	tar czf "$dir/bad.tar.gz" -C "$dir/elsewhere" net
	ends 3 "nothing is taken of it: .*$1" import "$dir/bad.tar.gz" --db "$dir/none.db"
}
must 'clean' make -s -C "$dir/elsewhere/net" clean
refused 'want_0.bin that is not the one of its manifest'
rm "$dir/elsewhere/net/check/want_0.bin"
refused 'lacks the file check/want_0.bin'
ln -s /etc/passwd "$dir/elsewhere/net/check/want_0.bin"
refused 'no file, such as a link'
head -c 2000 "$dir/1/net.tar.gz" >"$dir/bad.tar.gz"
ends 3 'nothing is taken of it: .*truncated' import "$dir/bad.tar.gz" --db "$dir/none.db"
echo '../../x' >"$dir/x"
tar czPf "$dir/bad.tar.gz" -C "$dir" --transform 's|x|net/../../x|' x 2>/dev/null
ends 3 'leads out of its folder' import "$dir/bad.tar.gz" --db "$dir/none.db"
tar czPf "$dir/bad.tar.gz" "$dir/x" 2>/dev/null
ends 3 'absolute name' import "$dir/bad.tar.gz" --db "$dir/none.db"
exit $bad
