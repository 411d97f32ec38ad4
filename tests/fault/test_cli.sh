#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Bad input to every command: the exit status says what kind of failure it is (2 usage, 3 failure),
# the message what is wrong and where; nothing crashes. Run by make check in the build folder.
commands=${srcdir:-$(dirname "$0")/../..}/tools/commands.def
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-cli.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0
mm=matmul:m=8,n=8,k=8

# fails STATUS TEXT ARGUMENT...: hone ends with STATUS and says TEXT on stderr.
fails()
{
	want=$1 text=$2
	shift 2
	./hone "$@" >"$dir/out" 2>"$dir/err" </dev/null
	rc=$?
	if test $rc -ne "$want"; then
		echo "hone $*: exit status $rc instead of $want"
	elif ! grep -qF -e "$text" "$dir/err"; then
		echo "hone $*: does not say '$text'"
	else
		return
	fi
	sed 's/^/    /' "$dir/err"
	bad=1
}

# --- every command: help with an example; what it does not know is a usage error
for c in $(sed -n 's/^X(\([a-z]*\)).*/\1/p' "$commands"); do
	./hone "$c" --help >"$dir/out" 2>&1 || { echo "hone $c --help fails"; bad=1; }
	grep -q 'Example' "$dir/out" || { echo "hone $c --help has no example"; bad=1; }
	./hone --help | grep -q "^  $c " || { echo "hone --help lacks $c"; bad=1; }
	fails 2 'unrecognized option' "$c" --no-such-option
done
fails 2 'Usage: hone COMMAND'
fails 2 "there is no command 'odd'" odd
fails 2 'takes no argument' doctor odd
fails 2 "there is no operator 'odd'" ops odd
fails 2 'which SOURCE' tasks
fails 2 'give check, stats, merge, prune or upgrade' db
fails 2 'which FILE?' db check
fails 2 'give run, disassemble, assemble or trace' vdla
fails 2 'which FILE?' vdla run
fails 2 'give bash or zsh' completion
fails 2 'takes no argument' completion bash odd
fails 2 "there is no command 'odd'" manual odd
fails 2 'one COMMAND at a time' manual tune best
fails 2 'which database?' status
fails 2 'which database?' report
fails 2 'a report is of a database' report $mm --db "$dir/x"
fails 2 'one SOURCE at a time' status $mm $mm --db "$dir/x"
fails 2 "there is no 'odd'" db odd "$dir/x"
fails 2 "there is no 'odd'" completion odd
for c in tune best show export bench; do
	test $c = export || fails 2 'which SOURCE?' $c	# a log is of the whole database
	fails 2 'which database?' $c $mm
	fails 2 'one SOURCE at a time' $c $mm $mm --db "$dir/x"
done

# --- files to be wrong with
printf 'input A: f32[4]\nB[i] = A[i] +* 2\n' >"$dir/syntax.te"
printf 'input A: f32[4]\nB[i < 8] = A[i]\n' >"$dir/bounds.te"
printf 'a text, and no database at all' >"$dir/text"
printf '900000 x %s\n' "$mm" >"$dir/long.tasks"
: >"$dir/empty.te"
: >"$dir/empty.onnx"
head -c 3000 /dev/zero | tr '\0' '\377' >"$dir/noise.onnx"
printf '# two\nrelu:n=3\nodd:n=3\n' >"$dir/odd.tasks"
printf '0 x relu:n=3\n' >"$dir/weight.tasks"
printf 'relu:n=3\n\n2 x syntax.te\n' >"$dir/syntax.tasks"
printf 'relu:n=3\000\n' >"$dir/zero.tasks"
: >"$dir/empty.tasks"
mkdir "$dir/folder" "$dir/folder.te"
# makes the database, before it looks for the compiler
fails 3 'cannot run the compiler' tune $mm --db "$dir/good.db" --cc "$dir/no-such-cc"

# --- databases
for c in best show bench "export -o $dir/kernels"; do
	fails 3 'there is no file' $c $mm --db "$dir/missing.db"
done
fails 3 'there is no file' db check "$dir/missing.db"
fails 3 'there is no file' status --db "$dir/missing.db"
fails 3 'there is no file' report --db "$dir/missing.db"
fails 3 'has no device' report --db "$dir/good.db"
fails 3 "has no campaign for '$mm'" status $mm --db "$dir/good.db"
fails 3 'cannot write in the folder' tune $mm --db "$dir/missing/x.db"
for c in tune best show bench "export -o $dir/kernels" status report "db check" "db stats"; do
	option=--db
	case $c in db*) option= ;; esac
	source=$mm
	case $c in db* | status | report) source= ;; esac
	fails 3 'is no database' $c $source $option "$dir/text"
	fails 3 'is a folder' $c $source $option "$dir/folder"
done

# --- sources
for c in tune best show bench "export -o $dir/kernels"; do
	fails 3 "there is no operator 'odd'" $c odd:m=3 --db "$dir/good.db"
	fails 3 'n is missing' $c matmul:m=3 --db "$dir/good.db"
	fails 3 'm=0 is not' $c matmul:m=0,n=1,k=1 --db "$dir/good.db"
	fails 3 'syntax.te:2:14: expected' $c "$dir/syntax.te" --db "$dir/good.db"
	fails 3 'bounds.te: B: index 0 of A' $c "$dir/bounds.te" --db "$dir/good.db"
	fails 3 'computes nothing' $c "$dir/empty.te" --db "$dir/good.db"
	fails 3 'missing.te: cannot open' $c "$dir/missing.te" --db "$dir/good.db"
	fails 3 'not a regular file' $c "$dir/folder.te" --db "$dir/good.db"
	fails 3 'a SOURCE is' $c "$dir/folder" --db "$dir/good.db"
	fails 3 'a SOURCE is' $c '' --db "$dir/good.db"
	fails 3 "odd.tasks:3: there is no operator 'odd'" $c "$dir/odd.tasks" --db "$dir/good.db"
	fails 3 "weight.tasks:1: the weight '0'" $c "$dir/weight.tasks" --db "$dir/good.db"
	fails 3 'syntax.te:2:14: expected' $c "$dir/syntax.tasks" --db "$dir/good.db"
	fails 3 'syntax.tasks:3: ' $c "$dir/syntax.tasks" --db "$dir/good.db"
	fails 3 'holds a zero byte' $c "$dir/zero.tasks" --db "$dir/good.db"
	fails 3 'lists no task' $c "$dir/empty.tasks" --db "$dir/good.db"
	fails 3 'cannot open' $c missing.tasks --db "$dir/good.db"
	fails 3 'it has no graph' $c "$dir/empty.onnx" --db "$dir/good.db"
	fails 3 'not an ONNX model' $c "$dir/noise.onnx" --db "$dir/good.db"
	fails 3 'cannot open' $c "$dir/missing.onnx" --db "$dir/good.db"
done
fails 3 'not an ONNX model' tasks "$dir/noise.onnx"
fails 3 'cannot open' tasks "$dir/missing.onnx"
fails 3 'a SOURCE is' tasks "$dir/folder"
fails 3 "odd.tasks:3: there is no operator 'odd'" tasks "$dir/odd.tasks"
fails 3 'leaves no dim open' tasks --dim n=1 "$dir/odd.tasks"
printf 'graph t\nfn @main(%%x: f32[2]) {\n\t%%y = odd(%%x)\n\treturn %%y\n}\n' >"$dir/odd.graph"
printf 'graph t\nfn @main(%%x: ?) {\n\treturn %%x\n}\n' >"$dir/unknown.graph"
printf '{"graph": "t", "main": "main"\n' >"$dir/odd.json"
fails 3 'odd.graph:3:7: there is no operator odd' graph "$dir/odd.graph"
fails 3 'odd.json:2:' graph "$dir/odd.json"
fails 3 'cannot open' graph "$dir/missing.graph"
fails 3 'not an ONNX model' graph "$dir/noise.onnx"
fails 3 'is no model' graph $mm
symbols=${srcdir:-$(dirname "$0")/../..}/tests/conformance/cases/symbols/model.onnx
fails 3 "'M': the model has no such open dim; give one of N" graph --dim M=1 "$symbols"
fails 3 '--dim is for ONNX models' graph --dim n=1 "$dir/unknown.graph"
./hone graph --check "$dir/unknown.graph" >"$dir/out"
test $? -eq 3 || { echo 'hone graph --check: a value without a type is no failure'; bad=1; }
fails 3 "'odd' is no pass" graph --after odd "$dir/unknown.graph"
fails 2 'which SOURCE' graph
fails 2 'at a time' graph --text --json "$dir/unknown.graph"
fails 2 'give NAME=SIZE' graph --dim =1 "$dir/unknown.graph"
./hone tasks operators.tasks >"$dir/out" || { echo 'operators.tasks is not found'; bad=1; }
# larger than any machine's memory: refused, not tried
fails 3 'make the operator smaller' tune matmul:m=900000,n=900000,k=900000 --db "$dir/good.db"

# --- numbers and names
for c in tune best show bench "export -o $dir/kernels"; do
	for n in 0 -1 x 1x '' 4294967297; do
		fails 2 "--threads '$n': give" $c $mm --db "$dir/good.db" --threads "$n"
	done
done
fails 3 'more than the' tune $mm --db "$dir/good.db" --threads 60000
for n in 0 -1 x 1.5 99999999999999999999; do
	fails 2 "--trials '$n': give a whole number" tune $mm --db "$dir/good.db" --trials $n
done
for n in 0 -1 nan inf x; do
	fails 2 "--minutes '$n': give a number above 0" tune $mm --db "$dir/good.db" --minutes $n
	fails 2 "--gflops '$n': give a number above 0" tune $mm --db "$dir/good.db" --gflops $n
done
fails 2 "--plateau '0': give a whole number" tune $mm --db "$dir/good.db" --plateau 0
for n in '' 7 25:00 12:60 12:00x '2099-02-30 12:00' '2099-01-01'; do
	fails 2 "--until '$n': write it" tune $mm --db "$dir/good.db" --until "$n"
done
fails 2 'is over' tune $mm --db "$dir/good.db" --until '2001-01-01 00:00'
fails 2 'give 4096 at most' tune $mm --db "$dir/good.db" --batch 999999999
fails 2 "--search 'odd'" tune $mm --db "$dir/good.db" --search odd
fails 2 'a cache is warm, cold or cold-weights' tune $mm --db "$dir/good.db" --cache odd
fails 3 'is no list of cores' tune $mm --db "$dir/good.db" --cpus odd
fails 3 'are not all there' tune $mm --db "$dir/good.db" --cpus 99999
fails 3 'cannot build a shared object' tune $mm --db "$dir/good.db" --cc true
fails 2 '--stage '\''odd'\'': there are' show $mm --db "$dir/good.db" --stage odd
fails 2 'there is no peer' bench $mm --db "$dir/good.db" --peer odd
fails 2 "there is no suite 'odd'" bench --suite odd $mm
fails 2 "whole number" bench --suite features --samples 0 $mm
fails 3 "no operator" bench --suite=features odd:m=1
fails 2 'which way?' bench --suite search $mm
fails 3 'there is no file' bench --suite search --replay "$dir/missing.db"
fails 3 'no records to replay' bench --suite search --replay "$dir/good.db"
fails 2 "--search 'odd'" bench --suite search --search odd
fails 2 'whole number' bench --suite search --hardware --search evolve:0
fails 2 '--ablate is for' bench --suite search --hardware --ablate
fails 2 'with --hardware alone' bench --suite search --replay "$dir/good.db" --search evolve:4
fails 2 'whole number' bench --suite search --seeds 0
sequence="bench --suite sequence"
fails 2 'which SOURCE?' $sequence
fails 2 'which database?' $sequence $mm
fails 2 'a cache is warm, cold or cold-weights' $sequence $mm --db "$dir/good.db" --cache odd
fails 2 'whole number' $sequence $mm --db "$dir/good.db" --seconds 0
fails 3 'there is no file' $sequence $mm --db "$dir/missing.db"
fails 3 "there is no operator 'odd'" $sequence odd:m=3 --db "$dir/good.db"
fails 3 'no task has a kernel with 2 threads' $sequence $mm --db "$dir/good.db" --threads 2
fails 3 'are no sequence' $sequence "$dir/long.tasks" --db "$dir/good.db"
fails 3 'no records to replay' tune $mm --db "$dir/y.db" --replay "$dir/good.db"
fails 2 'where to?' export $mm --db "$dir/good.db"
fails 2 'which SOURCE?' export --db "$dir/good.db" -o "$dir/kernels"
fails 2 'which FILE?' import --db "$dir/good.db"
fails 2 'which database?' import "$dir/x.jsonl"
fails 2 'give c, log or archive' export $mm --db "$dir/good.db" -o "$dir/kernels" --format zip
fails 3 'run hone tune' export $mm --db "$dir/good.db" -o "$dir/kernels"

again="bench --suite again"
fails 2 'which SOURCE?' $again
fails 2 'which database?' $again $mm
fails 3 'there is no file' $again $mm --db "$dir/missing.db"

# --- a winner is measured again; what was never tuned says so
echo "matmul:m=8,n=8,k=9" >"$dir/two.tasks"
echo "matmul:m=8,n=8,k=8" >>"$dir/two.tasks"
./hone tune $mm --db "$dir/again.db" --trials 4 --quiet 2>"$dir/err" &&
	./hone bench --suite again "$dir/two.tasks" --db "$dir/again.db" >"$dir/out" 2>>"$dir/err" ||
	{ echo "hone bench --suite again fails"; cat "$dir/err"; bad=1; }
grep -qE 'FASTER|SLOWER|SAME|UNCLEAR' "$dir/out" && grep -q 'there is no record' "$dir/out" ||
	{ echo "hone bench --suite again has no table"; cat "$dir/out"; bad=1; }

# --- two databases: the same one has no regression
fails 2 'which database?' campaigns list
fails 2 "rename" campaigns rename 1 --db "$dir/again.db"
fails 2 'hone campaigns name CAMPAIGN NAME' campaigns name 1 --db "$dir/again.db"
fails 3 "campaign 'none': " campaigns show none --db "$dir/again.db"
fails 3 'nobody is there to be asked' campaigns delete 1 --db "$dir/again.db"
fails 2 'a name is 1 to 100 characters' tune relu:n=8 --db "$dir/again.db" --name 12
fails 2 'which databases?' compare
fails 2 'which databases?' compare "$dir/again.db"
fails 2 'two sides at a time' compare "$dir/again.db" "$dir/again.db" "$dir/again.db"
fails 2 "--threshold '0': give a number above 0" compare "$dir/again.db" "$dir/again.db" --threshold 0
fails 2 "--format 'xml': there are: table markdown csv json html" compare "$dir/again.db" "$dir/again.db" --format xml
fails 2 "give 'all', or nothing" compare "$dir/again.db" "$dir/again.db" --remeasure=some
fails 3 'there is no file' compare "$dir/again.db" "$dir/missing.db"
fails 3 'is no database' compare "$dir/text" "$dir/again.db"
fails 3 'have no kernel of one task in common' compare "$dir/good.db" "$dir/again.db"
./hone compare "$dir/again.db" "$dir/again.db" >"$dir/out" 2>"$dir/err" && grep -q 'geometric mean of 1' "$dir/out" ||
	{ echo "hone compare fails"; cat "$dir/out" "$dir/err"; bad=1; }

# --- a task that nothing can be verified of is left out, and the others go on
printf 'max_pool:c=16,h=2,w=1,k=1,p=2\n%s\n' $mm >"$dir/padding.tasks"
fails 5 'is left out: ' tune "$dir/padding.tasks" --db "$dir/padding.db" --trials 8
./hone best $mm --db "$dir/padding.db" --json | grep -q '"best_us": [0-9]' ||
	{ echo "the other task has no kernel"; bad=1; }
fails 3 'are NaN or infinite' tune max_pool:c=16,h=2,w=1,k=1,p=2 --db "$dir/padding.db" --trials 8

# --- a compiler that refuses every candidate, of which none computes in f64 as the reference does: the task is
# named, and the exit status says it
cat >"$dir/cc" <<'CC'
#!/bin/sh
for file; do
	case $file in *.c) grep -q hone_ "$file" && ! grep -q double "$file" && { echo nothing like it >&2; exit 1; } ;; esac
done
exec gcc "$@"
CC
chmod +x "$dir/cc"
fails 5 'has no kernel: 4 build-error (build-error: ' tune $mm --db "$dir/barren.db" --trials 4 \
	--cc "$dir/cc"

# --- the recording that comes along is of the present schema, and can be searched in
recorded=${srcdir:-$(dirname "$0")/../..}/bench/recorded/avx512.db
task=matmul:m=197,n=197,k=67
./hone tune $task --db "$dir/replayed.db" --replay "$recorded" --trials 8 --quiet 2>"$dir/err" ||
	{ echo "hone tune --replay fails"; cat "$dir/err"; bad=1; }
./hone bench --suite search --replay "$recorded" --search grid --seeds 1 --trials 16 \
	--baseline-trials 16 --svg "$dir/curves.svg" $task >"$dir/out" 2>"$dir/err" ||
	{ echo "hone bench --suite search fails"; cat "$dir/err"; bad=1; }
grep -q 'grid .*(' "$dir/out" || { echo "hone bench --suite search has no table"; bad=1; }
grep -q '</svg>' "$dir/curves.svg" || { echo "hone bench --suite search draws nothing"; bad=1; }

# --- libraries of the bench belong to its contestants: loaded into hone, they made it hang at its
# end where memory was short
if ldd ./hone | grep -iE 'blas|blis|dnnl|xsmm|xnnpack'; then
	echo "hone links a library of the bench"
	bad=1
fi

# --- surroundings
(
	TMPDIR=$dir/missing
	export TMPDIR
	fails 3 'set TMPDIR' tune $mm --db "$dir/good.db"
	exit $bad
) || bad=1
(
	HONE_RUNNER=$dir/missing
	export HONE_RUNNER
	fails 3 'HONE_RUNNER' tune $mm --db "$dir/good.db"
	exit $bad
) || bad=1
(
	HONE_DEBUG=FX
	export HONE_DEBUG
	fails 2 "'X' names no stage; there are: D dag, S steps, P passes, N nest, F features, C c" tune $mm --db "$dir/good.db"
	exit $bad
) || bad=1
if test -w /dev/full; then
	./hone best $mm --db "$dir/good.db" 2>"$dir/err" >/dev/full
	test $? -eq 3 || { echo "hone best on a full disk: no failure"; bad=1; }
fi
if test "$(id -u)" -ne 0; then	# root may read all
	cp "$dir/good.db" "$dir/secret.db" && chmod 0 "$dir/secret.db"
	fails 3 'secret.db' best $mm --db "$dir/secret.db"
	chmod 0 "$dir/empty.te"
	fails 3 'cannot open' best "$dir/empty.te" --db "$dir/good.db"
fi
./hone db check "$dir/good.db" >"$dir/out" 2>&1 || { cat "$dir/out"; bad=1; }
exit $bad
