# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# What a shell completes, from what --help prints of the command and, each behind a line "@ NAME", of its subcommands.
#
#   awk -v shell=bash|zsh|fish -f completion.awk HELP

function quoted(text) { # for single quotes
	gsub(/'/, "'\\''", text)
	return text
}
function for_zsh(text) {
	gsub(/\\/, "\\\\", text)
	gsub(/\[/, "\\[", text)
	gsub(/\]/, "\\]", text)
	gsub(/:/, "\\:", text)
	return quoted(text)
}
function for_fish(text) {
	gsub(/\\/, "\\\\", text)
	gsub(/'/, "\\'", text)
	return text
}

/^@ / { command = $2; next }
command == "" && /^  [a-z]+ +/ {
	name = $1
	sub(/^  [a-z]+ +/, "")
	if (!(name ~ /^[0-9]/)) { commands[++command_count] = name; brief[name] = $0 }
	next
}
command != "" && /^  (-., |    )--[a-z]/ {
	n = ++options[command]
	sub(/^ +/, "")
	letter[command, n] = $0 ~ /^-/ && $0 ~ /^-.,/ ? substr($0, 2, 1) : ""
	sub(/^-., /, "")
	match($0, /^--[a-z0-9-]+/)
	long[command, n] = substr($0, 3, RLENGTH - 2)
	$0 = substr($0, RLENGTH + 1)
	if ($0 !~ /^  / && match($0, /^ [^ ]+/)) {
		value[command, n] = substr($0, 2, RLENGTH - 1)
		$0 = substr($0, RLENGTH + 1)
	}
	sub(/^ +/, "")
	help[command, n] = $0
	next
}
# What the first operand may be, listed before the options: shapes of gen.
command != "" && !options[command] && /^  [a-z]+  +[^ ]/ { words[command] = words[command] " " $1 }

function names(command,    k, list) {
	list = ""
	for (k = 1; k <= options[command]; ++k) {
		list = list " --" long[command, k]
		if (letter[command, k] != "") list = list " -" letter[command, k]
	}
	return substr(list, 2)
}
function all_commands(    k, list) {
	list = ""
	for (k = 1; k <= command_count; ++k) list = list " " commands[k]
	return substr(list, 2)
}

function bash(    k, c, i, values) {
	print "# bash completion of dualbvh\n"
	print "_dualbvh() {"
	print "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} options='' values='' words=''"
	print "\tCOMPREPLY=()"
	print "\tif [ \"$COMP_CWORD\" -eq 1 ]; then"
	print "\t\tmapfile -t COMPREPLY < <(compgen -W '" all_commands() " help --help --version' -- \"$cur\")"
	print "\t\treturn"
	print "\tfi"
	print "\tcase ${COMP_WORDS[1]} in"
	print "\thelp) words='" all_commands() "' ;;"
	for (k = 1; k <= command_count; ++k) {
		c = commands[k]
		values = ""
		for (i = 1; i <= options[c]; ++i)
			if (value[c, i] != "") values = values " --" long[c, i] (letter[c, i] == "" ? "" : " -" letter[c, i])
		print "\t" c ")"
		print "\t\toptions='" names(c) "'"
		print "\t\tvalues='" values " '"
		if (words[c] != "") print "\t\twords='" substr(words[c], 2) "'"
		print "\t\t;;"
	}
	print "\tesac"
	print "\tif [[ $cur == -* && $values != *\" $prev \"* ]]; then"
	print "\t\tmapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\")"
	print "\telif [ -n \"$words\" ] && [ \"$COMP_CWORD\" -eq 2 ]; then"
	print "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")"
	print "\telif [ \"${COMP_WORDS[1]}\" != help ]; then"
	print "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")"
	print "\tfi"
	print "}"
	print "complete -o filenames -F _dualbvh dualbvh"
}

function zsh(    k, c, i, spec, tail) {
	print "#compdef dualbvh\n"
	print "local -a commands=("
	for (k = 1; k <= command_count; ++k) print "\t'" commands[k] ":" for_zsh(brief[commands[k]]) "'"
	print "\t'help:what a command does'"
	print ")"
	print "if (( CURRENT == 2 )); then"
	print "\t_describe command commands"
	print "\t_arguments '--help[print help]' '--version[print the version]'"
	print "\treturn"
	print "fi"
	print "local command=$words[2]"
	print "shift words"
	print "(( CURRENT-- ))"
	print "case $command in"
	print "help) _describe command commands ;;"
	for (k = 1; k <= command_count; ++k) {
		c = commands[k]
		print c ")"
		print "\t_arguments -s \\"
		for (i = 1; i <= options[c]; ++i) {
			tail = "[" for_zsh(help[c, i]) "]"
			if (value[c, i] != "") tail = tail ":" for_zsh(value[c, i]) ":_files"
			if (letter[c, i] != "")
				spec = "'(-" letter[c, i] " --" long[c, i] ")'{-" letter[c, i] (value[c, i] == "" ? "" : "+") ",--" long[c, i] (value[c, i] == "" ? "" : "=") "}'" tail "'"
			else
				spec = "'--" long[c, i] (value[c, i] == "" ? "" : "=") tail "'"
			print "\t\t" spec " \\"
		}
		if (words[c] != "") print "\t\t'1:word:(" substr(words[c], 2) ")'"
		else print "\t\t'*:file:_files'"
		print "\t;;"
	}
	print "esac"
}

function fish(    k, c, i, line) {
	print "# fish completion of dualbvh\n"
	for (k = 1; k <= command_count; ++k)
		print "complete -c dualbvh -f -n __fish_use_subcommand -a " commands[k] " -d '" for_fish(brief[commands[k]]) "'"
	print "complete -c dualbvh -f -n __fish_use_subcommand -a help -d 'what a command does'"
	print "complete -c dualbvh -n __fish_use_subcommand -l help -d 'print help'"
	print "complete -c dualbvh -n __fish_use_subcommand -l version -d 'print the version'"
	print "complete -c dualbvh -f -n '__fish_seen_subcommand_from help' -a '" all_commands() "'"
	for (k = 1; k <= command_count; ++k) {
		c = commands[k]
		for (i = 1; i <= options[c]; ++i) {
			line = "complete -c dualbvh -n '__fish_seen_subcommand_from " c "' -l " long[c, i]
			if (letter[c, i] != "") line = line " -s " letter[c, i]
			if (value[c, i] != "") line = line " -r"
			print line " -d '" for_fish(help[c, i]) "'"
		}
		if (words[c] != "") print "complete -c dualbvh -n '__fish_seen_subcommand_from " c "' -a '" substr(words[c], 2) "'"
	}
}

END {
	if (shell == "bash") bash()
	else if (shell == "zsh") zsh()
	else fish()
}
