# What Doxygen reads of a header. In a header a comment stands for all declarations that follow it without a blank line,
# and the title of a section for those without any; Doxygen wants one for each, so they are repeated here.
#
#   awk -f docs/doxygen.awk HEADER

/^\/\/ -{20,}$|^\/\/ ----------/ { title = ""; in_title = 1; print; next }
in_title && /^\/\// {
	text = $0
	sub(/^\/\/ ?/, "", text)
	title = title (title == "" ? "/// " : "\n/// ") text
	print
	next
}
{ in_title = 0 }
/^$/ { comment = ""; depth = 0; print; next }
/^\/\/\/ @file/ { is_file = 1 }
is_file { if (/^\/\/\//) { print; next } is_file = 0 }
/^\/\/\/($|[^<])/ {
	if (!fresh) comment = ""
	comment = comment (comment == "" ? "" : "\n") $0
	fresh = 1
	print
	next
}
/^(DBVH_API |static inline |typedef (struct|enum|void|bool) |#define DBVH_)/ && !/^typedef struct [a-z_]+ [a-z_]+;/ && !inside {
	if (!fresh && comment != "") print comment
	else if (!fresh && title != "") print title (title ~ /\n/ ? "" : ": see the description of this file.")
}
{ fresh = 0 }
/^typedef (struct|enum).*\{$/ { inside = 1 }
/^}/ { inside = 0 }
{ print }
