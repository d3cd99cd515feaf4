package embedded

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// fieldQueryID is the number by which a client knows a query.
const fieldQueryID = 7

// Kinds of functions that a query may name.
const (
	udfAggregate  = 1 // a stream function
	udfBackground = 2 // a record function, called on each record
)

// udfQuery answers a query that calls a function.
func (c *conn) udfQuery(ns *namespace, req *request) error {
	kind := req.field(fieldUDFOp)
	switch {
	case len(kind) != 1 || kind[0] != udfAggregate && kind[0] != udfBackground:
		c.reply(failed(codeParameter))
		return nil
	case kind[0] == udfAggregate:
		return c.aggregate(ns, req)
	}
	return c.background(ns, req, func(req *request) resultCode {
		if _, ok := parseUDF(req); !ok {
			return codeParameter
		}
		return codeOK
	}, c.backgroundUDF)
}

// backgroundUDF calls a function on a record.
func (c *conn) backgroundUDF(ns *namespace, msg, req *request, check func(*record) bool) outcome {
	call, _ := parseUDF(req)
	call.background, call.check = true, check
	return c.runUDF(ns, msg, &call)
}

// checkBackgroundOps checks the operations of a background write, which must not
// read.
func checkBackgroundOps(req *request) resultCode {
	if req.info1&info1Read != 0 || len(req.ops) == 0 {
		return codeParameter
	}
	for i := range req.ops {
		switch req.ops[i].code {
		case opRead, opCDTRead, opBitsRead, opHLLRead, opExpRead:
			return codeParameter
		}
	}
	return codeOK
}

// backgroundWrite writes a record, if it is still one that the query finds.
func (c *conn) backgroundWrite(ns *namespace, msg, req *request, check func(*record) bool) outcome {
	r := ns.lookup(&msg.digest, c.server.nowMs())
	if r == nil || check != nil && !check(r) {
		return failed(codeNotFound)
	}
	msg.setField(fieldSet, []byte(ns.setName(r.setID)))
	msg.ops = req.ops
	return c.write(ns, msg)
}

// background does something to each record that a query finds. All is done when
// the reply comes; a real server replies at once.
func (c *conn) background(
	ns *namespace, req *request, check func(*request) resultCode,
	do func(*namespace, *request, *request, func(*record) bool) outcome,
) error {
	plan, code := planBackground(ns, req)
	if code == codeOK {
		code = check(req)
	}
	if code != codeOK {
		c.reply(failed(code))
		return nil
	}
	var matches func(*record) bool
	if plan.find != nil {
		matches = plan.find.matches
	}
	job := job{id: jobID(req), namespace: ns.name, set: string(req.field(fieldSet)), from: c.peer.String()}
	for pid := range partitions {
		for _, f := range c.foundIn(ns, plan, pid) {
			msg := &request{
				info2: info2Write | req.info2&info2DurableDelete, ttl: req.ttl, digest: f.digest,
				info3: info3UpdateOnly | req.info3&info3ReplaceOnly,
			}
			start := len(c.out)
			if do(ns, msg, req, matches).code == codeOK {
				job.succeeded++
			} else {
				job.failed++
			}
			c.out = c.out[:start] // nobody asked for results
		}
	}
	c.server.jobs.add(job)
	c.trailer(codeOK)
	return nil
}

// planBackground checks a background query. The order of the checks is the real
// server's.
func planBackground(ns *namespace, req *request) (*queryPlan, resultCode) {
	if req.info1&info1ShortQuery != 0 {
		return nil, codeParameter
	}
	plan := &queryPlan{}
	if !plan.takeSet(ns, req) || !plan.takeIndex(ns, req) || !validQueryFields(req) {
		return nil, codeParameter
	}
	if plan.noSet {
		return nil, codeNotFound
	}
	if code := plan.findIndex(); code != codeOK {
		return nil, code
	}
	if req.has(fieldFilter) {
		var code resultCode
		if plan.filter, code = compileFilter(req.field(fieldFilter)); code != codeOK {
			return nil, code
		}
	}
	return plan, codeOK
}

// foundIn returns the records of a partition that a query finds.
func (c *conn) foundIn(ns *namespace, plan *queryPlan, pid int) []indexed {
	now := c.server.nowMs()
	var found []indexed
	if plan.find != nil {
		found = plan.find.collect(ns, pid, nil, now, nil)
	} else {
		found = ns.collect(pid, nil, now, nil)
	}
	return slices.DeleteFunc(found, func(f indexed) bool {
		return plan.inSet && f.record.setID != plan.setID || !plan.lets(ns, &f, now)
	})
}

// A job is a background query that has ended.
type job struct {
	id                   uint64
	namespace, set, from string
	succeeded, failed    int
}

// jobID returns the number that a client gives a query, 0 if it gives none.
func jobID(req *request) uint64 {
	if id := req.field(fieldQueryID); len(id) == 8 {
		return binary.BigEndian.Uint64(id)
	}
	return 0
}

// maxJobs is how many ended jobs are remembered, as by the real server's default.
const maxJobs = 100

// A jobList remembers the last background queries, oldest first.
type jobList struct {
	mu   sync.Mutex
	list []job
}

func (l *jobList) add(j job) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.list) == maxJobs {
		l.list = slices.Delete(l.list, 0, 1)
	}
	l.list = append(l.list, j)
}

// describe lists the jobs with an ID, or all if it is 0.
func (l *jobList) describe(id uint64) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, j := range l.list {
		if id == 0 || j.id == id {
			out = append(out, fmt.Sprintf("trid=%d:ns=%s:set=%s:active-threads=0:status=done(ok):job-progress=100.00:"+
				"recs-succeeded=%d:recs-failed=%d:from=%s:job-type=background",
				j.id, j.namespace, j.set, j.succeeded, j.failed, strings.ReplaceAll(j.from, ":", "+")))
		}
	}
	return out
}

// infoQueryShow describes a background query, or all. They have ended: a query is
// done before its reply.
func (s *Server) infoQueryShow(params string) string {
	id, state := infoParam(params, "id", 24)
	if state == paramMissing {
		id, state = infoParam(params, "trid", 24)
	}
	if state == paramMissing {
		return strings.Join(s.jobs.describe(0), ";")
	}
	n, err := strconv.ParseUint(id, 0, 64)
	if err != nil || n == 0 {
		return infoError(codeParameter, "bad id")
	}
	if found := s.jobs.describe(n); len(found) > 0 {
		return found[len(found)-1]
	}
	return infoError(codeNotFound, "job not found")
}
