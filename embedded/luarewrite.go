package embedded

import (
	"errors"
	"strconv"
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// maxLuaDepth is how deep expressions and blocks of a module may nest. Lua's own
// limit is about 200; chains of operators count here too.
const maxLuaDepth = 1000

var errLuaDepth = errors.New("chunk has too many syntax levels")

// Names of the functions that rewritten code calls. No Lua source can use them,
// because a blank can't be part of a name.
const (
	hookArith   = " arith"   // operator, left, right
	hookCompare = " compare" // operator, left, right
	hookConcat  = " concat"  // any number of values
	hookNumber  = " number"  // a loop's bound
	hookFloat   = " float"   // a constant of type float
	hookBig     = " big"     // a constant integer beyond 2^53, as text
	hookSet     = " set"     // table, key, value
	hookTable   = " table"   // a new table
	hookClosure = " closure" // a new function, or none
)

// A luaRewriter changes a module's syntax tree in two ways. Operators that the
// server's Lua 5.4 and the 5.1 that runs here understand differently, because 5.4
// tells integers from floats, become calls of functions that do what 5.4 does.
// Constructs that take memory become calls of functions that count it.
type luaRewriter struct {
	depth   int
	tooDeep bool // the chunk nests too deep; what is below was left as it was
	inner   int  // functions around the current place
}

// rewriteLua changes the statements of a chunk. It fails if they nest too deep.
func rewriteLua(chunk []ast.Stmt) ([]ast.Stmt, error) {
	w := &luaRewriter{}
	out := w.block(chunk)
	if w.tooDeep {
		return nil, errLuaDepth
	}
	return out, nil
}

// enter goes a level deeper, unless that is too deep. The caller must leave the
// level again in either case.
func (w *luaRewriter) enter() bool {
	w.depth++
	w.tooDeep = w.tooDeep || w.depth > maxLuaDepth
	return !w.tooDeep
}

func (w *luaRewriter) leave() { w.depth-- }

// call makes a call of a hook.
func (w *luaRewriter) call(at ast.PositionHolder, name string, args ...ast.Expr) *ast.FuncCallExpr {
	fn := &ast.IdentExpr{Value: name}
	fn.SetLine(at.Line())
	fn.SetLastLine(at.LastLine())
	call := &ast.FuncCallExpr{Func: fn, Args: args, AdjustRet: true}
	call.SetLine(at.Line())
	call.SetLastLine(at.LastLine())
	return call
}

// text makes a string constant.
func (w *luaRewriter) text(at ast.PositionHolder, value string) ast.Expr {
	s := &ast.StringExpr{Value: value}
	s.SetLine(at.Line())
	s.SetLastLine(at.LastLine())
	return s
}

// statement makes a statement of a call.
func (w *luaRewriter) statement(call *ast.FuncCallExpr) ast.Stmt {
	s := &ast.FuncCallStmt{Expr: call}
	s.SetLine(call.Line())
	s.SetLastLine(call.LastLine())
	return s
}

func (w *luaRewriter) block(stmts []ast.Stmt) []ast.Stmt {
	defer w.leave()
	if !w.enter() {
		return stmts
	}
	out := make([]ast.Stmt, 0, len(stmts))
	for _, s := range stmts {
		out = w.stmt(out, s)
	}
	return out
}

// stmt appends a statement, or those that take its place.
func (w *luaRewriter) stmt(out []ast.Stmt, s ast.Stmt) []ast.Stmt {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return append(out, w.assign(s)...)
	case *ast.LocalAssignStmt:
		if len(s.Names) == 1 && len(s.Exprs) == 1 {
			if fn, ok := s.Exprs[0].(*ast.FunctionExpr); ok {
				// It may refer to itself, so it must stay what it is.
				out = append(out, w.statement(w.call(s, hookClosure)))
				w.function(fn, false)
				return append(out, s)
			}
		}
		w.exprs(s.Exprs)
	case *ast.FuncCallStmt:
		s.Expr = w.expr(s.Expr)
	case *ast.DoBlockStmt:
		s.Stmts = w.block(s.Stmts)
	case *ast.WhileStmt:
		s.Condition = w.expr(s.Condition)
		s.Stmts = w.block(s.Stmts)
	case *ast.RepeatStmt:
		s.Stmts = w.block(s.Stmts)
		s.Condition = w.expr(s.Condition)
	case *ast.IfStmt:
		s.Condition = w.expr(s.Condition)
		s.Then = w.block(s.Then)
		s.Else = w.block(s.Else)
	case *ast.NumberForStmt:
		s.Init, s.Limit = w.bound(s.Init), w.bound(s.Limit)
		if s.Step != nil {
			s.Step = w.bound(s.Step)
		}
		s.Stmts = w.block(s.Stmts)
	case *ast.GenericForStmt:
		w.exprs(s.Exprs)
		s.Stmts = w.block(s.Stmts)
	case *ast.FuncDefStmt:
		out = append(out, w.statement(w.call(s, hookClosure)))
		w.function(s.Func, s.Name.Receiver != nil)
	case *ast.ReturnStmt:
		w.exprs(s.Exprs)
	}
	return append(out, s)
}

// assign turns an assignment to a computed index into a call that looks at the
// index first: one far beyond a table's end would take memory up to it.
func (w *luaRewriter) assign(s *ast.AssignStmt) []ast.Stmt {
	for i, lhs := range s.Lhs {
		s.Lhs[i] = w.target(lhs)
	}
	w.exprs(s.Rhs)
	if len(s.Lhs) == 1 && len(s.Rhs) == 1 {
		if get, ok := computedIndex(s.Lhs[0]); ok {
			return []ast.Stmt{w.statement(w.call(s, hookSet, get.Object, get.Key, w.single(s.Rhs[0])))}
		}
		return []ast.Stmt{s}
	}
	anyComputed := false
	for _, lhs := range s.Lhs {
		_, ok := computedIndex(lhs)
		anyComputed = anyComputed || ok
	}
	if !anyComputed {
		return []ast.Stmt{s}
	}
	return []ast.Stmt{w.assignMany(s)}
}

// assignMany makes a block that evaluates tables, keys and values into names of
// its own, so that nothing is changed before all are known, and then assigns.
func (w *luaRewriter) assignMany(s *ast.AssignStmt) ast.Stmt {
	local := &ast.LocalAssignStmt{}
	name := func(value ast.Expr) ast.Expr {
		id := &ast.IdentExpr{Value: " v" + strconv.Itoa(len(local.Names))}
		id.SetLine(s.Line())
		id.SetLastLine(s.LastLine())
		local.Names = append(local.Names, id.Value)
		if value != nil {
			local.Exprs = append(local.Exprs, value)
		}
		return id
	}
	type place struct{ object, key ast.Expr }
	places := make([]place, len(s.Lhs))
	for i, lhs := range s.Lhs {
		if get, ok := computedIndex(lhs); ok {
			places[i] = place{name(w.single(get.Object)), name(w.single(get.Key))}
		}
	}
	stmts := []ast.Stmt{local}
	for i, lhs := range s.Lhs {
		value := name(nil)
		if places[i].object != nil {
			stmts = append(stmts, w.statement(w.call(s, hookSet, places[i].object, places[i].key, value)))
			continue
		}
		one := &ast.AssignStmt{Lhs: []ast.Expr{lhs}, Rhs: []ast.Expr{value}}
		one.SetLine(s.Line())
		one.SetLastLine(s.LastLine())
		stmts = append(stmts, one)
	}
	local.Exprs = append(local.Exprs, s.Rhs...)
	local.SetLine(s.Line())
	local.SetLastLine(s.LastLine())
	block := &ast.DoBlockStmt{Stmts: stmts}
	block.SetLine(s.Line())
	block.SetLastLine(s.LastLine())
	return block
}

// computedIndex returns what is assigned to if that is an index other than a
// constant name.
func computedIndex(lhs ast.Expr) (*ast.AttrGetExpr, bool) {
	get, ok := lhs.(*ast.AttrGetExpr)
	if !ok {
		return nil, false
	}
	_, constant := get.Key.(*ast.StringExpr)
	return get, !constant
}

// target rewrites the parts of what is assigned to.
func (w *luaRewriter) target(e ast.Expr) ast.Expr {
	if get, ok := e.(*ast.AttrGetExpr); ok {
		get.Object, get.Key = w.expr(get.Object), w.expr(get.Key)
	}
	return e
}

func (w *luaRewriter) exprs(list []ast.Expr) {
	for i := range list {
		list[i] = w.expr(list[i])
	}
}

// bound makes a loop's bound a plain number.
func (w *luaRewriter) bound(e ast.Expr) ast.Expr {
	if n, ok := e.(*ast.NumberExpr); ok {
		return n
	}
	return w.call(e, hookNumber, w.expr(e))
}

// function rewrites a function's body. Its last parameter becomes a local variable:
// the compiler puts the result of a call that is cut to one value, as those of hooks
// are, into the wrong register when it is assigned to that parameter itself
// (compileFuncCallExpr in gopher-lua 1.1.1). self tells that the function has that
// parameter before its own.
func (w *luaRewriter) function(fn *ast.FunctionExpr, self bool) {
	w.inner++
	fn.Stmts = w.block(fn.Stmts)
	w.inner--
	last := ""
	if n := len(fn.ParList.Names); n > 0 {
		last = fn.ParList.Names[n-1]
	} else if self {
		last = "self"
	}
	if last != "" && len(fn.Stmts) > 0 {
		id := &ast.IdentExpr{Value: last}
		local := &ast.LocalAssignStmt{Names: []string{last}, Exprs: []ast.Expr{id}}
		for _, at := range []ast.PositionHolder{id, local} {
			at.SetLine(fn.Line())
			at.SetLastLine(fn.Line())
		}
		fn.Stmts = append([]ast.Stmt{local}, fn.Stmts...)
	}
}

// expr rewrites an expression and returns what takes its place.
func (w *luaRewriter) expr(e ast.Expr) ast.Expr {
	defer w.leave()
	if !w.enter() {
		return e
	}
	switch e := e.(type) {
	case *ast.NumberExpr:
		return w.number(e)
	case *ast.AttrGetExpr:
		e.Object, e.Key = w.expr(e.Object), w.expr(e.Key)
	case *ast.TableExpr:
		for _, f := range e.Fields {
			if f.Key != nil {
				f.Key = w.expr(f.Key)
			}
			f.Value = w.expr(f.Value)
		}
		return w.call(e, hookTable, e)
	case *ast.FuncCallExpr:
		return w.funcCall(e)
	case *ast.LogicalOpExpr:
		e.Lhs, e.Rhs = w.expr(e.Lhs), w.expr(e.Rhs)
	case *ast.RelationalOpExpr:
		e.Lhs, e.Rhs = w.expr(e.Lhs), w.expr(e.Rhs)
		if neverNumber(e.Lhs) || neverNumber(e.Rhs) {
			return e
		}
		return w.call(e, hookCompare, w.text(e, e.Operator), e.Lhs, e.Rhs)
	case *ast.StringConcatOpExpr:
		return w.concat(e)
	case *ast.ArithmeticOpExpr:
		e.Lhs, e.Rhs = w.expr(e.Lhs), w.expr(e.Rhs)
		if left, ok := e.Lhs.(*ast.FuncCallExpr); ok && e.Operator == "/" && isMarked(left) {
			return w.call(e, hookArith, w.text(e, "//"), left.Args[1], e.Rhs)
		}
		if e.Operator == "/" || e.Operator == "^" {
			return w.call(e, hookArith, w.text(e, e.Operator), e.Lhs, e.Rhs)
		}
	case *ast.UnaryMinusOpExpr:
		e.Expr = w.expr(e.Expr)
	case *ast.UnaryNotOpExpr:
		e.Expr = w.expr(e.Expr)
	case *ast.UnaryLenOpExpr:
		e.Expr = w.expr(e.Expr)
	case *ast.FunctionExpr:
		w.function(e, false)
		return w.call(e, hookClosure, e)
	}
	return e
}

func (w *luaRewriter) funcCall(e *ast.FuncCallExpr) ast.Expr {
	if e.Func != nil {
		e.Func = w.expr(e.Func)
	}
	if e.Receiver != nil {
		e.Receiver = w.expr(e.Receiver)
	}
	w.exprs(e.Args)
	return e
}

// concat turns a chain of concatenations into one call.
func (w *luaRewriter) concat(e *ast.StringConcatOpExpr) ast.Expr {
	var parts []ast.Expr
	var last ast.Expr = e
	for {
		next, ok := last.(*ast.StringConcatOpExpr)
		if !ok {
			break
		}
		parts = append(parts, w.single(w.expr(next.Lhs)))
		last = next.Rhs
	}
	return w.call(e, hookConcat, append(parts, w.single(w.expr(last)))...)
}

// single makes sure that an expression that ends a list of arguments stands for
// one value.
func (w *luaRewriter) single(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		e.AdjustRet = true
	case *ast.Comma3Expr:
		e.AdjustRet = true
	}
	return e
}

// number keeps a constant's type: one that isn't an integer in 5.4 is a float,
// even if it has no fraction.
func (w *luaRewriter) number(e *ast.NumberExpr) ast.Expr {
	hex := len(e.Value) > 1 && (e.Value[1] == 'x' || e.Value[1] == 'X')
	if !hex && strings.ContainsAny(e.Value, ".eE") {
		if f, err := strconv.ParseFloat(e.Value, 64); err == nil && isWhole(f) {
			return w.call(e, hookFloat, e)
		}
		return e
	}
	n, err := strconv.ParseInt(e.Value, 10, 64)
	switch {
	case hex:
	case errors.Is(err, strconv.ErrRange):
		return w.call(e, hookFloat, e)
	case err == nil && !isSmall(n):
		return w.call(e, hookBig, w.text(e, e.Value))
	}
	return e
}

// neverNumber reports whether a value compares the same in both versions: a
// constant that isn't a number.
func neverNumber(e ast.Expr) bool {
	switch e.(type) {
	case *ast.StringExpr, *ast.NilExpr, *ast.TrueExpr, *ast.FalseExpr:
		return true
	}
	return false
}
