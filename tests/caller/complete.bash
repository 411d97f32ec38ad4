#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# complete.bash SCRIPT: what the script of `hone completion bash` offers at the end of each line of stdin, sorted, a line
# each. Words are cut as bash cuts them for completion: at blanks, and at each run of = and :, which are words.
source "$1" || exit 99

offer()
{
	local rest=$1 word

	COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=()
	while [[ -n $rest ]]; do
		rest=${rest#"${rest%%[! ]*}"}
		if [[ $rest == [=:]* ]]; then
			word=${rest%%[!=:]*}
		elif [[ $rest == \'* ]]; then
			word=${rest#\'}
			word="'${word%%\'*}'"
		else
			word=${rest%%[=: ]*}
		fi
		COMP_WORDS+=("$word")
		rest=${rest#"$word"}
		[[ $rest != ' ' ]] || COMP_WORDS+=('')
		[[ -n ${rest// /} ]] || break
	done
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	_hone
	[[ ${#COMPREPLY[@]} -eq 0 ]] || printf '%s\n' "${COMPREPLY[@]}" | sort -u | tr '\n' ' '
	echo
}

while IFS= read -r line; do
	offer "$line"
done
