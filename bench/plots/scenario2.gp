# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Time a query over the gap, ours and the paper's, whose times are divided by how much faster RAPID is here at a gap of 1e-5.

size_x = 840
size_y = 500
load folder . "/style.gp"
file = data . "/paper.csv"
ours( name ) = is( "Scenario II", name ) ? column( 18 ) : NaN
paper( name ) = is( "Scenario II", name ) && column( 16 ) > 0 ? column( 16 ) / column( 12 ) * 1e6 / slower : NaN

slower = 1
stats file using ( is( "Scenario II", "rapid-r" ) && row_x( 2 ) == 1e-5 ? $16 / $12 * 1e6 / $18 : NaN ) nooutput
slower = STATS_mean

set logscale xy
set yrange [6:300000]
set format y "10^{%T}"
set xrange [7e-6:0.14]
set format x "10^{%T}"
set xlabel "gap between the spheres, in radii"
set ylabel "microseconds a query"
set key outside right top Left reverse width -2
set label 1 sprintf( "the paper's times\ndivided by %.1f", slower ) at graph 1.03, graph 0.12 font ",11" textcolor rgb "#555555"

plot for [name in "quickcd-6 quickcd-14 quickcd-24 quickcd-26 quickcd-approx quickcd-hill"] file using ( row_x( 2 ) ):( ours( name ) ) lt 20 notitle, \
	NaN lt 20 title "other k-DOPs", \
	file using ( row_x( 2 ) ):( ours( "quickcd" ) ) lt 4 title "QuickCD, k = 18", \
	"" using ( row_x( 2 ) ):( paper( "quickcd" ) ) lt 14 title "the paper's QuickCD", \
	"" using ( row_x( 2 ) ):( ours( "rapid-r" ) ) lt 1 title "RAPID's tree, 15 axes", \
	"" using ( row_x( 2 ) ):( paper( "rapid-r" ) ) lt 11 title "the paper's RAPID", \
	"" using ( row_x( 2 ) ):( ours( "sat-lite-r" ) ) lt 2 title "RAPID's tree, SAT lite", \
	"" using ( row_x( 2 ) ):( paper( "sat-lite-r" ) ) lt 12 title "the paper's SAT lite", \
	"" using ( row_x( 2 ) ):( ours( "dual-r" ) ) lt 3 title "RAPID's tree, dual", \
	"" using ( row_x( 2 ) ):( paper( "dual-r" ) ) lt 13 title "the paper's Dual", \
	"" using ( row_x( 2 ) ):( ours( "packed" ) ) lt 5 title "packed"
