#!/bin/sh
# Runs a stage file a few times, compares the runs with those of the last good
# night, writes a report, and fails if an assertion failed or something got worse.
#
# usage: nightly.sh [FLAGS OF AEROLOAD...]     such as --hosts my-node:3000
#
# The environment may set
#   NIGHTLY_AEROLOAD  the program (aeroload)
#   NIGHTLY_STAGES    the stage file (nightly.yaml beside this script)
#   NIGHTLY_RESULTS   the folder that keeps the nights (nightly-results)
#   NIGHTLY_RUNS      runs a night (3)
#   NIGHTLY_AGAINST   how many of the last good nights to compare with (1)
#   NIGHTLY_KEEP      nights to keep (30)
#   NIGHTLY_FAIL_IF   what counts as worse: conditions of `aeroload compare
#                     --fail-if`, one a line
#
# Exit codes: 0 a good night, which later ones are compared with; 3 an assertion
# failed or something got worse; 1 a run failed; 2 wrong flags, files or settings;
# 130 and 143 stopped by a signal. README.md has more.
set -eu
LC_ALL=C # names sort by their bytes
export LC_ALL

here=$(cd "$(dirname "$0")" && pwd)
aeroload=${NIGHTLY_AEROLOAD:-aeroload}
stages=${NIGHTLY_STAGES:-$here/nightly.yaml}
results=${NIGHTLY_RESULTS:-nightly-results}
runs=${NIGHTLY_RUNS:-3}
against=${NIGHTLY_AGAINST:-1}
keep=${NIGHTLY_KEEP:-30}
fail_if=${NIGHTLY_FAIL_IF:-'p50 > +10%
p99 > +15%
tps < -5%'}

say() { printf 'nightly: %s\n' "$*" >&2; }

wrong() {
	say "$*"
	exit 2
}

# number NAME VALUE refuses what is no number from 1 to 9999.
number() {
	case $2 in
	'' | 0* | *[!0-9]* | ?????*) wrong "$1 is '$2'; expected a whole number from 1 to 9999" ;;
	esac
}

# nights prints the folders of all nights, oldest first, one a line.
nights() {
	for dir in "$results"/[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]T[0-9][0-9][0-9][0-9][0-9][0-9]Z*; do
		if [ -f "$dir/stages.yaml" ]; then
			printf '%s\n' "$dir"
		fi
	done
}

# good_nights prints the last good nights of the same stages, oldest first.
good_nights() {
	nights | while IFS= read -r dir; do
		if [ -f "$dir/good" ] && cmp -s "$stages" "$dir/stages.yaml"; then
			printf '%s\n' "$dir"
		fi
	done | tail -n "$against"
}

# measure N FLAGS... makes tonight's N-th run and returns its exit code.
measure() {
	out=$tonight/$night-run$1
	shift
	# In the background, so that a signal to this script is passed on at once.
	"$aeroload" --workload-stages "$stages" --result "$out.json" "$@" >"$out.log" 2>"$out.err" &
	child=$!
	code=0
	wait "$child" || code=$?
	child=
	cat "$out.err" >&2
	return "$code"
}

# compare FORMAT SIDES... compares two sides.
compare() {
	format=$1
	shift
	sides=$#
	while IFS= read -r condition; do
		if [ -n "$condition" ]; then
			set -- "$@" --fail-if "$condition"
		fi
	done <<END
$fail_if
END
	while [ "$sides" -gt 0 ]; do # they come last
		side=$1
		shift
		set -- "$@" "$side"
		sides=$((sides - 1))
	done
	"$aeroload" compare --format "$format" "$@"
}

# check_conditions refuses wrong conditions before anything runs: without sides,
# compare complains of these first.
check_conditions() {
	problem=$(compare text 2>&1) || :
	case $problem in
	*--fail-if:*) wrong "NIGHTLY_FAIL_IF: ${problem#*--fail-if: }" ;;
	esac
}

# report writes the page: four runs of a side at most, since it shows no more than
# eight.
report() {
	set --
	for dir in "$last" "$tonight"; do
		n=0
		for file in "$dir"/*.json; do
			if [ -n "$dir" ] && [ -f "$file" ] && [ "$n" -lt 4 ]; then
				set -- "$@" "$file"
				n=$((n + 1))
			fi
		done
	done
	if [ $# -gt 0 ]; then
		"$aeroload" report "$@" -o "$tonight/report.html"
	fi
}

# summary VERDICT writes what people look at first.
summary() {
	{
		printf '# Nightly load test: %s\n\n' "$1"
		if [ -s "$tonight/worse.txt" ]; then
			sed 's/^/* /' "$tonight/worse.txt"
			echo
		fi
		if [ -n "$last" ]; then
			printf 'Compared with %s.\n\n' "$last"
		fi
		if [ -f "$tonight/comparison.md" ]; then
			cat "$tonight/comparison.md"
		fi
	} >"$tonight/summary.md"
}

# prune removes the oldest nights beyond those to keep, but none that the next one
# is to be compared with.
prune() {
	{
		good_nights
		printf '%s\n' "$tonight"
	} >"$results/.keep"
	extra=$(($(nights | wc -l) - keep))
	nights | while IFS= read -r dir && [ "$extra" -gt 0 ]; do
		extra=$((extra - 1))
		if ! grep -qxF -- "$dir" "$results/.keep"; then
			rm -rf -- "$dir"
		fi
	done
	rm -f "$results/.keep"
}

# stopped CODE, which the traps call, ends the run that goes on, and the night.
# shellcheck disable=SC2317
stopped() {
	trap '' INT TERM
	if [ -n "$child" ]; then
		kill -TERM "$child" 2>/dev/null || :
		wait "$child" || :
	fi
	say "stopped; tonight counts as no good night"
	exit "$1"
}

number NIGHTLY_RUNS "$runs"
number NIGHTLY_AGAINST "$against"
number NIGHTLY_KEEP "$keep"
case $results in
*,*) wrong "NIGHTLY_RESULTS is '$results'; the path must not have commas, which separate results for aeroload" ;;
esac
command -v "$aeroload" >/dev/null || wrong "there is no program $aeroload; NIGHTLY_AEROLOAD may say where it is"
check_conditions
[ -r "$stages" ] || wrong "the stage file $stages cannot be read"
mkdir -p "$results" || wrong "the folder $results cannot be made"

# The name of a night is when it began. One that begins in the same second as the
# last has a letter more, so that it sorts behind it.
night=$(date -u +%Y%m%dT%H%M%SZ)
newest=$(nights | tail -n 1)
newest=${newest##*/}
case $newest in
"$night"*) night=${newest}b ;;
esac
until mkdir "$results/$night" 2>/dev/null; do
	[ -d "$results/$night" ] || wrong "nothing can be written to $results"
	night=${night}b
done
tonight=$results/$night
child=
trap 'stopped 130' INT
trap 'stopped 143' TERM

base=$(good_nights | paste -s -d , -)
last=$(good_nights | tail -n 1)
cp "$stages" "$tonight/stages.yaml"
printf '%s\n' "$night" >"$results/latest"
: >"$tonight/worse.txt"

status=0
run=1
while [ "$run" -le "$runs" ]; do
	say "run $run of $runs"
	code=0
	measure "$run" "$@" || code=$?
	case $code in
	0) ;;
	3)
		status=3
		sed -n "s/^Stage \([0-9]*\): assertion FAILED */run $run, stage \1: assertion failed: /p" "$tonight/$night-run$run.err" >>"$tonight/worse.txt"
		;;
	*)
		status=$code
		printf 'run %s failed with exit code %s\n' "$run" "$code" >>"$tonight/worse.txt"
		break
		;;
	esac
	run=$((run + 1))
done
if [ "$status" -eq 2 ] && [ "$run" -eq 1 ]; then
	# Nothing was sent, so there was no night.
	rm -rf -- "$tonight" "$results/latest"
	exit 2
fi

if [ -z "$base" ]; then
	say "there is no good night of these stages yet to compare with"
elif [ "$status" -eq 0 ] || [ "$status" -eq 3 ]; then
	say "comparison with $base"
	code=0
	compare text "$base" "$tonight" >"$tonight/comparison.txt" 2>"$tonight/comparison.err" || code=$?
	cat "$tonight/comparison.txt"
	sed 's/^aeroload: //' "$tonight/comparison.err" >>"$tonight/worse.txt"
	case $code in
	0 | 3) compare markdown "$base" "$tonight" >"$tonight/comparison.md" 2>/dev/null || : ;;
	esac
	# That a comparison is impossible follows from a stage that failed and
	# stopped the run.
	if [ "$status" -eq 0 ]; then
		status=$code
	fi
fi

code=0
report || code=$?
if [ "$status" -eq 0 ]; then
	status=$code
fi
if [ "$status" -eq 0 ]; then
	: >"$tonight/good"
	summary passed
	prune
	say "passed"
	exit 0
fi
summary failed
prune
say "failed:"
cat "$tonight/worse.txt" >&2
exit "$status"
