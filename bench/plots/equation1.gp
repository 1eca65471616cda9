# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Equation (1), T = N_v C_v + N_p C_p, stacked: what pairs of volumes cost, and pairs of triangles. RAPID = 1 in each of
# three rows.

size_x = 900
size_y = 430
load folder . "/style.gp"
file = data . "/paper.csv"
names = "rapid-r sat-lite-r dual-r quickcd packed"
at( name ) = sum [i = 1:5] ( word( names, i ) eq name ? i : 0 )
# The rows that are shown, one beside the other.
block( s, r ) = s eq "Scenario I" && r eq "0 %" ? 0 : s eq "Scenario II" && r eq "1e-5" ? 6 : s eq "Scenario III" ? 12 : -1
place( dummy ) = block( strcol( 1 ), strcol( 2 ) ) >= 0 && at( strcol( 3 ) ) > 0 ? block( strcol( 1 ), strcol( 2 ) ) + at( strcol( 3 ) ) : NaN
array rapid[18]
do for [i = 0:2] {
	stats file using ( block( strcol( 1 ), strcol( 2 ) ) == 6 * i && strcol( 3 ) eq "rapid-r" ? $17 : NaN ) nooutput
	rapid[6 * i + 1] = STATS_mean
}
base( dummy ) = block( strcol( 1 ), strcol( 2 ) ) >= 0 ? rapid[block( strcol( 1 ), strcol( 2 ) ) + 1] : NaN
triangles( dummy ) = column( 10 ) * column( 21 ) * 1e-9

set style fill solid 1.0 border -1
set boxwidth 0.8
set xrange [0.3:17.7]
set yrange [0:1.25]
set ylabel "time, RAPID's = 1"
set xtics rotate by -35 offset -0.5, 0
set xtics ()
do for [b = 0:2] { do for [i = 1:5] { set xtics add ( word( "RAPID SAT\\_lite Dual QuickCD packed", i ) 6 * b + i ) } }
set xtics noenhanced
do for [b = 0:2] { do for [i = 1:5] { set xtics add ( ( i == 2 ? "SAT lite" : word( "RAPID x Dual QuickCD packed", i ) ) 6 * b + i ) } }
set label 1 "Scenario I, 0 %" at 3, 1.2 center
set label 2 "Scenario II, gap 1e-5" at 9, 1.2 center
set label 3 "Scenario III" at 15, 1.2 center
set key enhanced outside bottom center horizontal
plot file using ( place( 1 ) ):( $17 / base( 1 ) ) with boxes lc rgb sky_colour title "pairs of volumes ({/:Italic N}_v{/:Italic C}_v)", \
	"" using ( place( 1 ) ):( triangles( 1 ) / base( 1 ) ) with boxes fillstyle pattern 1 lc rgb dual_colour title "pairs of triangles ({/:Italic N}_p{/:Italic C}_p)"
