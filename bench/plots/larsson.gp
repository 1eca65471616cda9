# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Table 1 of Larsson (2008): a million tests of an ellipsoid and a box over how many of the pairs overlap; his times
# divided by how much faster his brute force is here at 5 %.

load folder . "/style.gp"
file = data . "/ellipsoid.csv"
# Columns: method, overlap, ms, his ms.
ours( name ) = strcol( 1 ) eq name && strcol( 2 ) ne "sum" ? column( 3 ) : NaN
his( name ) = strcol( 1 ) eq name && strcol( 2 ) ne "sum" && column( 4 ) > 0 ? column( 4 ) / slower : NaN
overlap( s ) = strstrt( "0123456789", s[1:1] ) > 0 ? s + 0 : NaN
slower = 1
stats file using ( strcol( 1 ) eq "BF" && strcol( 2 ) eq "5" ? $4 / $3 : NaN ) nooutput
slower = STATS_mean

set logscale y
set yrange [1.5:300]
set ytics ( 2, 5, 10, 20, 50, 100, 200 )
set xrange [0:100]
set xtics ( 5, 25, 50, 75, 95 )
set format x "%g %%"
set xlabel "pairs that overlap"
set ylabel "milliseconds for a million"
set key outside right Left reverse
set label 1 sprintf( "Larsson's times\ndivided by %.1f", slower ) at graph 1.03, graph 0.1 font ",11" textcolor rgb "#555555"

plot for [name in "FD FS features closest minkowski"] file using ( overlap( strcol( 2 ) ) ):( ours( name ) ) lt 20 notitle, \
	NaN lt 20 title "other methods", \
	file using ( overlap( strcol( 2 ) ) ):( ours( "BF" ) ) lt 1 title "brute force", \
	"" using ( overlap( strcol( 2 ) ) ):( his( "BF" ) ) lt 11 title "Larsson's brute force", \
	"" using ( overlap( strcol( 2 ) ) ):( ours( "FS+QR" ) ) lt 3 title "his fastest (FS+QR)", \
	"" using ( overlap( strcol( 2 ) ) ):( his( "FS+QR" ) ) lt 13 title "Larsson's FS+QR", \
	"" using ( overlap( strcol( 2 ) ) ):( ours( "descent" ) ) lt 6 title "descent", \
	"" using ( overlap( strcol( 2 ) ) ):( ours( "batch" ) ) lt 5 title "in batches"
