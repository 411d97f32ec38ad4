# SPDX-License-Identifier: Apache-2.0
# X(NAME, LINES) for each code generator among the files: its lines of C that are neither blank nor a comment.
# What is no file of a generator, as a header of all of them, is passed over. The generator of
# partition/generators/NAME.c is that file and those of partition/generators/NAME/.

# LINE without its comments, which may go on from the line before.
function code_of(line,	at, code)
{
	while (line != "") {
		at = index(line, inside ? "*/" : "/*")
		if (!inside)
			code = code (at ? substr(line, 1, at - 1) : line)
		if (!at)
			break
		line = substr(line, at + 2)
		inside = !inside
	}
	sub(/\/\/.*/, "", code)
	return code
}

FNR == 1 {
	inside = 0
	name = ""
	if (match(FILENAME, /partition\/generators\//)) {
		name = substr(FILENAME, RSTART + RLENGTH)
		sub(/[\/.].*/, "", name)
	}
}

name != "" && code_of($0) ~ /[^ \t]/ { lines[name]++ }

END {
	for (name in lines)
		printf "X(\"%s\", %d)\n", name, lines[name]
}
