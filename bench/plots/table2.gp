# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Tests, ours beside the paper's. Left: Scenario II, ours over the paper's, by the paper's text and on RAPID's own tree.
# Right: Scenario I, those of dual over the boxes of RAPID, so that mesh and placement drop out.

size_x = 1100
size_y = 600
load folder . "/style.gp"
file = data . "/paper.csv"
part( scenario, name, ours, theirs ) = is( scenario, name ) && column( theirs ) > 0 ? column( ours ) / column( theirs ) : NaN

array rapid_r[6]
array rapid_text[6]
array rapid_paper[6]
do for [i = 1:6] {
	stats file using ( is( "Scenario I", "rapid-r" ) && row_x( 2 ) == i - 1 ? $9 : NaN ) nooutput
	rapid_r[i] = STATS_mean
	stats file using ( is( "Scenario I", "rapid" ) && row_x( 2 ) == i - 1 ? $9 : NaN ) nooutput
	rapid_text[i] = STATS_mean
	stats file using ( is( "Scenario I", "rapid" ) && row_x( 2 ) == i - 1 ? $14 : NaN ) nooutput
	rapid_paper[i] = STATS_mean
}

set multiplot layout 1, 2 margins 0.06, 0.98, 0.33, 0.91 spacing 0.07, 0
set key at screen 0.26, screen 0.11 center Left reverse samplen 3 maxcols 2 width -2 font ",12"

set title "Scenario II: ours over the paper's"
set logscale x
set xrange [7e-6:0.14]
set format x "10^{%T}"
set xlabel "gap between the spheres, in radii"
set yrange [0:1.2]
set object 1 rectangle from graph 0, first 0.85 to graph 1, first 1.15 fillcolor rgb "#eeeeee" fillstyle solid noborder behind
set label 1 "within 15 %" at graph 0.02, first 1.135 font ",11" textcolor rgb "#777777"
plot file using ( row_x( 2 ) ):( part( "Scenario II", "rapid-r", 9, 14 ) ) lt 1 title "rapid, boxes; RAPID's tree", \
	"" using ( row_x( 2 ) ):( part( "Scenario II", "sat-lite-r", 9, 14 ) ) lt 2 title "SAT lite, boxes; RAPID's tree", \
	"" using ( row_x( 2 ) ):( part( "Scenario II", "dual-r", 8, 13 ) ) lt 3 title "dual, spheres; RAPID's tree", \
	"" using ( row_x( 2 ) ):( part( "Scenario II", "dual-r", 9, 14 ) ) lt 6 title "dual, boxes; RAPID's tree", \
	"" using ( row_x( 2 ) ):( part( "Scenario II", "dual", 8, 13 ) ) lt 33 title "dual, spheres; the text", \
	"" using ( row_x( 2 ) ):( part( "Scenario II", "dual", 9, 14 ) ) lt 36 title "dual, boxes; the text"

set title "Scenario I: tests of dual over the boxes of RAPID"
unset logscale x
set key at screen 0.77, screen 0.11
unset object 1
unset label 1
set xrange [-0.1:5.1]
set format x "%g %%"
set xlabel "distance, in parts of the radius"
at_row( c ) = int( row_x( c ) ) + 1
plot file using ( row_x( 2 ) ):( is( "Scenario I", "dual-r" ) ? $8 / rapid_r[at_row( 2 )] : NaN ) lt 3 title "spheres; RAPID's tree", \
	"" using ( row_x( 2 ) ):( is( "Scenario I", "dual-r" ) ? $13 / rapid_paper[at_row( 2 )] : NaN ) lt 13 title "spheres; the paper", \
	"" using ( row_x( 2 ) ):( is( "Scenario I", "dual" ) ? $8 / rapid_text[at_row( 2 )] : NaN ) lt 33 title "spheres; the text", \
	"" using ( row_x( 2 ) ):( is( "Scenario I", "dual-r" ) ? $9 / rapid_r[at_row( 2 )] : NaN ) lt 6 title "boxes; RAPID's tree", \
	"" using ( row_x( 2 ) ):( is( "Scenario I", "dual-r" ) ? $14 / rapid_paper[at_row( 2 )] : NaN ) lt 16 title "boxes; the paper", \
	"" using ( row_x( 2 ) ):( is( "Scenario I", "dual" ) ? $9 / rapid_text[at_row( 2 )] : NaN ) lt 36 title "boxes; the text"
unset multiplot
