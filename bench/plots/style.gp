# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# What all pictures have in common. Called with the folder of the results in `data` and the file to write in `out`
# (scripts/bench --plots). Colours are those of Okabe and Ito (2008), which colour-blind readers can tell apart; in print
# without colours the shapes of points and dashes do.

if( !exists( "size_x" ) ) size_x = 760
if( !exists( "size_y" ) ) size_y = 470
if( exists( "png" ) ) {
	set terminal pngcairo size size_x, size_y font "sans-serif,12"
} else {
	set terminal svg size size_x, size_y dynamic font "sans-serif,14" background "#ffffff"
}
set output out
set datafile separator comma
set datafile commentschars "#"
set datafile missing NaN
set encoding utf8

rapid_colour = "#0072b2"
lite_colour = "#009e73"
dual_colour = "#d55e00"
dop_colour = "#cc79a7"
packed_colour = "#000000"
sky_colour = "#56b4e9"
orange_colour = "#e69f00"
behind_colour = "#bbbbbb"

set border 3 lw 0.8
set tics nomirror
set grid ytics lc rgb "#e4e4e4" lt 1 lw 0.6
set key noenhanced spacing 1.15
set style data linespoints

# Filled points for what was measured here, open and dashed for what a paper has.
set linetype 1 lc rgb rapid_colour lw 2.2 pt 5 ps 0.8
set linetype 2 lc rgb lite_colour lw 2.2 pt 9 ps 0.9
set linetype 3 lc rgb dual_colour lw 2.2 pt 7 ps 0.9
set linetype 4 lc rgb dop_colour lw 2.2 pt 13 ps 1.0
set linetype 5 lc rgb packed_colour lw 2.2 pt 11 ps 0.9
set linetype 6 lc rgb orange_colour lw 2.2 pt 15 ps 0.9
set linetype 11 lc rgb rapid_colour lw 1.6 dt 2 pt 4 ps 0.9
set linetype 12 lc rgb lite_colour lw 1.6 dt 2 pt 8 ps 1.0
set linetype 13 lc rgb dual_colour lw 1.6 dt 2 pt 6 ps 1.0
set linetype 14 lc rgb dop_colour lw 1.6 dt 2 pt 12 ps 1.0
set linetype 16 lc rgb orange_colour lw 1.6 dt 2 pt 14 ps 1.0
# Dotted: the same thing on another tree.
set linetype 33 lc rgb dual_colour lw 1.4 dt 3 pt 7 ps 0.5
set linetype 36 lc rgb orange_colour lw 1.4 dt 3 pt 15 ps 0.5
set linetype 20 lc rgb behind_colour lw 0.9 pt 0 ps 0

# Columns of paper.csv: scenario, row, algorithm, queries, 8 to 10 tests, 12 queries of the paper, 13 to 15 its tests, 16
# its seconds, 17 seconds, 18 us a query, 20 C_v, 21 C_p in ns.
first_word( c ) = word( strcol( c ), 1 )
# "1e-3" is no number for gnuplot, which wants a point in it.
number_of( s ) = strstrt( s, "e" ) > 1 ? 10.0 ** ( s[strstrt( s, "e" ) + 1:*] + 0 ) : s + 0
row_x( c ) = strstrt( "0123456789", strcol( c )[1:1] ) > 0 ? number_of( first_word( c ) ) : NaN
is( scenario, algorithm ) = strcol( 1 ) eq scenario && strcol( 3 ) eq algorithm
