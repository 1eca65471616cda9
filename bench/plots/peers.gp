# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# The picture of README.md: the times of other libraries over that of dualbvh, a dot for each case (a row of
# peers_collide.csv), and a cross where an answer in it was wrong. Columns: 4 the library, 8 the ratio, 12 to 14 contacts
# that are none, contacts that are missed, lists of pairs that are wrong.

size_x = 1000
size_y = 640
load folder . "/style.gp"
file = data . "/peers_collide.csv"
wrong_colour = dual_colour

libraries = 4
array engine[libraries] = [ "OPCODE (float)", "RAPID", "coal kIOS", "FCL OBB (Debian)" ]
array shown[libraries] = [ "OPCODE\n(floats)", "RAPID", "coal\n(kIOS)", "FCL\n(OBB)" ]

some( c ) = strlen( strcol( c ) ) > 0 && !( strcol( c ) eq "0" )
# Lists are there in rows of all contacts; of an empty last field gnuplot has what stood there a line before.
is_wrong( c ) = some( 12 ) || some( 13 ) || strcol( 3 ) eq "all" && some( 14 )
is_row( e ) = strcol( 4 ) eq engine[e]
# Dots of one library lie in a band about its line: a fixed sequence that fills it evenly.
height( e ) = libraries + 1 - e + 0.5 * ( $0 * 0.6180339887 - floor( $0 * 0.6180339887 ) - 0.5 )

array middle[libraries]
array rows[libraries]
array failures[libraries]
do for [e = 1:libraries] {
	stats file using ( is_row( e ) ? $8 : NaN ) nooutput
	middle[e] = STATS_median
	rows[e] = STATS_records
	stats file using ( is_row( e ) ? is_wrong( 0 ) : NaN ) nooutput
	failures[e] = STATS_sum
}
stats file using ( strcol( 4 ) eq "dualbvh" ? is_wrong( 0 ) : NaN ) nooutput
own_failures = STATS_sum

set title sprintf( "Time of a query over dualbvh's, %d cases, one thread", rows[1] ) font ",27"
set margins screen 0.16, screen 0.98, screen 0.16, screen 0.88
set logscale x
set xrange [0.15:6e6]
set yrange [0.45:libraries + 0.85]
set xtics ( "1/4" 0.25, "1" 1, "4" 4, "16" 16, "100" 100, "1,000" 1000, "10,000" 10000 ) font ",25"
set xlabel sprintf( "left of 1: faster than dualbvh, which is wrong in %d", own_failures ) font ",25" offset 0, -0.6
set ytics ( shown[1] libraries ) font ",26" scale 0
do for [e = 1:libraries] {
	set ytics add ( shown[e] libraries + 1 - e )
	set arrow e from middle[e], libraries + 0.68 - e to middle[e], libraries + 1.32 - e nohead lw 4 lc rgb packed_colour front
	set label e sprintf( middle[e] < 10 ? "median %.1f" : "median %.0f", middle[e] ) at middle[e], libraries + 1.42 - e center font ",25" front
	set label e + 10 sprintf( "wrong in\n%d cases", failures[e] ) at 5e6, libraries + 1.1 - e right font ",25" \
		textcolor rgb ( failures[e] > 0 ? wrong_colour : packed_colour ) front
}
set grid noytics
set arrow 20 from 1, 0.45 to 1, libraries + 0.55 nohead lw 1.5 dt 2 lc rgb "#777777"
unset key
plot for [e = 1:libraries] file using ( is_row( e ) && !is_wrong( 0 ) ? $8 : NaN ):( height( e ) ) with points pt 7 ps 0.8 \
	lc rgb rapid_colour, \
	for [e = 1:libraries] file using ( is_row( e ) && is_wrong( 0 ) ? $8 : NaN ):( height( e ) ) with points pt 2 ps 1.4 lw 3 \
	lc rgb wrong_colour
