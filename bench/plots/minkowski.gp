# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# What Figures 1 to 5 of Chang, Wang and Kim (2009) show, computed. Two rectangles, or rectangle and circle, overlap where
# the difference of their centres lies in their Minkowski sum; an axis is the slab that holds the sum and is as wide as
# both projections. 1: the y axis separates. 2: it does not, though the rectangles are apart. 3, 4: in the sum of the
# bounding circles, the sum (white), what only the minor axes a0 and b0 find (light), what only the major ones do, which
# is what leaving them out loses: next to nothing in 3 (thin rectangles, as a hair's breadth), a part in 4. 5: how far a rectangle reaches along an axis across one of its sides.

size_x = 960
size_y = 800
load folder . "/style.gp"
set datafile separator whitespace # it holds for what is sampled, too
unset border
unset tics
unset grid
unset key
set size ratio -1
light = "#cfe3f1"
dark = "#0072b2"
either = "#7d9cb3"
body_a = "#f3d9a0"
body_b = "#a9d8c6"

# A rectangle as two half edges: a along its angle, b across it.
ux( t ) = cos( t * pi / 180 )
uy( t ) = sin( t * pi / 180 )
# How far the rectangle (t, a, b) reaches along the direction d.
reach( d, t, a, b ) = a * abs( cos( ( d - t ) * pi / 180 ) ) + b * abs( sin( ( d - t ) * pi / 180 ) )

# The four corners of a rectangle and the first again, as a parametric line.
corner_x( s, t, a, b ) = ( s == 0 || s == 4 ? a * ux( t ) - b * uy( t ) : s == 1 ? -a * ux( t ) - b * uy( t ) : s == 2 ? -a * ux( t ) + b * uy( t ) : a * ux( t ) + b * uy( t ) )
corner_y( s, t, a, b ) = ( s == 0 || s == 4 ? a * uy( t ) + b * ux( t ) : s == 1 ? -a * uy( t ) + b * ux( t ) : s == 2 ? -a * uy( t ) - b * ux( t ) : a * uy( t ) - b * ux( t ) )
set samples 5
set multiplot layout 3, 4 margins 0.02, 0.98, 0.04, 0.94 spacing 0.03, 0.06

# ------------------------------------------------------------------------------------------------
# Figures 1 and 2

do for [figure = 1:2] {
	# Half sizes and angles of both; where the centre of the second is.
	p = 0; a = 1.3; b = 0.5
	q = figure == 1 ? 25 : 40; c = 0.9; e = 0.45
	px = figure == 1 ? 0.5 : 2.15; py = figure == 1 ? 1.75 : 1.12
	unset object
	unset arrow
	unset label
	set title sprintf( "Figure %d: the objects", figure ) offset 0, -0.5
	set xrange [-3.2:3.2]
	set yrange [-2.6:3.0]
	set arrow 1 from -2.9, -b to -2.9, b heads size 0.12, 30 lw 2 lc rgb orange_colour
	set arrow 2 from 3.0, py - reach( 90, q, c, e ) to 3.0, py + reach( 90, q, c, e ) heads size 0.12, 30 lw 2 lc rgb lite_colour
	set label 1 "on the y axis" at -3.0, -2.2 font ",11"
	plot sample [s = 0:4] '+' using ( corner_x( int( s ), p, a, b ) ):( corner_y( int( s ), p, a, b ) ) with filledcurves closed fc rgb body_a, \
		[s = 0:4] '+' using ( corner_x( int( s ), p, a, b ) ):( corner_y( int( s ), p, a, b ) ) with lines lc rgb "#000000" lw 1.2, \
		[s = 0:4] '+' using ( px + corner_x( int( s ), q, c, e ) ):( py + corner_y( int( s ), q, c, e ) ) with filledcurves closed fc rgb body_b, \
		[s = 0:4] '+' using ( px + corner_x( int( s ), q, c, e ) ):( py + corner_y( int( s ), q, c, e ) ) with lines lc rgb "#000000" lw 1.2
	set title sprintf( "Figure %d: Minkowski sum", figure ) offset 0, -0.5
	unset arrow
	unset label
	h = b + reach( 90, q, c, e )
	set object 1 rectangle from -3.2, -h to 3.2, h fillcolor rgb light fillstyle solid noborder behind
	set label 1 "slab" at -3.1, h - 0.25 font ",11" textcolor rgb dark
	set label 2 "" at px, py point pt 7 ps 1.2 lc rgb dual_colour
	# The sum's outline: its support in all directions.
	support( d ) = reach( d, p, a, b ) + reach( d, q, c, e )
	set samples 721
	sx( d ) = a * ux( p ) * sgn( cos( ( d - p ) * pi / 180 ) ) - b * uy( p ) * sgn( sin( ( d - p ) * pi / 180 ) ) + c * ux( q ) * sgn( cos( ( d - q ) * pi / 180 ) ) - e * uy( q ) * sgn( sin( ( d - q ) * pi / 180 ) )
	sy( d ) = a * uy( p ) * sgn( cos( ( d - p ) * pi / 180 ) ) + b * ux( p ) * sgn( sin( ( d - p ) * pi / 180 ) ) + c * uy( q ) * sgn( cos( ( d - q ) * pi / 180 ) ) + e * ux( q ) * sgn( sin( ( d - q ) * pi / 180 ) )
	plot sample [d = 0.25:360.25] '+' using ( sx( d ) ):( sy( d ) ) with filledcurves closed fc rgb "#ffffff", \
		[d = 0.25:360.25] '+' using ( sx( d ) ):( sy( d ) ) with lines lc rgb "#000000" lw 1.4
	set samples 5
}

# ------------------------------------------------------------------------------------------------
# Figures 3 and 4

do for [figure = 3:4] {
	p = 0; a = 1.0; b = figure == 3 ? 0.08 : 0.8
	q = figure == 3 ? 80 : 15; c = figure == 3 ? 0.9 : 1.0; e = figure == 3 ? 0.07 : 0.7
	r = sqrt( a * a + b * b ) + sqrt( c * c + e * e )
	unset object
	unset arrow
	unset label
	set xrange [-2.9:2.9]
	set yrange [-2.9:2.9]
	set title sprintf( "Figure %d: a0 and b0", figure ) offset 0, -0.5
	set object 1 circle at -1.4, 0.9 size sqrt( a * a + b * b ) fillstyle empty border lc rgb "#888888"
	set object 2 circle at 1.4, -0.9 size sqrt( c * c + e * e ) fillstyle empty border lc rgb "#888888"
	set arrow 1 from -1.4, 0.9 to -1.4, 0.9 + b size 0.12, 30 lw 2 lc rgb dual_colour
	set arrow 2 from 1.4, -0.9 to 1.4 - e * uy( q ), -0.9 + e * ux( q ) size 0.12, 30 lw 2 lc rgb dual_colour
	plot sample [s = 0:4] '+' using ( -1.4 + corner_x( int( s ), p, a, b ) ):( 0.9 + corner_y( int( s ), p, a, b ) ) with lines lc rgb "#000000" lw 1.4, \
		[s = 0:4] '+' using ( 1.4 + corner_x( int( s ), q, c, e ) ):( -0.9 + corner_y( int( s ), q, c, e ) ) with lines lc rgb "#000000" lw 1.4
	set title sprintf( "Figure %d: what separates", figure ) offset 0, -0.5
	unset object
	unset arrow
	# How far the slabs of the minor and of the major axes reach from the centre in the direction t, and the disc.
	to_slab( t, d ) = ( reach( d, p, a, b ) + reach( d, q, c, e ) ) / ( abs( cos( ( t - d ) * pi / 180 ) ) + 1e-9 )
	nearer( x, y ) = x < y ? x : y
	minor( t ) = nearer( r, nearer( to_slab( t, p + 90 ), to_slab( t, q + 90 ) ) )
	major( t ) = nearer( r, nearer( to_slab( t, p ), to_slab( t, q ) ) )
	both( t ) = nearer( minor( t ), major( t ) )
	set samples 2881
	plot sample [t = 0:360] '+' using ( r * ux( t ) ):( r * uy( t ) ) with filledcurves closed fc rgb either, \
		[t = 0:360] '+' using ( major( t ) * ux( t ) ):( major( t ) * uy( t ) ) with filledcurves closed fc rgb light, \
		[t = 0:360] '+' using ( minor( t ) * ux( t ) ):( minor( t ) * uy( t ) ) with filledcurves closed fc rgb dual_colour, \
		[t = 0:360] '+' using ( both( t ) * ux( t ) ):( both( t ) * uy( t ) ) with filledcurves closed fc rgb "#ffffff", \
		[t = 0:360] '+' using ( minor( t ) * ux( t ) ):( minor( t ) * uy( t ) ) with lines lc rgb "#000000" lw 1, \
		[t = 0:360] '+' using ( major( t ) * ux( t ) ):( major( t ) * uy( t ) ) with lines lc rgb "#000000" lw 1, \
		[t = 0:360] '+' using ( r * ux( t ) ):( r * uy( t ) ) with lines lc rgb "#000000" lw 1.4
	set samples 5
}

# ------------------------------------------------------------------------------------------------
# Figure 5, and what the colours are

unset object
unset arrow
unset label
a = 1.5; b = 0.6
set xrange [-2.9:2.9]
set yrange [-2.4:2.4]
do for [i = 1:2] {
	d = i == 1 ? 90 : 90 + 35
	set title ( i == 1 ? "Figure 5: e0 at least" : "e0 to the diagonal" ) offset 0, -0.5
	h = reach( d, 0, a, b )
	set arrow 1 from -2.4 * ux( 0 ) - h * ux( d ), -1.7 * ( i == 2 ) * 0 - h * uy( d ) to -2.4 * ux( 0 ) + h * ux( d ), h * uy( d ) heads size 0.12, 30 lw 2 lc rgb dual_colour
	set arrow 2 from -3 * uy( d ) + h * ux( d ), 3 * ux( d ) + h * uy( d ) to 3 * uy( d ) + h * ux( d ), -3 * ux( d ) + h * uy( d ) nohead dt 3 lc rgb "#888888"
	set arrow 3 from -3 * uy( d ) - h * ux( d ), 3 * ux( d ) - h * uy( d ) to 3 * uy( d ) - h * ux( d ), -3 * ux( d ) - h * uy( d ) nohead dt 3 lc rgb "#888888"
	plot sample [s = 0:4] '+' using ( corner_x( int( s ), 0, a, b ) ):( corner_y( int( s ), 0, a, b ) ) with filledcurves closed fc rgb body_a, \
		[s = 0:4] '+' using ( corner_x( int( s ), 0, a, b ) ):( corner_y( int( s ), 0, a, b ) ) with lines lc rgb "#000000" lw 1.2
}
unset arrow
set title "in Figures 3 and 4" offset 0, -0.5
set object 1 rectangle from -2.6, 1.3 to -2.0, 1.8 fillcolor rgb "#ffffff" fillstyle solid border lc rgb "#000000"
set object 2 rectangle from -2.6, 0.4 to -2.0, 0.9 fillcolor rgb light fillstyle solid border lc rgb "#000000"
set object 3 rectangle from -2.6, -0.5 to -2.0, 0.0 fillcolor rgb either fillstyle solid border lc rgb "#000000"
set object 4 rectangle from -2.6, -1.4 to -2.0, -0.9 fillcolor rgb dual_colour fillstyle solid border lc rgb "#000000"
set label 1 "overlap on all four axes" at -1.8, 1.55 font ",11"
set label 2 "only a minor axis separates" at -1.8, 0.65 font ",11"
set label 3 "minor and major ones do" at -1.8, -0.25 font ",11"
set label 4 "only a major one: what is lost" at -1.8, -1.15 font ",11"
plot -100 with lines
unset multiplot
