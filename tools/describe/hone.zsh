# SPDX-License-Identifier: Apache-2.0
# tools/describe/hone.zsh - looks up, in the tables above it, what may come next; tools/describe/zsh.c prints both.

# _hone_offer PLACE WORD: what may take the place of the word, of NAME=FILE of FILE behind the =.
_hone_offer()
{
	local word=$2 names=() files=() expl ret=1

	if [[ $word == *=* ]]; then
		compset -P '*=' || return 1
		word=${word##*=}
	fi
	if [[ $word == *'|'* ]]; then
		names=(${(s:|:)word})
	else
		_hone_value "$1" "$word"
	fi
	if (( $#names )); then
		_description names expl "$word"
		if [[ $names[1] == *: ]]; then
			compadd "$expl[@]" -S '' -a names && ret=0
		else
			compadd "$expl[@]" -a names && ret=0
		fi
	fi
	if [[ $files[1] == / ]]; then
		_path_files -/ && ret=0
	elif [[ $files[1] == '*' ]]; then
		_files && ret=0
	elif (( $#files )); then
		_files -g "*.(${(j:|:)files})(-.)" && ret=0
	fi
	return ret
}

# _hone_parts PLACE: hands on to the part that the first argument names.
_hone_parts()
{
	local context state state_descr line expl
	typeset -A opt_args

	_arguments -C '(- *)'{-\?,--help}'[print the help and exit]' '(- *)--usage[print a short usage message and exit]' \
		'1: :->part' '*:: :->rest'
	case $state in
	part)
		_hone_part_list "$1"
		_describe -t commands "$1" list
		;;
	rest)
		_hone_place "$1 $words[1]"
		;;
	esac
}

# _hone_chosen PLACE OPTION: hands on to the part that the option names on the line, where it does.
_hone_chosen()
{
	local i part= list

	for (( i = 2; i <= $#words; i++ )); do
		(( i != CURRENT )) || continue
		if [[ $words[i] == "$2"=* ]]; then
			part=${words[i]#*=}
		elif [[ $words[i-1] == "$2" ]]; then
			part=$words[i]
		fi
	done
	_hone_part_list "$1"
	[[ -n $part && -n ${(M)list:#$part:*} ]] && _hone_place "$1 $part"
}

_hone()
{
	local context state state_descr line list curcontext=$curcontext
	typeset -A opt_args

	_arguments -C '(- *)--help[list the commands and exit]' '(- *)--version[print the version and exit]' \
		'1: :->command' '*:: :->rest'
	case $state in
	command)
		_hone_part_list ''
		_describe -t commands command list
		;;
	rest)
		curcontext=${curcontext%:*:*}:hone-$words[1]:
		_hone_place "$words[1]"
		;;
	esac
}

if [[ $funcstack[1] == _hone ]]; then
	_hone "$@"
else
	compdef _hone hone
fi
