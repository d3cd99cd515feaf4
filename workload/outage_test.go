package workload

import (
	"slices"
	"testing"
	"time"
)

// What is seen of failures and successes is told here in milliseconds: "fail" is a
// transaction from a to b, "heal" the first success of a worker after a failure, and
// "look" a look at the last success.
type sight struct {
	what string
	a, b int
}

func TestOutages(t *testing.T) {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	for _, c := range []struct {
		why  string
		seen []sight
		want []gap
		open int // since when one is under way; -1 for none
	}{
		{"nothing fails", []sight{{"look", 100, 0}}, nil, -1},
		{"from the first failure to the first success", []sight{
			{"fail", 1000, 1001}, {"fail", 1002, 1003}, {"look", 999, 0}, {"fail", 2900, 2990},
			{"heal", 3005, 0}, {"heal", 3002, 0}, {"heal", 3050, 0}, {"look", 3099, 0}},
			[]gap{{ms(1000), ms(3002)}}, -1},
		{"without a worker that failed and then succeeded, the last success must do", []sight{
			{"fail", 1000, 2000}, {"look", 999, 0}, {"look", 3099, 0}},
			[]gap{{ms(1000), ms(3099)}}, -1},
		{"under half a second it is a hiccup", []sight{{"fail", 1000, 1001}, {"heal", 1499, 0}, {"look", 1499, 0}}, nil, -1},
		{"half a second counts", []sight{{"fail", 1000, 1001}, {"heal", 1500, 0}, {"look", 1510, 0}}, []gap{{ms(1000), ms(1500)}}, -1},
		{"some fail while others succeed", []sight{
			{"fail", 1000, 1001}, {"look", 1099, 0}, {"fail", 1200, 1201}, {"look", 1299, 0}, {"fail", 2000, 2001}, {"look", 2099, 0}}, nil, -1},
		{"the outage begins between two looks, after a success", []sight{
			{"fail", 1000, 1001}, {"fail", 1050, 1051}, {"look", 1040, 0}, {"look", 1040, 0}, {"heal", 4000, 0}, {"look", 4010, 0}},
			[]gap{{ms(1040), ms(4000)}}, -1},
		{"it is not over", []sight{{"fail", 1000, 1001}, {"look", 999, 0}, {"fail", 5000, 6000}, {"look", 999, 0}}, nil, 1000},
		{"two of them", []sight{
			{"fail", 1000, 1001}, {"heal", 2000, 0}, {"look", 2050, 0}, {"fail", 3000, 3001}, {"heal", 4000, 0}, {"look", 4050, 0}},
			[]gap{{ms(1000), ms(2000)}, {ms(3000), ms(4000)}}, -1},
		{"a success before the failure is none after it", []sight{{"fail", 1000, 1001}, {"heal", 900, 0}, {"look", 900, 0}}, nil, 1000},
		{"nothing ever succeeded", []sight{{"fail", 0, 1}, {"look", -1, 0}}, nil, 0},
	} {
		var o outages
		for _, s := range c.seen {
			switch s.what {
			case "fail":
				o.fail(ms(s.a), ms(s.b))
			case "heal":
				o.recover(ms(s.a))
			case "look":
				o.look(ms(s.a))
			}
		}
		if !slices.Equal(o.list, c.want) {
			t.Errorf("%s: %v, want %v", c.why, o.list, c.want)
		}
		from, open := o.open()
		if open != (c.open >= 0) || open && from != ms(c.open) {
			t.Errorf("%s: open since %v (%v), want %d", c.why, from, open, c.open)
		}
	}
}

func TestOutagesAreBounded(t *testing.T) {
	var o outages
	for i := range 2 * maxOutages {
		at := time.Duration(i) * time.Minute
		o.fail(at, at+1)
		o.recover(at + time.Second)
		o.look(at + time.Second)
	}
	if len(o.list) != maxOutages {
		t.Errorf("%d outages are kept, want %d", len(o.list), maxOutages)
	}
}
