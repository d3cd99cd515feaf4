package embedded

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// A FaultOn says which commands a [Fault] is for. Each command is of one kind.
type FaultOn string

// The kinds of commands.
const (
	// FaultAny is every command on records: all kinds below but row, info and login.
	FaultAny FaultOn = "any"
	// FaultRead is a read or existence check of one record.
	FaultRead FaultOn = "read"
	// FaultWrite is a write of one record, also touch, add, append and prepend.
	FaultWrite FaultOn = "write"
	// FaultDelete is a delete of one record.
	FaultDelete FaultOn = "delete"
	// FaultOperate is a command on one record that reads and writes, or works on
	// collections, bits, sketches or expressions.
	FaultOperate FaultOn = "operate"
	// FaultUDF is a function that is called on one record.
	FaultUDF FaultOn = "udf"
	// FaultBatch is a whole batch.
	FaultBatch FaultOn = "batch"
	// FaultRow is one record of a batch. It only takes a result code, which the
	// record gets instead of being read or written; the others are not touched.
	FaultRow FaultOn = "row"
	// FaultScan is a primary-index query.
	FaultScan FaultOn = "scan"
	// FaultQuery is a secondary-index query.
	FaultQuery FaultOn = "query"
	// FaultInfo is a message of info commands, by which clients learn about the
	// cluster.
	FaultInfo FaultOn = "info"
	// FaultLogin is a login or another security command.
	FaultLogin FaultOn = "login"
)

// faultKinds are all kinds, in the order in which errors list them.
func faultKinds() []FaultOn {
	return []FaultOn{FaultAny, FaultRead, FaultWrite, FaultDelete, FaultOperate, FaultUDF, FaultBatch, FaultRow, FaultScan, FaultQuery, FaultInfo, FaultLogin}
}

// A FaultAction is what a [Fault] does to a command.
type FaultAction string

// The actions.
const (
	// FaultNone does nothing beyond the delay.
	FaultNone FaultAction = ""
	// FaultCode answers with a result code.
	FaultCode FaultAction = "code"
	// FaultDrop never answers the command nor any later one of its connection,
	// until the client closes it.
	FaultDrop FaultAction = "drop"
	// FaultClose closes the connection.
	FaultClose FaultAction = "close"
	// FaultReset closes the connection with a TCP reset.
	FaultReset FaultAction = "reset"
	// FaultTruncate carries out the command, sends the first part of its reply
	// and closes the connection.
	FaultTruncate FaultAction = "truncate"
	// FaultGarbage carries out the command and sends random bytes instead of its
	// reply.
	FaultGarbage FaultAction = "garbage"
	// FaultGarbageBody is FaultGarbage behind the reply's own 8-byte header.
	FaultGarbageBody FaultAction = "garbage=body"
)

// A Fault makes a server misbehave. [ParseFault] reads one from text.
type Fault struct {
	// On is the kind of command. Default FaultAny.
	On FaultOn

	// Namespace and Set restrict the fault to commands that name them; empty is
	// no restriction. A batch matches if one of its records does.
	Namespace, Set string
	// Key restricts it to the record with this key in Set (in no set, if that is
	// empty): an int, int64 or string. nil is no restriction.
	Key any
	// Digest restricts it to the record with this digest. Zero is no restriction.
	Digest Digest
	// Node restricts it to one node of a [Cluster], counted from 1. 0 is all.
	Node int

	// Probability is how likely the fault strikes a matching command, above 0 to
	// 1. 0 stands for 1.
	Probability float64
	// PerConnection draws once for each connection instead of each command: the
	// connections that are hit have the fault, the others never.
	PerConnection bool
	// Skip is how many matching commands pass unharmed before the fault is armed.
	Skip int
	// Count is how often the fault strikes before it is used up. 0 is no limit.
	Count int

	// Delay holds up the command. If DelayMax is greater, the time is drawn
	// uniformly between them. The connection's later commands wait as well.
	Delay, DelayMax time.Duration
	// Action is what happens then.
	Action FaultAction
	// Code is the result code for FaultCode, 1 to 255.
	Code int
	// Bytes is how much of the reply FaultTruncate sends, from 0. -1 is half of it.
	Bytes int
	// After carries out the command before the delay and the action, so that it
	// takes effect although the client learns of a failure or of nothing.
	// FaultTruncate and FaultGarbage do so in any case.
	After bool
}

// check returns an error if the fault makes no sense.
func (f *Fault) check() error {
	onData := f.On != FaultInfo && f.On != FaultLogin
	switch {
	case !slices.Contains(faultKinds(), f.On):
		return fmt.Errorf("unknown kind of command %q", f.On)
	case !onData && (f.Namespace != "" || f.Set != "" || f.Key != nil || f.Digest != Digest{}):
		return fmt.Errorf("an %s command has no namespace, set or key", f.On)
	case f.Key != nil && f.Digest != Digest{}:
		return errors.New("a key and a digest exclude each other")
	case f.Node < 0:
		return fmt.Errorf("node %d is negative", f.Node)
	case !(f.Probability > 0 && f.Probability <= 1):
		return fmt.Errorf("probability %v is not above 0 and up to 1", f.Probability)
	case f.Skip < 0 || f.Count < 0:
		return errors.New("a count is negative")
	case f.On == FaultRow && (f.Action != FaultCode || f.Delay != 0 || f.DelayMax != 0 || f.After):
		return errors.New("a row of a batch takes a result code and nothing else")
	case f.Delay < 0 || f.DelayMax != 0 && f.DelayMax < f.Delay:
		return fmt.Errorf("delay %v..%v is negative or backwards", f.Delay, f.DelayMax)
	}
	return f.checkAction()
}

func (f *Fault) checkAction() error {
	switch f.Action {
	case FaultNone:
		if f.Delay == 0 && f.DelayMax == 0 {
			return errors.New("it does nothing: give a delay, code, drop, close, reset, truncate or garbage")
		}
	case FaultCode:
		if f.Code < 1 || f.Code > 255 {
			return fmt.Errorf("result code %d is not in 1..255", f.Code)
		}
	case FaultTruncate:
		if f.Bytes < -1 {
			return fmt.Errorf("%d bytes of a reply", f.Bytes)
		}
	case FaultDrop, FaultClose, FaultReset, FaultGarbage, FaultGarbageBody:
	default:
		return fmt.Errorf("unknown action %q", f.Action)
	}
	if f.Code != 0 && f.Action != FaultCode {
		return fmt.Errorf("a result code doesn't go with %q", f.Action)
	}
	return nil
}

// A faultSet is a server's faults. It is replaced, never changed.
type faultSet struct{ rules []*faultRule }

// A faultRule is a fault with its state.
type faultRule struct {
	Fault
	digest Digest // of Key
	seed   uint64
	off    bool // it is for another node

	mu      sync.Mutex // guards what follows
	rng     *rand.Rand
	matched int
	struck  int
}

// SetFaults replaces the server's faults; without any it behaves again. The first
// that strikes a command is carried out, the others are passed over. What is drawn
// by chance depends on the seed and on the order in which matching commands
// arrive. An error says which fault makes no sense; the old ones stay then.
//
// Each node of a [Cluster] has faults of its own; see [Cluster.SetFaults].
func (s *Server) SetFaults(seed uint64, faults ...Fault) error {
	set := &faultSet{}
	for i, f := range faults {
		if f.On == "" {
			f.On = FaultAny
		}
		if f.Probability == 0 {
			f.Probability = 1
		}
		err := f.check()
		rule := &faultRule{Fault: f, digest: f.Digest, seed: seed + uint64(i)<<32}
		if err == nil && f.Key != nil {
			rule.digest, err = KeyDigest(f.Set, f.Key)
		}
		if err != nil {
			return fmt.Errorf("fault %d: %w", i+1, err)
		}
		rule.off = f.Node != 0 && f.Node != max(1, s.number)
		rule.rng = rand.New(rand.NewPCG(rule.seed, uint64(s.number)))
		set.rules = append(set.rules, rule)
	}
	if len(faults) == 0 {
		set = nil
	}
	s.faults.Store(set)
	return nil
}

// FaultHits returns how often each of the server's faults has struck, in the order
// in which they were given.
func (s *Server) FaultHits() []int {
	set := s.faults.Load()
	if set == nil {
		return nil
	}
	hits := make([]int, len(set.rules))
	for i, rule := range set.rules {
		rule.mu.Lock()
		hits[i] = rule.struck
		rule.mu.Unlock()
	}
	return hits
}

// strikes reports whether the rule strikes a command that it matches.
func (r *faultRule) strikes(c *conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Count > 0 && r.struck >= r.Count {
		return false
	}
	r.matched++
	if r.matched <= r.Skip {
		return false
	}
	if r.Probability < 1 {
		draw := r.rng
		if r.PerConnection {
			draw = rand.New(rand.NewPCG(r.seed, c.serial))
		}
		if draw.Float64() >= r.Probability {
			return false
		}
	}
	r.struck++
	return true
}

// delay draws how long to wait.
func (r *faultRule) delay() time.Duration {
	if r.DelayMax <= r.Delay {
		return r.Delay
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.Delay + time.Duration(r.rng.Int64N(int64(r.DelayMax-r.Delay)+1))
}

// garble overwrites b with random bytes.
func (r *faultRule) garble(b []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range b {
		b[i] = byte(r.rng.Uint32())
	}
}
