# SPDX-License-Identifier: Apache-2.0
# Fills man/hone.1.in: VERSION, and an entry for each line of tools/commands.def, and of bench/suites.def, with
# the summary that the command's own file has, or the suite's. Files: both lists, tools/**.c, bench/suites/*.c,
# man/hone.1.in, in this order.

function text_of(line)
{
	sub(/^[^"]*"/, "", line)
	sub(/".*/, "", line)
	return line
}

FILENAME ~ /\.def$/ && match($0, /^X\([a-z_]+\)/) {
	name = substr($0, 3, RLENGTH - 3)
	if (FILENAME ~ /suites\.def$/)
		suites[++nsuites] = name
	else
		names[++n] = name
}

FILENAME ~ /\.c$/ && FNR == 1 { kind = FILENAME ~ /suites\// ? "suite" : "command" }
FILENAME ~ /\.c$/ && /^\t\.name = "/ { name = text_of($0) }
FILENAME ~ /\.c$/ && /^\t\.summary = "/ { summary[kind, name] = text_of($0) }

function entry(kind, name,	text)
{
	if (!((kind, name) in summary)) {
		print "man/commands.awk: no .summary for " kind " " name > "/dev/stderr"
		exit 1
	}
	text = summary[kind, name]
	gsub(/-/, "\\-", text)
	printf ".TP\n.B %s\n%s\n", name, text
}

FILENAME ~ /\.in$/ && $0 == "@COMMANDS@" {
	for (i = 1; i <= n; i++)
		entry("command", names[i])
	next
}

FILENAME ~ /\.in$/ && $0 == "@SUITES@" {
	for (i = 1; i <= nsuites; i++)
		entry("suite", suites[i])
	next
}

FILENAME ~ /\.in$/ {
	gsub(/@VERSION@/, version)
	print
}
