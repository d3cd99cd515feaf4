package workload

import "time"

// Outage is a time at which the cluster was gone: nothing succeeded, and transactions
// failed because no node answered them.
type Outage struct {
	// From is when the first of these transactions began, or after that the last
	// one before them succeeded; Until is when the next one succeeded, or until
	// when it had not.
	From, Until time.Time
	Over        bool // false if it lasted to the end of what is known
}

// minOutage is the shortest time that counts as an outage: below it, it may be a
// connection that was lost while little was going on.
const minOutage = 500 * time.Millisecond

// maxOutages bounds the memory that a cluster which comes and goes for days takes.
const maxOutages = 1000

// outages tells outages from failures and successes, as they become known. All times
// count from the same moment.
type outages struct {
	list    []gap
	failing bool          // an outage may be under way,
	from    time.Duration // since then
	failed  time.Duration // when the last failure ended
	healed  time.Duration // the first success since from; 0 for none
}

type gap struct{ from, until time.Duration }

// open returns since when an outage is under way, if it is.
func (o *outages) open() (from time.Duration, ok bool) { return o.from, o.failing }

// fail takes note of a transaction from begun to ended to which no node answered.
func (o *outages) fail(begun, ended time.Duration) {
	if !o.failing {
		o.failing, o.from, o.healed = true, begun, 0
	}
	o.failed = max(o.failed, ended)
}

// recover takes note of a transaction that has succeeded.
func (o *outages) recover(at time.Duration) {
	if o.failing && at > o.from && (o.healed == 0 || at < o.healed) {
		o.healed = at
	}
}

// look takes note of when a transaction succeeded last.
func (o *outages) look(last time.Duration) {
	if !o.failing || last <= o.from {
		return
	}
	until := last
	if o.healed > 0 {
		until = min(until, o.healed)
	}
	if until-o.from >= minOutage && len(o.list) < maxOutages {
		o.list = append(o.list, gap{o.from, until})
	}
	// What failed after that may be the start of the next one.
	o.failing = o.failed > last
	o.from, o.healed = last, 0
}
