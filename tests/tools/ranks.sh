#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Ranks that share a run of check or distance, as plain processes and under mpirun: the files, the words and the status
# of one process; a rank that dies.
#
#   ranks.sh path/to/dualbvh

. "$(dirname "${BASH_SOURCE[0]}")/long_run.sh"

gen box --size 2,2,2 -o box.ply
gen gear -o gear.ply
gen statue --scale 30 -o statue.ply
awk 'BEGIN { for (i = 0; i < 20; ++i) print 1, 0, 0, i * 0.21, 0, 1, 0, 0, 0, 0, 1, 0 }' >some.txt

work=(distance gear.ply statue.ply --poses many.txt)
expect 0 "${work[@]}" --output whole.npy
cp out said

shares=("${work[@]}" --output shared.npy)
for names in OMPI_COMM_WORLD_RANK:OMPI_COMM_WORLD_SIZE PMI_RANK:PMI_SIZE SLURM_PROCID:SLURM_STEP_NUM_TASKS; do
	rm -f shared.npy shared.npy.state
	for rank in 0 1 2; do
		env "${names%:*}=$rank" "${names#*:}=3" "$dualbvh" "${shares[@]}" >out.$rank 2>err.$rank </dev/null &
	done
	wait
	that 'ranks give the bytes of one process' cmp -s shared.npy whole.npy
	that 'and its state' cmp -s shared.npy.state whole.npy.state
	cat out.? >out; cat err.? >err
	that 'one speaks, as one process does' cmp -s said out
	that 'nobody complains' [ ! -s err ]
	that 'nothing is left' [ "$(echo shared.npy*)" = 'shared.npy shared.npy.state' ]
done

# One after the other, in any order; the last one has the word and the status.
few=(check box.ply box.ply --poses some.txt --all --output few.jsonl)
expect 1 "${few[@]}"
mv few.jsonl few.one; rm few.jsonl.state
for rank in 3 0 2; do
	"$dualbvh" "${few[@]}" --rank $rank/4 >out 2>err </dev/null
	that "rank $rank has status 0" [ $? -eq 0 ]
	says err 'rank 1 of 4 has not begun'
	that 'nothing is said' [ ! -s out ]
done
refuses 'few.jsonl.rank-' "${few[@]}" --rank 1/5 --resume
says err '-of-4 is a share of a run that was not finished; 4 ranks can go on with it'
refuses '4 ranks can go on with it' "${few[@]}"
(mkdir -p sub && cd sub && cp ../*.ply ../some.txt ../few.jsonl.rank-0-of-4* . )
refuses '4 ranks can go on with it' "${few[@]/few.jsonl/sub\/few.jsonl}"
expect 1 "${few[@]}" --rank 1/4
says out '20 poses: 10 intersecting'
that 'the lines are those of one process' cmp -s few.jsonl few.one
expect 1 "${few[@]}" --rank 0/4 --resume # it is finished
says out '20 poses: 10 intersecting'
expect 0 "${few[@]}" --rank 3/4 --resume
that 'rank 3 leaves the word to rank 0' [ ! -s out ]
expect 1 "${few[@]}" --resume # and by one process
rm few.jsonl*
for rank in $(seq 0 22); do "$dualbvh" "${few[@]}" --rank "$rank/23" >out 2>err </dev/null; done # more than there are poses
that 'three have nothing to do' cmp -s few.jsonl few.one
mkdir kept
mv few.jsonl* kept

# A rank that dies is named by the last one; its share can be done again.
cat many.txt many.txt many.txt >long.txt
long=(distance gear.ply statue.ply --poses long.txt --output)
expect 0 "${long[@]}" long.npy
"$dualbvh" "${long[@]}" died.npy --rank 1/3 >out 2>err </dev/null &
until_more died.npy.rank-1-of-3 0
kill -KILL $! 2>/dev/null
wait 2>/dev/null
done_by_1=$(finished died.npy.rank-1-of-3)
for rank in 0 2; do "$dualbvh" "${long[@]}" died.npy --rank $rank/3 >out.$rank 2>err.$rank </dev/null & done
wait
if [ "$done_by_1" -eq "$many" ]; then
	good # it was faster than the signal
else
	cat err.0 err.2 >err
	says err "rank 1 of 3 died after $done_by_1 of its $many poses"
	says err 'died.npy is not whole yet; the same command with --resume goes on'
	that 'nobody else did' [ "$(grep -c died\ after err)" -eq "$(grep -c 'rank 1 of 3 died after' err)" ]
	refuses 'of a run that was not finished; --resume goes on' "${long[@]}" died.npy --rank 1/3
	refuses "is of another run, which --resume does not go on with; questions: there" \
		"${long[@]}" died.npy --rank 1/3 --resume --max-distance 2
fi
[ -e died.npy ] || expect 0 "${long[@]}" died.npy --rank 1/3 --resume
that 'and then all is there' cmp -s died.npy long.npy
expect 3 "${work[@]}" --output half.npy --timeout 1e-9
refuses 'half.npy: one process began this run' "${work[@]}" --output half.npy --rank 0/2 --resume

# Launchers call a job failed whose ranks have a status: --exit-zero leaves what was found to the summary.
rm -f few.jsonl*
for rank in 0 1 2; do "$dualbvh" "${few[@]}" --rank $rank/3 --exit-zero >out 2>err </dev/null; that 'status 0 of each rank' [ $? -eq 0 ]; done
says out '20 poses: 10 intersecting'
that 'the lines are those of one process' cmp -s few.jsonl few.one
rm -f few.jsonl*
expect 0 "${few[@]}" --exit-zero
expect 3 "${work[@]}" --output late.npy --timeout 1e-9 --exit-zero
refuses '--exit-zero needs --output' check box.ply box.ply --exit-zero

# Mistakes.
refuses "'2/2' is no value for --rank" "${few[@]}" --rank 2/2
refuses "'1' is no value for --rank" "${few[@]}" --rank 1
refuses "'-1/2' is no value for --rank" "${few[@]}" --rank=-1/2
refuses "'0/0' is no value for --rank" "${few[@]}" --rank 0/0
refuses 'this is rank 1 of 2, and ranks share a run only with --output FILE' check box.ply box.ply --rank 1/2
expect 1 check box.ply box.ply --rank 0/1
refuses 'standard input reaches one rank only' check box.ply box.ply --poses - --rank 0/2 --output r.npy
export OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2
refuses 'this is rank 1 of 2' distance box.ply box.ply
expect 1 distance box.ply box.ply --rank 0/1
OMPI_COMM_WORLD_RANK=2
refuses 'the environment says OMPI_COMM_WORLD_RANK=2 and OMPI_COMM_WORLD_SIZE=2, which is no rank' "${few[@]}"
unset OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE
# ------------------------------------------------------------------------------------------------
# mpirun, where there is one that can run here

mpirun=(mpirun --allow-run-as-root --oversubscribe)
if command -v mpirun >/dev/null && "${mpirun[@]}" -n 2 true >out 2>&1 </dev/null; then
	rm -f shared.npy*
	"${mpirun[@]}" -n 3 "$dualbvh" "${shares[@]}" >out 2>err </dev/null
	that 'mpirun has the status of the run' [ $? -eq 0 ]
	that 'mpirun gives the bytes of one process' cmp -s shared.npy whole.npy
	that 'one rank speaks' [ "$(wc -l <out)" -eq 1 ]
	"${mpirun[@]}" -n 3 "$dualbvh" "${few[@]}" >out 2>err </dev/null
	that 'mpirun has status 1 where something interferes' [ $? -eq 1 ]
	rm -f few.jsonl*
	"${mpirun[@]}" -n 3 "$dualbvh" "${few[@]}" --exit-zero >out 2>err </dev/null
	that 'mpirun has status 0 with --exit-zero' [ $? -eq 0 ]
	that 'and calls nothing aborted' [ ! -s err ]
	that 'mpirun gives the lines of one process' cmp -s few.jsonl few.one
	rm -f died.npy*
	"${mpirun[@]}" -n 3 bash -c 'OUT=$1; shift
		if [ "$OMPI_COMM_WORLD_RANK" -ne 1 ]; then exec "$@"; fi
		"$@" & until grep -qs "^finished: [1-9]" "$OUT.rank-1-of-3.state" || ! kill -0 $! 2>/dev/null; do sleep 0.01; done
		kill -KILL $! && kill -KILL $$' - died.npy "$dualbvh" "${long[@]}" died.npy >out 2>err </dev/null
	if [ ! -e died.npy ]; then
		cat out >>err
		says err 'rank 1 '
		"${mpirun[@]}" -n 3 "$dualbvh" "${long[@]}" died.npy --resume >out 2>err </dev/null
		that 'mpirun goes on' [ $? -eq 0 ]
	fi
	that 'mpirun gives the bytes of one process again' cmp -s died.npy long.npy
fi

finish ranks
