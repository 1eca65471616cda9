# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# A manual page from what --help prints.
#
#   dualbvh check --help | awk -v name=check -v brief="..." -v version=0.1.0 -v commands="info check" -f man.awk
#
# name is empty for the command itself. Indented text keeps its lines, options become tagged paragraphs, a title at the
# beginning of a line ("Exit status:", "Example:") becomes a section.

function escape(text) {
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	gsub(/'/, "\\(aq", text)
	if (text ~ /^[.]/) text = "\\\\&" text
	return text
}
function end_block() {
	if (block) print ".fi\n.RE"
	block = 0
}
function section(title) {
	end_block()
	if (title == at) { print ".PP"; return }
	at = title
	print ".SH " title
}
# Text that is filled, or follows what stood before.
function text(line) {
	end_block()
	if (gap && !fresh) print ".PP"
	gap = fresh = 0
	print escape(line)
}
function option(line,    names, value, help) {
	end_block()
	if (at != "OPTIONS") { at = "OPTIONS"; print ".SH OPTIONS" }
	names = ""
	sub(/^ +/, "", line)
	if (line ~ /^-.,/) { names = "\\fB" escape(substr(line, 1, 2)) "\\fR, "; sub(/^-., /, "", line) }
	match(line, /^--[a-z0-9-]+/)
	names = names "\\fB" escape(substr(line, 1, RLENGTH)) "\\fR"
	line = substr(line, RLENGTH + 1)
	if (match(line, /^ [^ ]+/) && line !~ /^  /) {
		names = names " \\fI" escape(substr(line, 2, RLENGTH - 1)) "\\fR"
		line = substr(line, RLENGTH + 1)
	}
	sub(/^ +/, "", line)
	printf ".TP\n%s\n%s\n", names, escape(line)
	gap = 0
	fresh = 0
}

function group(title) {
	end_block()
	if (at != "OPTIONS") { at = "OPTIONS"; print ".SH OPTIONS" }
	if (title != "Options") print ".SS " title
	gap = 0
}

BEGIN {
	page = "dualbvh" (name == "" ? "" : "-" name)
	title = toupper(page)
	printf ".TH %s 1 \"\" \"dualbvh %s\" \"User Commands\"\n", title, version
	printf ".SH NAME\n%s \\- %s\n", escape(page), escape(brief)
	usage = ""
	count = 0
}
/^Usage: / { usage = substr($0, 8); next }
{ line[++count] = $0 }
END {
	print ".SH SYNOPSIS\n\\fB" escape("dualbvh") "\\fR" escape(substr(usage, 8))
	print ".SH DESCRIPTION"
	at = "DESCRIPTION"
	fresh = 1
	for (i = 1; i <= count; ++i) {
		if (line[i] ~ /^ *$/) { gap = 1; end_block(); continue }
		if (line[i] ~ /^  (-., |    )--[a-z]/) { option(line[i]); continue }
		if (line[i] ~ /^[A-Z][a-z ]*:$/ && line[i + 1] ~ /^  (-., |    )--[a-z]/) { group(substr(line[i], 1, length(line[i]) - 1)); continue }
		if (line[i] ~ /^Exit status:/) {
			section("EXIT STATUS")
			fresh = 1
			rest = line[i]
			sub(/^Exit status: */, "", rest)
			if (rest != "") text(rest)
			continue
		}
		if (line[i] ~ /^Example: /) {
			section("EXAMPLES")
			fresh = 1
			text(substr(line[i], 10))
			continue
		}
		if (line[i] ~ /^ /) {
			if (!block) print ".RS 2\n.nf"
			block = 1
			sub(/^  /, "", line[i])
			print escape(line[i])
			gap = fresh = 0
			continue
		}
		if ((at == "OPTIONS" || at == "EXIT STATUS") && gap) { at = "NOTES"; end_block(); print ".SH NOTES"; fresh = 1 }
		text(line[i])
	}
	end_block()
	print ".SH SEE ALSO"
	n = split(commands, all, " ")
	others = name == "" ? "" : "\\fBdualbvh\\fR(1)"
	for (k = 1; k <= n; ++k)
		if (all[k] != name) others = others (others == "" ? "" : ",\n") "\\fBdualbvh\\-" all[k] "\\fR(1)"
	print others
}
