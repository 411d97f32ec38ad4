#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone tune --device: campaigns on a simulated accelerator are the same each time, whatever the strategy, and where one was
# interrupted; their kernels are found, shown and run again; what is wrong is said. Run by make check in the build folder.
top=${srcdir:-$(dirname "$0")/../..}
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-simulated.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0
conv=conv2d:ic=32,h=8,w=8,oc=32,k=3,p=1,layout=nchw16c,dtype=i8,bias=1,act=relu,shift=8
long=conv2d:ic=64,h=28,w=28,oc=64,k=3,p=1,layout=nchw16c,dtype=i8,bias=1,act=relu,shift=8

. "$top/tests/fault/ends.sh"

# tunes ARGUMENT...: `hone tune ARGUMENT...` succeeds
tunes()
{
	./hone tune "$@" --quiet >"$dir/out" 2>&1 && return
	echo "hone tune $* fails"
	sed 's/^/    /' "$dir/out"
	bad=1
}

# records DB: what DB has, without when that was and how long it took
records()
{
	./hone export --db "$1" -o "$dir/log.jsonl" >/dev/null || bad=1
	python3 -c '
import json, sys
for line in open(sys.argv[1]):
    record = json.loads(line)
    for key in "build_ms", "run_ms", "created", "campaign":
        record.pop(key, None)
    print(json.dumps(record, sort_keys=True))' "$dir/log.jsonl"
}

# same DB DB: their records
same()
{
	records "$1" >"$dir/one"
	records "$2" >"$dir/other"
	cmp -s "$dir/one" "$dir/other" && test -s "$dir/one" && return
	echo "$1 and $2 differ, or have no records:"
	diff "$dir/one" "$dir/other" | cut -c1-300 | sed -n 's/^/    /;1,8p'
	bad=1
}

# --- twice the same
for search in evolve anneal; do
	for db in "$dir/$search.1.db" "$dir/$search.2.db"; do
		tunes $conv --device vdla --db "$db" --trials 64 --seed 5 --search $search
	done
	same "$dir/$search.1.db" "$dir/$search.2.db"
done
cmp -s "$dir/evolve.1.db" "$dir/anneal.1.db" && { echo 'two strategies are one'; bad=1; }
for db in "$dir/learned.1.db" "$dir/learned.2.db"; do
	tunes $conv --device vdla --db "$db" --trials 96 --seed 5 --cost-model xgboost
done
same "$dir/learned.1.db" "$dir/learned.2.db"
tunes $conv --device vdla --db "$dir/learned.1.db" --trials 96 --seed 5
ends 0 '^ *2 done ' campaigns --db "$dir/learned.1.db"
ends 2 'hone partition .*tiny_cnn.onnx --backend vdla=db=' tune "$top/examples/tiny_cnn.onnx" --device vdla --db "$db"
ends 2 'there is no such model; there are: analytic' tune $conv --device vdla --db "$db" --cost-model wise

# --- interrupted behind some records, it goes on to what it would have come to
tunes $long --device vdla --db "$dir/whole.db" --trials 144
./hone tune $long --device vdla --db "$dir/parts.db" --trials 144 --quiet 2>"$dir/err" &
pid=$!
for i in $(seq 600); do
	test -f "$dir/parts.db" && ./hone export --db "$dir/parts.db" -o "$dir/some.jsonl" >/dev/null 2>&1 &&
		test "$(wc -l <"$dir/some.jsonl")" -ge 16 && break
	sleep 0.05
done
kill -TERM $pid
wait $pid
status=$?
test $status = 75 || { echo "it ends with status $status after SIGTERM"; cat "$dir/err"; bad=1; }
tunes $long --device vdla --db "$dir/parts.db" --trials 144
same "$dir/whole.db" "$dir/parts.db"
ends 0 '^ *1 done ' campaigns --db "$dir/parts.db"
grep -q '^ *2 ' "$dir/out" && { echo 'it did not go on'; bad=1; }

# --- what was found
db=$dir/evolve.1.db
ends 0 '^conv2d .* 4 *64 ' best $conv --device vdla --db "$db"
ends 0 '"confirmed": true' best $conv --device vdla --db "$db" --json
ends 0 'of another device' best $conv --db "$db"
ends 0 '^	*inputs ' show $conv --device vdla --db "$db" --stage nest
ends 0 'hone simulator 1 target=vdla' show $conv --device vdla --db "$db" --stage steps
ends 0 '^vthread\|; vthread' show $conv --device vdla --db "$db" --stage steps
ends 0 '^gemm ' show $conv --device vdla --db "$db" --stage asm
cycles=$(awk '/^# record/ { printf "%.0f", $4 * 200 }' "$dir/out")
cp "$dir/out" "$dir/best.vdla"
ends 0 "^cycles  *$cycles, .* us at 200 MHz" vdla run "$dir/best.vdla"
ends 0 'records written' export $conv --device vdla --db "$db" -o "$dir/found.jsonl"
ends 3 'no C: .*hone show --stage asm' export $conv --device vdla --db "$db" -o "$dir/found"

# --- another machine is another device
printf '# twice as fast\nclock_mhz 400\ndma_bytes 32\n' >"$dir/fast"
tunes $conv --device "$dir/fast" --db "$db" --trials 32
ends 0 ' 4 *32 *0 ' best $conv --device "$dir/fast" --db "$db"
ends 0 '^dma_bytes 32' show $conv --device "$dir/fast" --db "$db" --stage asm

# --- what is wrong
printf 'clock_mhz 100\ninput_bytes 5000\n' >"$dir/odd"
printf '\nbytes 5000\n' >"$dir/unknown"
ends 2 "$dir/odd:2:17: input_bytes: a whole number from 4096 to 16777216, a power of two" tune $conv --device "$dir/odd" --db "$db"
ends 2 "$dir/unknown:2:1: expected a field of a machine (clock_mhz .* link_bytes)" best $conv --device "$dir/unknown" --db "$db"
ends 2 'none: cannot open.*give vdla, or a file' tune $conv --device "$dir/none" --db "$db"
ends 2 'give --device vdla instead' tune $conv --target vdla --db "$db"
ends 2 'give --device vdla instead' best $conv --target vdla --db "$db"
ends 2 'kernels of its own' tune $conv --device vdla --target generic --db "$db"
ends 5 'relu:n=64 has no kernel: .*bytes, are stored' tune relu:n=64 --device vdla --db "$dir/none.db" --trials 8 --quiet
exit $bad
