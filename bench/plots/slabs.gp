# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# k-DOP trees, the environment first as in QuickCD: time over the number of slabs, RAPID = 1.

load folder . "/style.gp"
file = data . "/quickcd.csv"
# Columns: scenario, row, kind of tree, poses, us a query, its ratio to rapid.
# The trees of the original's kind are the third to the seventh after rapid's line; names end at their first comma here.
n = 0
counted( s ) = ( n = s eq "rapid" ? 0 : n + 1, s )
k_of( s ) = counted( s )[1:2] eq "k " && n >= 3 && n <= 7 ? s[3:*] + 0 : NaN
# Scenario III is there twice: the generated cabin, then a real one, which is left out.
cabins = 0
counted_cabins( s, name ) = ( cabins = s eq "I" ? 0 : s eq "III" && name eq "rapid" ? cabins + 1 : cabins, s )
curve( scenario, row ) = counted_cabins( strcol( 1 ), strcol( 3 ) ) eq scenario && strcol( 2 ) eq row && cabins < 2 ? column( 6 ) : NaN

set logscale y
set yrange [0.25:16]
set ytics ( 0.25, 0.5, 1, 2, 4, 8, 16, 32 )
set xrange [4:28]
set xtics ( 6, 14, 18, 24, 26 )
set xlabel "k, the directions of a k-DOP (an axis is two)"
set ylabel "time, RAPID's = 1"
set key outside right Left reverse

plot file using ( k_of( strcol( 3 ) ) ):( curve( "I", "0 %" ) ) lt 1 title "Scenario I, 0 %", \
	"" using ( k_of( strcol( 3 ) ) ):( curve( "I", "1 %" ) ) lt 2 title "Scenario I, 1 %", \
	"" using ( k_of( strcol( 3 ) ) ):( curve( "I", "5 %" ) ) lt 6 title "Scenario I, 5 %", \
	"" using ( k_of( strcol( 3 ) ) ):( curve( "II", "1e-3" ) ) lt 13 title "Scenario II, 1e-3", \
	"" using ( k_of( strcol( 3 ) ) ):( curve( "II", "1e-5" ) ) lt 14 title "Scenario II, 1e-5", \
	"" using ( k_of( strcol( 3 ) ) ):( curve( "III", "path" ) ) lt 5 title "Scenario III", \
	1 lc rgb "#999999" lw 0.8 dt 2 notitle
