#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hone report: of a campaign on this machine, the same bytes each time, the figures of hone best, and a page that
# opens in a browser. Run by make check in the build folder.
srcdir=${srcdir:-$(dirname "$0")/../..}
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-report.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0
complain() { echo "$*"; bad=1; }

# what is not ours is what was published, with its licence
(cd "$srcdir/tools/report/uplot" && grep '^[0-9a-f]\{64\}  ' README.md | sha256sum --strict -c) ||
	complain "uPlot is not the one that its README names"
grep -q 'Leon Sorokin' "$srcdir/tools/report/uplot/LICENSE" || complain "uPlot has no licence"

printf '2 x matmul:m=16,n=16,k=16\nrelu:n=1000\n' >"$dir/two.tasks"
./hone tune "$dir/two.tasks" --db "$dir/t.db" --trials 16 --batch 4 --quiet >"$dir/out" 2>&1 ||
	{ cat "$dir/out"; exit 1; }
./hone report --db "$dir/t.db" -o "$dir/a.html" && ./hone report --db "$dir/t.db" >"$dir/b.html" ||
	complain "no report"
cmp "$dir/a.html" "$dir/b.html" || complain "the same database gives other bytes"
./hone report --db "$dir/t.db" --task relu:n=1000 --assembly >"$dir/one.html" || complain "no assembly"
sed -n '/<summary>Assembly/,/<\/pre>/p' "$dir/one.html" | grep -Eq '[[:space:]]ret' || complain "--assembly gives none"
./hone show relu:n=1000 --db "$dir/t.db" --stage asm | grep -Eq '[[:space:]]ret' || complain "show --stage asm gives none"
grep -q '<summary>Assembly' "$dir/a.html" && complain "assembly that nobody asked for"

# docs/report.md goes through the sections of a page, all of them and in their order
grep -o '<h2[^>]*>[^<]*' "$dir/a.html" | sed 's/.*>//' >"$dir/sections"
sed -n '/^## From top to bottom/,/^## Plots/s/^\*\*\([A-Z][a-z]*\)[^*]*\*\*.*/\1/p' "$srcdir/docs/report.md" | cmp - "$dir/sections" ||
	complain "docs/report.md knows other sections than: $(cat "$dir/sections")"

# and names what is in each, but for tasks and numbers of campaigns
tr '\n' ' ' <"$srcdir/docs/report.md" | tr 'A-Z' 'a-z' >"$dir/words"
grep -o '<h[34]>[^<]*' "$dir/a.html" | sed 's/<h.>//; s/Campaign [0-9]*: //; /:[a-z]*=/d' | sort -u >"$dir/headings"
test "$(wc -l <"$dir/headings")" -ge 12 || complain "the page has few headings: $(cat "$dir/headings")"
while IFS= read -r heading; do
	grep -qiF -- "*$heading" "$dir/words" || complain "docs/report.md does not explain '$heading'"
done <"$dir/headings"

# a file that cannot be written leaves what is there
echo before >"$dir/kept.html"
./hone report --db "$dir/t.db" --task nobody -o "$dir/kept.html" 2>/dev/null
test $? -eq 3 && test "$(cat "$dir/kept.html")" = before || complain "a failure wrote a page"
./hone report --db "$dir/t.db" >/dev/full 2>"$dir/err"
test $? -eq 3 && grep -q 'No space' "$dir/err" || complain "a full disk: $(cat "$dir/err")"

# of a simulated device: its own roofs, kernels with virtual threads and without, no C, nothing probed
conv=conv2d:ic=32,h=8,w=8,oc=32,k=3,p=1,layout=nchw16c,dtype=i8,act=relu,shift=8
for threads in 2 1; do
	./hone tune $conv --device vdla --threads $threads --trials 24 --db "$dir/v.db" --quiet >"$dir/out" 2>&1 ||
		{ cat "$dir/out"; bad=1; }
done
./hone report --db "$dir/v.db" --assembly -o "$dir/v.html" || complain "no report of a simulated device"
expect_in() { grep -q "$1" "$2" || complain "$2: no '$1'"; }
expect_in '<td>matrix unit, products of 16x16 bytes</td><td class=n>102.4</td>' "$dir/v.html"
expect_in '<td>memory port</td><td class=n>1.6</td>' "$dir/v.html"
expect_in '<td>input_bytes</td><td class=n>32768</td>' "$dir/v.html"
expect_in '<summary>Instructions</summary><pre>machine' "$dir/v.html"
expect_in '<td>with.* virtual threads</td>' "$dir/v.html"
test "$(sed -n '/<section id=roofline>/,/<h3>/p' "$dir/v.html" | grep -c '^<tr><td class=name>')" -eq 2 ||
	complain "the roofline of a simulated device has not two kernels"
grep -q '<summary>C</summary>\|<h3>The fixed kernel\|Probed rates' "$dir/v.html" && complain "a simulated device has what was probed, or C"

if ! command -v chromium >/dev/null && ! command -v chromium-browser >/dev/null; then
	echo "SKIP: test_report.sh: the page in a browser: there is none; apt install chromium"
else
	./hone best "$dir/two.tasks" --db "$dir/t.db" --json >"$dir/best.json" &&
	./hone report --db "$dir/t.db" --json >"$dir/report.json" &&
	python3 "$srcdir/tests/report/check.py" "$dir/a.html" "$dir/best.json" "$dir/report.json" ||
		complain "the page is wrong"
	./hone best $conv --db "$dir/v.db" --device vdla --json >"$dir/best.json" &&
	./hone report --db "$dir/v.db" --json >"$dir/report.json" &&
	python3 "$srcdir/tests/report/check.py" "$dir/v.html" "$dir/best.json" "$dir/report.json" ||
		complain "the page of a simulated device is wrong"
fi
exit $bad
