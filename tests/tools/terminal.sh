#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# What the command prints on a terminal, and that a file or a pipe gets none of it: wrapped help, colours, tables, the line
# that says how to see what was found. Needs python3, which has pseudo-terminals.
#
#   terminal.sh path/to/dualbvh

. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"
: >out
: >err

is_posix || [ -n "${DUALBVH_TEST_CONSOLE:-}" ] || { echo "terminal: no console"; exit 77; }
command -v python3 >/dev/null || { echo "terminal: no python3, so no pseudo-terminal"; exit 77; }
unset NO_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS
export TERM=xterm

# on COLUMNS COMMAND...: what the command prints on a terminal of so many columns, into `out`; its status in $?. On Windows
# DUALBVH_TEST_CONSOLE runs it on a console (console.c), which has neither codes nor colours under wine.
cat >on.py <<'END'
import fcntl, os, pty, struct, sys, termios

def main():
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
    child = os.fork()
    if child == 0:
        os.setsid()
        for stream in (0, 1, 2):
            os.dup2(slave, stream)
        os.execvp(sys.argv[2], sys.argv[2:])
    os.close(slave)
    got = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:
            break
        if not piece:
            break
        got += piece
    open("out", "wb").write(got.replace(b"\r\n", b"\n"))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

sys.exit(main())
END
on() {
	local columns=$1
	shift
	if is_posix; then
		python3 on.py "$columns" "$@"
	else
		"$DUALBVH_TEST_CONSOLE" "$columns" out "${@:2}" >/dev/null
	fi
}
widest() { awk '{ gsub(/\033\[[0-9;]*m/, ""); if (length($0) > most) most = length($0) } END { print most + 0 }' out; }
# A console breaks words at its last column.
words() { sed 's/\x1b\[[0-9;]*m//g' "$1" | if is_posix; then tr -s ' \n' '\n\n' | grep -v '^$'; else tr -d ' \n'; fi; }
plain() { ! grep -q $'\033' out; }

gen box --size 2,2,2 -o a.ply
gen box --size 2,2,2 --at 1.5,0,0 -o b.ply
gen box --size 2,2,2 --at 0,2.25,0 -o near.ply
gen box --size 1,1,1 --at 1.5,0,0 -o inner.ply
mkdir a-folder-with-a-rather-long-name
cp b.ply 'a-folder-with-a-rather-long-name/a body that has a long name.ply'

# ---- help
for command in '' info check scene $(is_posix && echo distance toi self view export replay build gen); do
	# shellcheck disable=SC2086 # no command: the help of the program
	"$dualbvh" $command --help >piped
	for columns in 50 80 120; do
		# shellcheck disable=SC2086
		NO_COLOR=1 on $columns "$dualbvh" $command --help
		that "the help of '$command' is printed at $columns" [ $? -eq 0 ]
		that "the help of '$command' has the words that a pipe gets" cmp -s <(words out) <(words piped)
		# Examples keep their lines.
		sed -i -E '/^  \$|^        --to-a|^  1 0 0/d' out
		that "the help of '$command' fits $columns columns" [ "$(widest)" -le $((columns > 100 ? 100 : columns)) ]
	done
done
"$dualbvh" scene --help >out
says out 'Reading files:'
says out 'Writing results:'
that 'an option keeps its line in a pipe' grep -q -- '--touch-overlap D .*as touching (0)$' out
"$dualbvh" info --help >out
that 'few options have no groups' [ "$(grep -c '^Help:' out)" -eq 0 ]

# ---- colours
on 80 "$dualbvh" scene a.ply b.ply
that 'a clash has status 1' [ $? -eq 1 ]
if is_posix; then
	that 'a terminal has colours' grep -q $'\033\\[31m' out
	for setting in NO_COLOR=1 CLICOLOR=0 TERM=dumb 'NO_COLOR=1 CLICOLOR_FORCE=1'; do
		# shellcheck disable=SC2086
		on 80 env $setting "$dualbvh" scene a.ply b.ply
		that "no colours with $setting" plain
	done
	for setting in NO_COLOR= CLICOLOR=1 CLICOLOR_FORCE=0; do
		on 80 env "$setting" "$dualbvh" scene a.ply b.ply
		that "colours with $setting" grep -q $'\033' out
	done
fi
"$dualbvh" scene a.ply b.ply >out
that 'a file has no colours' plain
CLICOLOR_FORCE=1 "$dualbvh" scene a.ply b.ply >out
that 'a file has colours where they are forced' grep -q $'\033\\[31m' out
if is_posix; then
	on 80 "$dualbvh" scene a.ply near.ply
	that 'no clash is green' grep -q $'\033\\[32mno clashes' out
fi

# ---- tables
export NO_COLOR=1
files=(a.ply b.ply near.ply inner.ply 'a-folder-with-a-rather-long-name/a body that has a long name.ply')
for columns in 60 80 100 160; do
	on $columns "$dualbvh" scene "${files[@]}" --clearance 0.5
	that "the table has a heading at $columns" grep -qE '^ .* kind +depth +(volume +)?A +B$' out
	that "the table has a row for each clash at $columns" [ "$(grep -cE ' (hard|containment|duplicate|touch|clearance) ' out)" -eq "$("$dualbvh" scene "${files[@]}" --clearance 0.5 --json | grep -oE '"kind": ?"' | wc -l)" ]
	sed -i '/^see it: /d; /^[0-9]* bod/d; /^[0-9]* clash/d; /^note/d' out
	that "the table fits $columns columns" [ "$(widest)" -le $columns ]
done
says out 'a body that has a long name'
on "$(if is_posix; then echo 60; else echo 61; fi)" "$dualbvh" scene "${files[@]}" # Windows leaves the last column free
that 'what does not fit loses its beginning' grep -qE '  \.\.[^ ].*name' out
"$dualbvh" scene a.ply b.ply >out
says out 'a and b overlap: '
that 'a pipe gets sentences' [ "$(grep -c ' kind ' out)" -eq 0 ]

# ---- how to see it
on 200 "$dualbvh" scene a.ply "a-folder-with-a-rather-long-name/a body that has a long name.ply" --clearance 0.5 --allow 'x*,y'
says out "see it: dualbvh view a.ply 'a-folder-with-a-rather-long-name/a body that has a long name.ply' --clearance 0.5 --allow 'x*,y'"
on 80 "$dualbvh" check a.ply b.ply
says out 'see it: dualbvh view a.ply b.ply'
printf '1 0 0 0.5 0 1 0 0 0 0 1 0\n' >poses.txt
on 200 "$dualbvh" check a.ply b.ply --poses poses.txt --relation
says out 'see it: dualbvh check a.ply b.ply --poses poses.txt --relation --html check.html'
printf '%s\n' OFF '6 2 0' '0 0 0' '2 0 0' '0 2 0' '0.5 0.5 -1' '0.5 0.5 1' '3 3 0' '3 0 1 2' '3 3 4 5' >crossed.off
on 80 "$dualbvh" self crossed.off
that 'a mesh that meets itself has status 1' [ $? -eq 1 ]
says out 'see it: dualbvh self crossed.off --html self.html'
for quiet in 'scene a.ply b.ply --json' 'scene a.ply b.ply --quiet' 'scene a.ply near.ply' 'check a.ply near.ply' 'check a.ply b.ply --json'; do
	# shellcheck disable=SC2086
	on 80 "$dualbvh" $quiet
	that "nothing to see after $quiet" [ "$(grep -c 'see it' out)" -eq 0 ]
done
"$dualbvh" scene a.ply b.ply >out
that 'a pipe is not told how to see it' [ "$(grep -c 'see it' out)" -eq 0 ]
if is_posix; then
	control=$'a\033[31m.ply'
	cp a.ply "$control"
	on 80 "$dualbvh" check "$control" b.ply
	that 'a name that a terminal would obey is not repeated' [ "$(grep -c 'see it' out)" -eq 0 ]
fi

# ---- without a command
expect 2
for command in view check scene; do says err "dualbvh $command "; done
says err "'dualbvh --help'"

# ---- pages that nobody named replace nothing
echo '<!--dualbvh:picture-->' >frame.html
export DUALBVH_VIEWER=$PWD/frame.html
expect 0 view a.ply b.ply -q
cp view.html first.html
expect 0 view a.ply near.ply -q
expect 0 view a.ply inner.ply -q
that 'the first page is as it was' cmp -s view.html first.html
that 'the second one is numbered' [ -s view-2.html ]
that 'and so is the third' [ -s view-3.html ]
expect 0 view a.ply near.ply -q -o first.html
that 'a page that is named is replaced' cmp -s first.html view-2.html

finish terminal
