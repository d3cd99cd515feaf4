package workload

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/internal/steady"
)

// ErrorLog writes failed transactions, and failed records of batches, in full: the
// first of each stage, operation and result code, and then one of them every few
// seconds, with the number of those in between. Its methods may be called
// concurrently.
type ErrorLog struct {
	out   io.Writer
	mu    sync.Mutex
	kinds map[loggedKind]*logged
}

type loggedKind struct {
	stage int
	failureKey
}

type logged struct {
	shown   int
	omitted uint64    // since the last one that was shown
	next    time.Time // when another may be shown
}

const (
	logFirst = 5                // of a kind that are shown whenever they come
	logEvery = 10 * time.Second // at most one more in this time
)

// NewErrorLog returns a log that writes to out, a line an error. Errors of out are
// ignored.
func NewErrorLog(out io.Writer) *ErrorLog {
	return &ErrorLog{out: out, kinds: map[loggedKind]*logged{}}
}

// add logs an error, which detail describes if it is shown. A nil log does nothing.
func (l *ErrorLog) add(stage int, key failureKey, detail func() string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.kinds[loggedKind{stage, key}]
	if k == nil {
		k = &logged{}
		l.kinds[loggedKind{stage, key}] = k
	}
	now := steady.Now()
	if k.shown >= logFirst && now.Before(k.next) {
		k.omitted++
		return
	}
	what := "failed"
	if key.record {
		what = "of a record in a batch failed"
	}
	if k.omitted > 0 {
		what += fmt.Sprintf(" (and %d more since the last one shown)", k.omitted)
	}
	fmt.Fprintf(l.out, "%s ERROR stage %d: %s %s: %d %s: %s\n", now.Format("2006-01-02 15:04:05.000"), stage, key.op, what, key.code, key.code, detail())
	k.shown, k.omitted, k.next = k.shown+1, 0, now.Add(logEvery)
}

// record logs the failure of a record in a batch that was answered.
func (m *Monitor) record(w *worker, b *batch, i int, key failureKey) {
	if m == nil {
		return
	}
	m.log.add(m.stage, key, func() string {
		result := b.rows[i].result
		return fmt.Sprintf("%s, number %d of %d in the batch%s", w.place(b.rows[i].key), i+1, b.n, because(result.Err))
	})
}

// detail describes a command of the worker that failed: what it was about, and all
// that its error says.
func (w *worker) detail(st *step, err error) string {
	where := ""
	switch b := w.batches[st.number]; {
	case w.keyErr != nil:
		where = fmt.Sprintf("namespace %s, set %s, no key", w.job.spec.Namespace, w.job.spec.Set)
	case b != nil:
		where = fmt.Sprintf("batch of %d, the first %s", b.n, w.place(b.rows[0].key))
	case st.act.searches():
		where = fmt.Sprintf("namespace %s, set %s", w.job.spec.Namespace, w.job.spec.Set)
	default:
		where = w.place(w.key)
	}
	return where + because(err)
}

// place tells which record a key is of.
func (w *worker) place(key *as.Key) string {
	return fmt.Sprintf("namespace %s, set %s, key %s (digest %s)", key.Namespace(), key.SetName(), formatKey(key), hex.EncodeToString(key.Digest()))
}

// formatKey writes an integer plainly, and quotes what else a key may be.
func formatKey(key *as.Key) string {
	switch v := key.Value().GetObject().(type) {
	case string:
		return fmt.Sprintf("%q", v)
	case []byte:
		return "0x" + hex.EncodeToString(v)
	default:
		return fmt.Sprint(v)
	}
}

// because tells, as the rest of a sentence, what an error says besides its code:
// node, number of attempts, whether a write may have been done, and the text of the
// first attempt's error.
func because(err error) string {
	if err == nil {
		return ""
	}
	var b strings.Builder
	if node := nodeOf(err); node != nil {
		fmt.Fprintf(&b, ", node %s", node) // its name and address
	}
	var ae *as.AerospikeError
	if errors.As(err, &ae) {
		if ae.Iteration > 0 {
			fmt.Fprintf(&b, ", attempt %d", ae.Iteration+1)
		}
		if ae.InDoubt {
			b.WriteString(", may have been done all the same")
		}
	}
	// A text of several lines is made one.
	if text := strings.Join(strings.Fields(bare(describe(types.COMMON_ERROR, err), err)), " "); text != "" {
		b.WriteString(": " + text)
	}
	return b.String()
}

// bare takes off the text of an error what the client puts before it, which has been
// told.
func bare(text string, err error) string {
	for err != nil {
		var ae *as.AerospikeError
		if !errors.As(err, &ae) {
			break
		}
		text = strings.TrimPrefix(text, fmt.Sprintf("ResultCode: %s, Iteration: %d, InDoubt: %t, Node: %s: ", ae.ResultCode, ae.Iteration, ae.InDoubt, ae.Node))
		err = ae.Unwrap()
	}
	return text
}

// nodeOf returns the node that an error is about, or nil.
func nodeOf(err error) *as.Node {
	for err != nil {
		var ae *as.AerospikeError
		if !errors.As(err, &ae) {
			return nil
		}
		if ae.Node != nil {
			return ae.Node
		}
		err = ae.Unwrap()
	}
	return nil
}
