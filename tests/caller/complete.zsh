#!/bin/zsh -f
# SPDX-License-Identifier: Apache-2.0
# complete.zsh SCRIPT: what zsh offers at the end of each line of stdin with the script of `hone completion zsh`, sorted,
# a line each. It needs a terminal to complete in, so that a shell with one of its own does it, which writes down what is
# added.
zmodload zsh/zpty || exit 99
dir=$(mktemp -d "${TMPDIR:-/tmp}/hone-zsh.XXXXXX") || exit 99
mkdir $dir/functions
cp $1 $dir/functions/_hone
cat >$dir/rc <<END
dir=$dir
fpath=($dir/functions \$fpath)
END
cat >>$dir/rc <<'END'
autoload -Uz compinit && compinit -D -u
unsetopt autolist automenu listbeep
compadd()
{
	if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
		builtin compadd "$@"
		return
	fi
	typeset -a hone_test_hits
	builtin compadd -A hone_test_hits "$@"
	(( ! $#hone_test_hits )) || print -rl -- $hone_test_hits >>$dir/out
	builtin compadd "$@"
}
complete_and_clear()
{
	zle complete-word
	BUFFER=
	touch $dir/done
}
zle -N complete_and_clear
bindkey '^I' complete_and_clear
touch $dir/done
END

# A machine may be busy.
wait_for_done()
{
	local i

	for i in {1..3000}; do
		if [[ -e $dir/done ]]; then
			rm $dir/done
			return 0
		fi
		sleep 0.02
	done
	print -u2 "complete.zsh: no answer within a minute"
	return 1
}

# no trap: the shell in the terminal is a child that would inherit it
{
	zpty shell 'TERM=dumb exec zsh -f -i'
	zpty -w shell "source $dir/rc"
	wait_for_done || exit 1
	while IFS= read -r line; do
		: >$dir/out
		zpty -w -n shell "$line"$'\t'
		wait_for_done || exit 1
		sort -u $dir/out | tr -d '\\' | tr '\n' ' '	# quoted as on a command line
		echo
	done
	zpty -d shell
} always {
	rm -rf $dir
}
