# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Time of a search with the first so many of the axes in the paper's order, its five = 1.

load folder . "/style.gp"
file = data . "/axes.csv"
# Columns: pairs, order, how many axes, the last of them, time.
curve( pairs ) = strcol( 2 ) eq "time" && strstrt( strcol( 1 ), pairs ) > 0 && strstrt( strcol( 1 ), "the paper's tree" ) > 0 ? column( 5 ) : NaN
# Fifteen stand next to eight.
place( n ) = n > 8 ? 9.5 : n > 0 ? n : NaN

set logscale y
set yrange [0.6:8]
set xrange [0.7:9.8]
set ytics ( 0.6, 0.8, 1, 1.5, 2, 3, 4, 6, 8 )
set xtics ( "a0" 1, "+ b0" 2, "+ c22" 3, "+ c12" 4, "+ c21" 5, "+ c11" 6, "+ a1" 7, "+ b1" 8, "all 15" 9.5 )
set xlabel "axes that are tested after the spheres"
set ylabel "time, five axes = 1"
set arrow 1 from 5, graph 0 to 5, graph 1 nohead lc rgb "#bbbbbb" dt 3
set label 1 "the paper's five" at 5.1, graph 0.04 font ",11" textcolor rgb "#777777"
set key top right Left reverse at graph 0.97, graph 1.0

plot file using ( place( $3 ) ):( curve( "; 0 %;" ) ) lt 1 title "Scenario I, 0 %", \
	"" using ( place( $3 ) ):( curve( "; 1 %;" ) ) lt 2 title "Scenario I, 1 %", \
	"" using ( place( $3 ) ):( curve( "; 5 %;" ) ) lt 6 title "Scenario I, 5 %", \
	"" using ( place( $3 ) ):( curve( "gap 1e-02; aligned" ) ) lt 13 title "Scenario II, 1e-2", \
	"" using ( place( $3 ) ):( curve( "gap 1e-03; aligned" ) ) lt 14 title "Scenario II, 1e-3", \
	"" using ( place( $3 ) ):( curve( "gap 1e-05; aligned" ) ) lt 5 title "Scenario II, 1e-5"
