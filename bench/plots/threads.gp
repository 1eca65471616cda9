# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# What a second thread gains, as bars.

size_y = 430
load folder . "/style.gp"
file = data . "/threads.csv"
# Columns: work, ms on one thread, ms on two, gain.
unset grid
set grid xtics lc rgb "#e4e4e4" lt 1 lw 0.6
set border 3 lw 0.8
set xrange [1:2.05]
set xtics 1, 0.25
set yrange [-0.6:11.6]
set ytics noenhanced scale 0
# In the order of the file; gnuplot ends a field at its first comma, quoted or not.
array works[12] = [ "batch of poses, 0 %%", "1 %%", "2 %%", "3 %%", "4 %%", "5 %%", "inside, first contact", "inside, all contacts", \
	"one query: a mesh on itself", "one query: spheres, 1e-3", "1e-4", "1e-5" ]
do for [i = 1:12] { set ytics add ( works[i] 12 - i ) }
set style fill solid 1.0 border -1
set xlabel "speed on two threads, one = 1"
unset key
set arrow 1 from 2, graph 0 to 2, graph 1 nohead lc rgb dual_colour dt 2 lw 1.5 front
n = -1
counted( gain ) = ( n = n + 1, gain )
plot file using ( counted( $4 ) ):( 12 - n ):( 1 ):4:( 12 - n - 0.35 ):( 12 - n + 0.35 ) with boxxyerror lc rgb sky_colour, \
	"" using 4:( 12 - $0 ):( sprintf( "%.2f", $4 ) ) with labels offset -2.2, 0 font ",11" notitle
