#!/bin/sh
# Runs the same stages again and again on the embedded server, compares each run
# with the one before it, and counts how many comparisons call anything different:
# at a level of 5 %, no more than about 5 in 100 should.
#
# usage: aa.sh AEROLOAD COMPARISONS [FOLDER]
set -eu
aeroload=$1 comparisons=$2 dir=${3:-$(mktemp -d)}
mkdir -p "$dir"
cat > "$dir/aa.yaml" <<'END'
- {workload: "RU,80", duration: 8, tps: 2000, threads: 4, key-end: 10001}
END
run() {
	"$aeroload" --embedded --workload-stages "$dir/aa.yaml" --seed "$1" --result "$dir/$1.json" > "$dir/out.txt" 2>&1 || { cat "$dir/out.txt"; exit 1; }
}
run 0
different=0
for n in $(seq "$comparisons"); do
	run "$n"
	"$aeroload" compare "$dir/$((n - 1)).json" "$dir/$n.json" > "$dir/$n.txt"
	if grep -E '\(p[=<]' "$dir/$n.txt" > "$dir/rows.txt"; then
		different=$((different + 1))
		sed "s/^/comparison $n: /" "$dir/rows.txt"
	fi
done
echo "$different of $comparisons comparisons of the same thing call something different ($dir)"
