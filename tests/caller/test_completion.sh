#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What bash and zsh offer with the scripts of `hone completion`: every command, part and option of --help, and at places
# of all kinds what belongs there. Run by make check in the build folder.
here=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)/tests/caller
hone=$PWD/hone
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-completion.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0

fail()
{
	echo "$*"
	bad=1
}

# in ${shells[@]}: those that are here
shells=(bash)
if command -v zsh >/dev/null && zsh -fc 'zmodload zsh/zpty' 2>/dev/null; then
	shells+=(zsh)
else
	echo 'SKIP: zsh: not completed in, for it is not here (package zsh)'
fi
for shell in "${shells[@]}"; do
	"$hone" completion "$shell" >"$dir/$shell" || exit 1
	"$shell" -n "$dir/$shell" || fail "$shell: a syntax error"
done
"$hone" completion zsh >"$dir/zsh"

# offered LINE: what bash offers at its end, sorted, a blank behind each.
offered()
{
	bash "$here/complete.bash" "$dir/bash" <<<"$1"
}

# Letters and names of what --help says.
options_of()
{
	"$hone" "$@" --help | grep -oE '^ {2,6}(-[a-zA-Z?], )?--[a-z0-9-]+' | grep -oE -- '--?[a-zA-Z?][a-z0-9-]*'
}

# covers PLACE ARGUMENT...: all options of the help of hone ARGUMENT... are those of the place, and the other way round
covers()
{
	place=$1
	shift
	options_of "$@" | sort >"$dir/want"
	test -s "$dir/want" || fail "hone $* --help has no options"
	offered "hone $* -" | tr -s ' ' '\n' | grep . | sort >"$dir/got"
	diff "$dir/want" "$dir/got" || fail "bash: hone $*: not what --help has"
	sed -n "/^\t'$place')/,/;;/s/^\t*'\(\*\|(- \*)\)\{0,1\}\(--*[A-Za-z?][a-z0-9-]*\)[+=[].*/\2/p" "$dir/zsh" |
		sort >"$dir/got"
	diff "$dir/want" "$dir/got" || fail "zsh: hone $*: not what --help has"
}

commands=$("$hone" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
test -n "$commands" || fail 'hone --help lists no commands'
test "$(offered 'hone ')" = "$(echo "$commands" | sort | tr '\n' ' ')" || fail 'bash: hone: not the commands of --help'
for c in $commands; do
	parts=$("$hone" "$c" --help | sed -n '/Example/q; s/^  \([a-z]*\) .*/\1/p')
	if test -z "$parts"; then
		covers "$c" "$c"
		continue
	fi
	test "$(offered "hone $c ")" = "$(echo "$parts" | sort | tr '\n' ' ')" || fail "bash: hone $c: not its parts"
	for part in $parts; do
		covers "$c $part" "$c" "$part"
	done
done
for suite in $(sed -n 's/^X(\([a-z]*\))/\1/p' "$here/../../bench/suites.def"); do
	covers "bench $suite" bench --suite "$suite"
done

# --- values, files and arguments, with what each shell is to offer
mkdir -p "$dir/files/folder" && cd "$dir/files" || exit 99
touch a.db b.onnx c.te d.tasks e.txt f.hone 'with blank.onnx'
cat >"$dir/cases" <<'CASES'
hone t|tasks tune
hone tune --ca|--cache
hone tune --cache |cold cold-weights warm
hone tune --cache=|cold cold-weights warm
hone tune --cache=w|warm
hone tune conv2d|conv2d: conv2d_transpose:
hone tune matmul:m=3,n=3,k=3 --search a|anneal
hone best d.tasks --target generi|generic
hone tune b.onnx --notify 'a b' --qui|--quiet
hone tune -- --c|
hone tune --db a|a.db
hone tune --db=a|a.db
hone run |b.onnx f.hone folder with blank.onnx
hone run --output |folder
hone run --input x=e|e.txt
hone compile b.onnx -o f|f.hone folder
hone compare a|a.db
hone compare a.db e|e.txt
hone compare a.db a.db e|
hone compare --remeasure a|a.db
hone compare a.db --remeasure=|all
hone import a.db e|e.txt
hone graph --after si|simplify
hone show --after pl|place
hone show -s s|steps
hone quantize --method |entropy minmax percentile
hone export --format |archive c log
hone partition b.onnx --backend js|json
hone bench --suite s|search sequence
hone bench --suite=se|search sequence
hone bench --peer openv|openvino
hone bench --suite models --peer |onnxruntime openvino
hone bench --suite search --stand-in |nearest xgboost
hone bench --suite=search --search gr|grid
hone db p|prune
hone db prune --k|--keep
hone db merge a.db a|a.db
hone completion |bash zsh
hone manual conf|conform
hone ops dep|depthwise
hone --v|--version
CASES
cut -d'|' -f1 "$dir/cases" >"$dir/lines"
for shell in "${shells[@]}"; do
	"$shell" "$here/complete.$shell" "$dir/$shell" <"$dir/lines" | sed 's/ $//' | paste -d'|' "$dir/lines" - >"$dir/got"
	diff "$dir/cases" "$dir/got" || fail "$shell: does not offer what it should"
done
exit $bad
