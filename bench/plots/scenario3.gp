# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Scenario III: time relative to RAPID, ours beside the paper's.

size_y = 400
load folder . "/style.gp"
file = data . "/paper.csv"
names = "rapid-r sat-lite-r dual-r quickcd packed"
titles = "RAPID 'SAT lite' Dual QuickCD packed"

stats file using ( is( "Scenario III", "rapid-r" ) ? $17 : NaN ) nooutput
our_rapid = STATS_mean
their_rapid = 0.9640

set style fill solid 1.0 border -1
set boxwidth 0.36
set yrange [0:1.15]
set xrange [0.4:5.6]
set ylabel "time of all 2,528 frames, RAPID's = 1"
set xtics ( "RAPID" 1, "SAT lite" 2, "Dual" 3, "QuickCD (k = 18)" 4, "packed" 5 )
set key top right
at( name ) = sum [i = 1:5] ( word( names, i ) eq name ? i : 0 )
plot file using ( strcol( 1 ) eq "Scenario III" && at( strcol( 3 ) ) > 0 ? at( strcol( 3 ) ) - 0.19 : NaN ):( $17 / our_rapid ) with boxes lc rgb rapid_colour title "here", \
	"" using ( strcol( 1 ) eq "Scenario III" && at( strcol( 3 ) ) > 0 ? at( strcol( 3 ) ) - 0.19 : NaN ):( $17 / our_rapid ):( sprintf( "%.2f", $17 / our_rapid ) ) with labels offset 0, 0.6 font ",12" notitle, \
	"" using ( strcol( 1 ) eq "Scenario III" && at( strcol( 3 ) ) > 0 && $16 > 0 ? at( strcol( 3 ) ) + 0.19 : NaN ):( $16 / their_rapid ) with boxes fillstyle pattern 4 lc rgb dual_colour title "the paper", \
	"" using ( strcol( 1 ) eq "Scenario III" && at( strcol( 3 ) ) > 0 && $16 > 0 ? at( strcol( 3 ) ) + 0.19 : NaN ):( $16 / their_rapid ):( sprintf( "%.2f", $16 / their_rapid ) ) with labels offset 0, 0.6 font ",12" notitle
