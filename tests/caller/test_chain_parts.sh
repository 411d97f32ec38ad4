#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A campaign for a chain begins with one for its parts, of which there are no kernels yet; where there are, or where it is to learn nothing from
# others, it does not. Measures. Run by make check in the build folder.
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-parts.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
note='goes to the parts of chains'
cat >"$dir/chain.te" <<'EOF'
input X: f32[8, 12]
const W: f32[16, 8]
const V: f32[4, 16]
A[o < 16, x < 12] = sum(c < 8) X[c, x] * W[o, c]
B[o < 16, x < 12] = max(A[o, x], 0)
Y[o < 4, x < 12] = sum(c < 16) B[c, x] * V[o, c]
EOF

fail()
{
	echo "FAIL: $1"
	sed 's/^/    /' "$dir/out"
	exit 1
}

# tune DB ARGUMENT...: what it says is in "$dir/out".
tune()
{
	local db=$dir/$1
	shift
	./hone tune "$dir/chain.te" --db "$db" "$@" >"$dir/out" 2>&1 || fail "hone tune $*: exit status $?"
}

# trials N CAMPAIGN: of that of t.db.
trials()
{
	./hone campaigns show "$2" --db "$dir/t.db" --json >"$dir/out" || fail "campaign $2 is not shown"
	grep -q "\"trials\": $1\b" "$dir/out" || fail "campaign $2 has not $1 trials"
}

tune t.db --trials 16
grep -qF "$note" "$dir/out" || fail "does not say that parts come first"
trials 8 1
trials 8 2
./hone best "$dir/chain.te" --db "$dir/t.db" >"$dir/out" 2>&1 || fail "no kernel of the chain"
grep -q 'no kernel was found' "$dir/out" && fail "no kernel of the chain"

tune t.db --trials 8 --seed 2
grep -qF "$note" "$dir/out" && fail "parts that have kernels are tuned again"
tune u.db --trials 8 --no-transfer
grep -qF "$note" "$dir/out" && fail "parts are tuned where nothing is to be learned from others"
exit 0
