# SPDX-License-Identifier: Apache-2.0
# Fills man/hone.1.in: VERSION, and an entry for each line of tools/commands.def with the summary
# that the command's own file has. Files: tools/commands.def, tools/*.c, man/hone.1.in, in this order.

function text_of(line)
{
	sub(/^[^"]*"/, "", line)
	sub(/".*/, "", line)
	return line
}

FILENAME ~ /commands\.def$/ && match($0, /^X\([a-z_]+\)/) {
	names[++n] = substr($0, 3, RLENGTH - 3)
}

FILENAME ~ /\.c$/ && /^\t\.name = "/ { name = text_of($0) }
FILENAME ~ /\.c$/ && /^\t\.summary = "/ { summary[name] = text_of($0) }

FILENAME ~ /\.in$/ && $0 == "@COMMANDS@" {
	for (i = 1; i <= n; i++) {
		if (!(names[i] in summary)) {
			print "man/commands.awk: no .summary for command " names[i] > "/dev/stderr"
			exit 1
		}
		gsub(/-/, "\\-", summary[names[i]])
		printf ".TP\n.B %s\n%s\n", names[i], summary[names[i]]
	}
	next
}

FILENAME ~ /\.in$/ {
	gsub(/@VERSION@/, version)
	print
}
