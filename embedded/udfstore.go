package embedded

import (
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
)

const (
	maxUDFFileName = 127     // bytes
	maxUDFContent  = 1 << 20 // bytes, decoded
	maxIdleLua     = 128     // states of a module that are kept
)

// A udfStore holds the registered modules. Their states are kept for the next
// call; a change to any module drops them all, since one may have loaded another.
type udfStore struct {
	now func() uint64

	mu      sync.Mutex
	modules map[string]*udfModule    // by file name
	version uint64                   // of the modules as a whole
	idle    map[string][]*luaMachine // by module name
}

type udfModule struct {
	source  []byte
	content string // the source as it was sent: base64
	proto   *lua.FunctionProto
}

func newUDFStore(now func() uint64) *udfStore {
	return &udfStore{now: now, modules: make(map[string]*udfModule), idle: make(map[string][]*luaMachine)}
}

// find returns the compiled module of a name, which has no extension.
func (s *udfStore) find(name string) (*lua.FunctionProto, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.modules[name+".lua"]; m != nil {
		return m.proto, true
	}
	return nil, false
}

// take returns a state with a module loaded, nil if that isn't registered or
// can't be loaded. The caller gives it back.
func (s *udfStore) take(name string) *luaMachine {
	s.mu.Lock()
	if s.modules[name+".lua"] == nil {
		s.mu.Unlock()
		return nil
	}
	if list := s.idle[name]; len(list) > 0 {
		m := list[len(list)-1]
		s.idle[name] = list[:len(list)-1]
		s.mu.Unlock()
		return m
	}
	version := s.version
	s.mu.Unlock()
	m := newLuaMachine(s.now, s.find)
	m.version = version
	if m.protect(func() {
		m.L.Push(m.L.GetGlobal("require"))
		m.L.Push(lua.LString(name))
		m.L.Call(1, 0)
	}) != "" {
		m.L.Close()
		return nil
	}
	return m
}

// give keeps a state for the next call, unless modules have changed.
func (s *udfStore) give(name string, m *luaMachine) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.version != s.version || len(s.idle[name]) >= maxIdleLua {
		m.L.Close()
		return
	}
	s.idle[name] = append(s.idle[name], m)
}

// changed drops all states. The caller holds the lock.
func (s *udfStore) changed() {
	s.version++
	for _, list := range s.idle {
		for _, m := range list {
			m.L.Close()
		}
	}
	clear(s.idle)
}

// infoPut registers a module, which replaces one of the same name.
func (s *udfStore) infoPut(params string) string {
	file, state := infoParam(params, "filename", maxUDFFileName)
	if dot := strings.IndexByte(file, '.'); state != paramOK || dot <= 0 || dot == len(file)-1 {
		return "error=invalid_filename"
	}
	length, state := infoParam(params, "content-len", 10)
	if state != paramOK {
		return "error=invalid_content_len"
	}
	switch kind, state := infoParam(params, "udf-type", 15); {
	case state == paramTooLong, state == paramOK && kind != "LUA":
		return "error=invalid_udf_type"
	}
	n, err := strconv.ParseUint(length, 10, 32)
	if err != nil || n%4 != 0 {
		return "error=invalid_content_len"
	}
	content, state := infoParam(params, "content", int(n))
	if state != paramOK || uint64(len(content)) != n {
		return "error=invalid_content"
	}
	if n/4*3 > maxUDFContent {
		return "error=invalid_udf_content_len,>1M"
	}
	source, err := base64.StdEncoding.DecodeString(content)
	if err != nil {
		return "error=invalid_base64_content"
	}
	return s.register(file, content, source)
}

// register compiles a module and runs it once, as a check.
func (s *udfStore) register(file, content string, source []byte) string {
	proto, err := compileLua(file, source)
	if err != nil {
		line, message := syntaxError(err)
		return compileError(file, line, message)
	}
	trial := newLuaMachine(s.now, s.find)
	defer trial.L.Close()
	fault := trial.protect(func() {
		trial.L.Push(trial.L.NewFunctionFromProto(proto))
		trial.L.Call(0, 0)
	})
	if fault != "" {
		line, message := runtimeError(fault)
		return compileError(file, line, message)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.modules[file] = &udfModule{source: source, content: content, proto: proto}
	s.changed()
	return "ok"
}

func compileError(file string, line int, message string) string {
	return fmt.Sprintf("error=compile_error;file=%s;line=%d;message=%s",
		file, line, base64.StdEncoding.EncodeToString([]byte(message)))
}

// syntaxError says where and what is wrong with a source, in Lua's words as far
// as they are known.
func syntaxError(err error) (line int, message string) {
	var syntax *parse.Error
	if !errors.As(err, &syntax) {
		return 0, err.Error()
	}
	if syntax.Pos.Line == parse.EOF {
		return 0, "syntax error near <eof>"
	}
	return syntax.Pos.Line, fmt.Sprintf("syntax error near '%s'", syntax.Token)
}

// runtimeError splits an error's text into the line that it begins with and the
// rest.
func runtimeError(fault string) (line int, message string) {
	parts := regexp.MustCompile(`^[^:]*:(\d+): (?s:(.*))`).FindStringSubmatch(fault)
	if parts == nil {
		return 0, fault
	}
	line, err := strconv.Atoi(parts[1])
	if err != nil {
		return 0, fault
	}
	return line, parts[2]
}

// infoGet returns a module's source.
func (s *udfStore) infoGet(params string) string {
	file, state := infoParam(params, "filename", maxUDFFileName)
	if state != paramOK {
		return "error=invalid_filename"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m := s.modules[file]; {
	case m == nil:
		return "error=not_found"
	case len(m.source) == 0:
		return "error=empty"
	default:
		return "type=LUA;content=" + base64.StdEncoding.EncodeToString(m.source) + ";"
	}
}

// infoRemove forgets a module. It need not be there.
func (s *udfStore) infoRemove(params string) string {
	file, state := infoParam(params, "filename", maxUDFFileName)
	if state != paramOK {
		return "error=invalid_filename"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.modules[file] != nil {
		delete(s.modules, file)
		s.changed()
	}
	return "ok"
}

// infoList lists the modules. The hash is that of the real server's record of a
// module: a JSON object with its content, type and name.
func (s *udfStore) infoList() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out strings.Builder
	for _, file := range slices.Sorted(maps.Keys(s.modules)) {
		text := fmt.Sprintf(`{"content64": "%s", "type": "LUA", "name": "%s"}`, s.modules[file].content, file)
		sum := sha1.Sum([]byte(text))
		out.WriteString("filename=" + file + ",hash=" + hex.EncodeToString(sum[:]) + ",type=LUA;")
	}
	return out.String()
}

// infoClearCache drops the states.
func (s *udfStore) infoClearCache() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed()
	return "ok"
}
