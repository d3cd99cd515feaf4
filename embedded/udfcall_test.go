package embedded_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"testing"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"
)

// register registers a module, which is removed when the test ends.
func (tg target) register(t *testing.T, file, source string) {
	t.Helper()
	_, err := tg.client.RegisterUDF(nil, []byte(source), file, as.LUA)
	must(t, noError(err))
	t.Cleanup(func() { _, _ = tg.client.RemoveUDF(nil, file) })
}

// ask sends an info command and returns the answer.
func (tg target) ask(t *testing.T, command string) string {
	t.Helper()
	c := dialRaw(t, tg.addr)
	c.send(frame(1, []byte(command+"\n")))
	_, body := c.receive()
	_, answer, _ := strings.Cut(strings.TrimSuffix(string(body), "\n"), "\t")
	return answer
}

func TestUDFInfoCommands(t *testing.T) {
	encode := func(source string) string { return base64.StdEncoding.EncodeToString([]byte(source)) }
	good := encode("function f(rec) return 1 end\n--")
	bad := encode("function f(rec)\n  x\nreturned y\nend")
	eachTarget(t, func(t *testing.T, tg target) {
		t.Cleanup(func() { _, _ = tg.client.RemoveUDF(nil, "udfinfo.lua") })
		for _, tc := range []struct{ why, command, want string }{
			{"no file name", "udf-put:content-len=4;content=YWJj", "error=invalid_filename"},
			{"no extension", "udf-put:filename=udfinfo;content-len=4;content=YWJj", "error=invalid_filename"},
			{"nothing but an extension", "udf-put:filename=.lua;content-len=4;content=YWJj", "error=invalid_filename"},
			{"no length", "udf-put:filename=udfinfo.lua;content=YWJj", "error=invalid_content_len"},
			{"length not of base64", "udf-put:filename=udfinfo.lua;content-len=3;content=YWJ", "error=invalid_content_len"},
			{"another length", "udf-put:filename=udfinfo.lua;content-len=8;content=YWJj", "error=invalid_content"},
			{"another language", "udf-put:filename=udfinfo.lua;content-len=4;content=YWJj;udf-type=JS", "error=invalid_udf_type"},
			{"no base64", "udf-put:filename=udfinfo.lua;content-len=4;content=!!!!", "error=invalid_base64_content"},
			{"syntax error", fmt.Sprintf("udf-put:filename=udfinfo.lua;content-len=%d;content=%s", len(bad), bad),
				"error=compile_error;file=udfinfo.lua;line=3;message=" + encode("syntax error near 'returned'")},
			{"not registered so far", "udf-get:filename=udfinfo.lua", "error=not_found"},
			{"registered", fmt.Sprintf("udf-put:filename=udfinfo.lua;content=%s;content-len=%d;udf-type=LUA;", good, len(good)), "ok"},
			{"as it was sent", "udf-get:filename=udfinfo.lua", "type=LUA;content=" + good + ";"},
			{"get without a name", "udf-get:", "error=invalid_filename"},
			{"removed", "udf-remove:filename=udfinfo.lua;", "ok"},
			{"removed again", "udf-remove:filename=udfinfo.lua;", "ok"},
			{"cache", "udf-clear-cache:", "ok"},
		} {
			if got := tg.ask(t, tc.command); got != tc.want {
				t.Errorf("%s: %q, want %q", tc.why, got, tc.want)
			}
		}
		// The hash is of what the real server keeps of a module.
		tg.register(t, "udfinfo.lua", "return 1\n")
		const want = "filename=udfinfo.lua,hash="
		if got := tg.ask(t, "udf-list"); !strings.Contains(got, want) || !strings.Contains(got, ",type=LUA;") {
			t.Errorf("the list is %q", got)
		}
	})
}

func TestUDFCalls(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		tg.register(t, "udfhelp.lua", "local M = {} function M.twice(n) return 2 * n end return M")
		tg.register(t, "udfcall.lua", `
local help = require('udfhelp')
calls = 0
function count(rec) calls = calls + 1 return calls >= 1 end
function twice(rec, n) return help.twice(n) end
function add(rec, bin, n)
  rec[bin] = (rec[bin] or 0) + n
  if aerospike:exists(rec) then aerospike:update(rec) else aerospike:create(rec) end
  return rec[bin]
end
function fail(rec) error('failed on purpose') end
`)
		key := newKey(t)
		for _, tc := range []struct {
			why, module, function string
			args                  []any
			want                  any
			code                  types.ResultCode
			text                  string
		}{
			{"a function of another module", "udfcall", "twice", []any{21}, 42, types.OK, ""},
			{"a global variable", "udfcall", "count", nil, true, types.OK, ""},
			{"creates", "udfcall", "add", []any{"n", 5}, 5, types.OK, ""},
			{"updates", "udfcall", "add", []any{"n", 5}, 10, types.OK, ""},
			{"fails", "udfcall", "fail", nil, nil, types.UDF_BAD_RESPONSE, "udfcall.lua:11: failed on purpose"},
			{"no such function", "udfcall", "nope", nil, nil, types.UDF_BAD_RESPONSE, "function not found"},
			{"no such module", "udfnope", "f", nil, nil, types.UDF_BAD_RESPONSE, "UDF: Execution Error 1"},
		} {
			args := make([]as.Value, len(tc.args))
			for i, a := range tc.args {
				args[i] = as.NewValue(a)
			}
			got, err := tg.client.Execute(nil, key, tc.module, tc.function, args...)
			wantCode(t, tc.why, noError(err), tc.code)
			if got != tc.want {
				t.Errorf("%s: %v, want %v", tc.why, got, tc.want)
			}
			if tc.text != "" && (err == nil || !strings.Contains(err.Error(), tc.text)) {
				t.Errorf("%s: %v, want the text %q", tc.why, err, tc.text)
			}
		}
		policy := as.NewWritePolicy(0, 0)
		policy.RecordExistsAction = as.CREATE_ONLY
		_, err := tg.client.Execute(policy, key, "udfcall", "count")
		wantCode(t, "with a record-exists policy", noError(err), types.PARAMETER_ERROR)
	})
}

func TestUDFInBatches(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		tg.register(t, "udfbatch.lua", `
function add(rec, n)
  if not aerospike:exists(rec) then error('nothing there') end
  rec.n = rec.n + n
  aerospike:update(rec)
  return rec.n
end`)
		there, missing := newKey(t), newKey(t)
		must(t, noError(tg.client.PutBins(nil, there, as.NewBin("n", 1))))
		add := func(key *as.Key) *as.BatchUDF {
			return as.NewBatchUDF(nil, key, "udfbatch", "add", as.NewValue(10))
		}
		works, fails, read := add(there), add(missing), as.NewBatchRead(nil, there, []string{"n"})
		policy := as.NewBatchPolicy()
		policy.RespondAllKeys = true
		_ = tg.client.BatchOperate(policy, []as.BatchRecordIfc{works, fails, read})
		if r := works.BatchRec(); r.ResultCode != types.OK || r.Record.Bins["SUCCESS"] != 11 {
			t.Errorf("the call that works: %v %v", r.ResultCode, r.Record)
		}
		if r := fails.BatchRec(); r.ResultCode != types.UDF_BAD_RESPONSE || !strings.Contains(fmt.Sprint(r.Err), "nothing there") {
			t.Errorf("the call that fails: %v %v %v", r.ResultCode, r.Record, r.Err)
		}
		if r := read.BatchRec(); r.ResultCode != types.OK {
			t.Errorf("the read: %v", r.ResultCode)
		}
		r, err := tg.client.Get(nil, there)
		must(t, noError(err))
		if r.Bins["n"] != 11 || r.Generation != 2 {
			t.Errorf("the record has %v, generation %d", r.Bins, r.Generation)
		}
	})
}

// TestUDFsAreAtomic calls a function on one record from many sides.
func TestUDFsAreAtomic(t *testing.T) {
	eachTarget(t, func(t *testing.T, tg target) {
		tg.register(t, "udfatom.lua", "function bump(rec) rec.n = rec.n + 1 rec.l = list{rec.n} aerospike:update(rec) end")
		key := newKey(t)
		must(t, noError(tg.client.PutBins(nil, key, as.NewBin("n", 0))))
		const sides, times = 8, 50
		var wg sync.WaitGroup
		for range sides {
			wg.Go(func() {
				for range times {
					if _, err := tg.client.Execute(nil, key, "udfatom", "bump"); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		r, err := tg.client.Get(nil, key)
		must(t, noError(err))
		if r.Bins["n"] != sides*times || r.Generation != sides*times+1 {
			t.Errorf("n is %v after %d calls, generation %d", r.Bins["n"], sides*times, r.Generation)
		}
	})
}
