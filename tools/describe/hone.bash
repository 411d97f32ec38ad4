# SPDX-License-Identifier: Apache-2.0
# tools/describe/hone.bash - looks up, in the tables above it, what may come next; tools/describe/bash.c prints both.

# The words up to the cursor as hone would get them, into words, the last into current: bash cuts at = and :, too, and
# puts what is offered in the place of the last piece; before is what stands in front of that in the word.
_hone_words()
{
	local line=${COMP_LINE:0:COMP_POINT} rest piece i

	words=() before=''
	for ((i = 0; i <= COMP_CWORD; i++)); do
		rest=${line#"${line%%[![:space:]]*}"}
		piece=${COMP_WORDS[i]}
		((i < COMP_CWORD)) || piece=$rest
		if [[ $i -gt 0 && $rest == "$line" ]]; then
			before=${words[-1]}
			[[ $piece != [=:@]* ]] || before+=$piece
			words[-1]+=$piece
		else
			before=''
			words+=("$piece")
		fi
		line=${rest#"$piece"}
	done
	current=${words[-1]}
}

# _hone_takes OPTION: does it take a value here? Then value is the word for it, behind ? where it may be left out.
_hone_takes()
{
	local option

	for option in "${options[@]}"; do
		[[ $option == "$1"=* ]] || continue
		value=${option#*=}
		return 0
	done
	return 1
}

# _hone_enter NAME: where it is a part of this place, it becomes the place.
_hone_enter()
{
	local name

	for name in "${parts[@]}"; do
		[[ $name == "$1" ]] || continue
		place+=${place:+ }$1
		_hone_table "$place"
		return 0
	done
	return 1
}

# Goes along the words before the last: place becomes the command and its part, argument the number of words that are
# no options, value the word for what comes next where that is an option's value.
_hone_walk()
{
	local word i last=$((${#words[@]} - 1))

	place='' argument=0
	_hone_table ''
	for ((i = 1; i < last; i++)); do
		word=${words[i]} value=''
		if [[ -z $ended && $word == -* ]]; then
			[[ $word != -- ]] || ended=1
			if [[ -n $by && $word == "$by"=* ]]; then
				_hone_enter "${word#*=}"
			elif _hone_takes "$word" && [[ $value != '?'* ]]; then
				((++i < last)) || return
				[[ -z $by || $word != "$by" ]] || _hone_enter "${words[i]}"
			fi
		elif [[ -n $by || $argument -gt 0 ]] || ! _hone_enter "$word"; then
			argument=$((argument + 1))
		fi
	done
	value=''
}

# _hone_offer BEFORE BEGUN NAME...: those that begin so, behind BEFORE.
_hone_offer()
{
	local name

	for name in "${@:3}"; do
		[[ $name != "$2"* ]] || COMPREPLY+=("$1$name")
	done
}

# _hone_offer_files BEFORE BEGUN KIND...: folders, and files by how their names end (*: any).
_hone_offer_files()
{
	local name kind

	# it would quote the : of names
	[[ ${#COMPREPLY[@]} -gt 0 ]] || compopt -o filenames 2>/dev/null
	while IFS= read -r name; do
		for kind in "${@:3}"; do
			if [[ $kind == '*' || $name == *."$kind" || -d ${name/#\~/$HOME} ]]; then
				COMPREPLY+=("$1$name")
				break
			fi
		done
	done < <(compgen -f -- "${2//\\/}")
}

# _hone_offer_value BEFORE BEGUN WORD: what may take the place of the word, behind BEFORE.
_hone_offer_value()
{
	local front=$1 begun=$2 word=$3 names=() files=()

	if [[ $word == *=* ]]; then	# NAME=FILE: anything, and then a FILE
		[[ $begun == *=* ]] || return
		front+=${begun%=*}= begun=${begun##*=} word=${word#*=}
	fi
	if [[ $word == *'|'* ]]; then	# warm|cold: one of these
		IFS='|' read -ra names <<<"$word"
	else
		_hone_value "$place" "$word"
	fi
	_hone_offer "$front" "$begun" "${names[@]}"
	[[ ${#files[@]} -eq 0 ]] || _hone_offer_files "$front" "$begun" "${files[@]}"
}

_hone()
{
	local words current before place argument value ended='' by parts options arguments more i

	COMPREPLY=()
	_hone_words
	_hone_walk
	if [[ -n $value ]]; then
		_hone_offer_value '' "$current" "$value"
	elif [[ -z $ended && $current == --*=* ]]; then
		! _hone_takes "${current%%=*}" || _hone_offer_value "${current%%=*}=" "${current#*=}" "${value#\?}"
	elif [[ -z $ended && $current == -* ]]; then
		_hone_offer '' "$current" "${options[@]%%=*}"
	else
		[[ -n $by || $argument -gt 0 ]] || _hone_offer '' "$current" "${parts[@]}"
		i=$((more && argument >= ${#arguments[@]} ? ${#arguments[@]} - 1 : argument))
		# where nothing can come but options
		[[ ${#parts[@]} -gt 0 && -z $by || ${#arguments[@]} -gt 0 ]] || _hone_offer '' "$current" "${options[@]%%=*}"
		[[ $i -ge ${#arguments[@]} ]] || _hone_offer_value '' "$current" "${arguments[i]}"
	fi
	if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[:=] ]]; then
		compopt -o nospace 2>/dev/null
	fi
	[[ -z $before || ${#COMPREPLY[@]} -eq 0 ]] || COMPREPLY=("${COMPREPLY[@]#"$before"}")
}

complete -F _hone hone
