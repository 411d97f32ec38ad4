#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A campaign for a chain begins with one for its parts, of which there are no kernels yet; where there are, or where it is to learn nothing from
# others, it does not. Measures. Run by make check in the build folder.
top=${srcdir:-$(dirname "$0")/../..}
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-parts.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0
note='goes to the parts of chains'
cat >"$dir/chain.te" <<'EOF'
input X: f32[8, 12]
const W: f32[16, 8]
const V: f32[4, 16]
A[o < 16, x < 12] = sum(c < 8) X[c, x] * W[o, c]
B[o < 16, x < 12] = max(A[o, x], 0)
Y[o < 4, x < 12] = sum(c < 16) B[c, x] * V[o, c]
EOF

. "$top/tests/fault/ends.sh"

# without WORDS WHAT: what was printed last has none of them.
without()
{
	if grep -qF "$1" "$dir/out"; then
		echo "$2"
		bad=1
	fi
}

ends 0 "$note" tune "$dir/chain.te" --db "$dir/t.db" --trials 16
for campaign in 1 2; do
	ends 0 '"trials": 8\b' campaigns show $campaign --db "$dir/t.db" --json
done
ends 0 . best "$dir/chain.te" --db "$dir/t.db"
without 'no kernel was found' "no kernel of the chain"

ends 0 . tune "$dir/chain.te" --db "$dir/t.db" --trials 8 --seed 2
without "$note" "parts that have kernels are tuned again"
ends 0 . tune "$dir/chain.te" --db "$dir/u.db" --trials 8 --no-transfer
without "$note" "parts are tuned where nothing is to be learned from others"
exit $bad
