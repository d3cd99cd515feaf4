package embedded

import (
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aerospike/aerospike-client-go/v8/pkg/bcrypt"
)

// passwordSalt is the fixed salt and cost with which all clients hash a password
// before they send it (the Go client's admin_command.go has it, for one).
const passwordSalt = "$2a$10$7EqJtq98hPqEX7fNZaFWoO"

// Limits of names, and those of the server's session-ttl.
const (
	maxUserName       = 63
	maxListed         = 255 // roles of a user, privileges of a role: the protocol counts them in a byte
	credentialSize    = 60
	defaultSessionTTL = 24 * time.Hour
	minSessionTTL     = 2 * time.Minute
	maxSessionTTL     = 10 * 24 * time.Hour
	maxSessions       = 1000 // beyond which expired ones are forgotten
)

// A User may log in to a server, see [Config.Users].
type User struct {
	// Name has 1 to 63 bytes.
	Name string
	// Password is what the user logs in with. Without one, only a client's TLS
	// certificate whose common name is the user's name opens the door.
	Password string
	// Roles are what the user may do: read, write, read-write, read-write-udf,
	// truncate, data-admin, udf-admin, sindex-admin, sys-admin, user-admin or
	// superuser.
	Roles []string
}

// permissions is a set of things to do, which the real server's info commands and
// transactions each require (security.h, thr_info.c, thr_tsvc.c).
type permissions uint32

const (
	permRead permissions = 1 << iota
	permQuery
	permWrite
	permUDFApply
	permUDFQuery
	permOpsQuery
	permUDFAdmin
	permIndexAdmin
	permQueryAdmin
	permTruncate
	permRecordInfo
	permSetConfig
	permLogging
	permService
	permUserAdmin
)

// A privilegeKind is what a role may do, as numbered in the security protocol.
type privilegeKind struct {
	code  byte
	name  string // of the predefined role with just this privilege
	perms permissions
}

// privilegeKinds lists all privileges. From code 10 on they can be limited to a
// namespace and a set.
func privilegeKinds() []privilegeKind {
	const data = permUDFAdmin | permIndexAdmin | permQueryAdmin | permTruncate | permRecordInfo
	const write = permWrite | permOpsQuery
	return []privilegeKind{
		{0, "user-admin", permUserAdmin},
		{1, "sys-admin", permSetConfig | permLogging | permService | permQueryAdmin},
		{2, "data-admin", data},
		{3, "udf-admin", permUDFAdmin},
		{4, "sindex-admin", permIndexAdmin},
		{10, "read", permRead | permQuery},
		{11, "read-write", permRead | permQuery | write},
		{12, "read-write-udf", permRead | permQuery | write | permUDFApply | permUDFQuery},
		{13, "write", write},
		{14, "truncate", permTruncate},
	}
}

// firstScoped is the first code of the privileges that can be limited.
const firstScoped = 10

// superuser is the predefined role that may do everything.
const superuser = "superuser"

// A privilege is what a role may do, in a namespace and set or in all of them.
type privilege struct {
	code           byte
	namespace, set string // empty for all
	perms          permissions
}

// newPrivilege returns the privilege with a code, and whether there is one.
func newPrivilege(code byte, namespace, set string) (privilege, bool) {
	for _, k := range privilegeKinds() {
		if k.code == code {
			return privilege{code, namespace, set, k.perms}, true
		}
	}
	return privilege{}, false
}

// A role is a named list of privileges.
type role struct {
	name                  string
	predefined            bool
	privileges            []privilege
	whitelist             []string // addresses and networks, empty for all
	readQuota, writeQuota uint32   // kept, but not enforced
}

func predefinedRoles() map[string]*role {
	roles := map[string]*role{}
	all := &role{name: superuser, predefined: true}
	for _, k := range privilegeKinds() {
		p, _ := newPrivilege(k.code, "", "")
		roles[k.name] = &role{name: k.name, predefined: true, privileges: []privilege{p}}
		if k.code <= 2 || k.name == "read-write-udf" {
			all.privileges = append(all.privileges, p)
		}
	}
	roles[superuser] = all
	return roles
}

// An account is a user of a server with security. Connections keep a pointer to
// the one that has logged in; what a command needs is read without a lock.
type account struct {
	name  string
	rules atomic.Pointer[accountRules] // nil once the user is dropped
	conns atomic.Int32                 // that have logged in

	// The table's lock guards what follows.
	credential func() string // the hashed password, empty for none
	roles      []string
}

// accountRules are the privileges of all roles of an account.
type accountRules struct {
	privileges []privilege
	whitelist  []netip.Prefix // empty for all addresses
}

// allows reports whether the account may do all of want in a namespace and set.
func (a *account) allows(want permissions, namespace, set string) bool {
	rules := a.rules.Load()
	if rules == nil {
		return false
	}
	for i := range rules.privileges {
		p := &rules.privileges[i]
		if p.namespace == "" || p.namespace == namespace && (p.set == "" || p.set == set) {
			want &^= p.perms
		}
	}
	return want == 0
}

// A session is a login that more connections may share.
type session struct {
	account *account
	expires time.Time
}

// A securityTable is who may do what at a server.
type securityTable struct {
	ttl time.Duration
	now func() time.Time

	mu       sync.Mutex
	accounts map[string]*account
	roles    map[string]*role
	sessions map[string]session // by token
}

// newSecurity returns the table for the configured users, nil if there are none.
func newSecurity(cfg Config) (*securityTable, error) {
	ttl := cfg.SessionTTL
	if ttl == 0 {
		ttl = defaultSessionTTL
	}
	if ttl < minSessionTTL || ttl > maxSessionTTL || ttl%time.Second != 0 {
		return nil, fmt.Errorf("session TTL %v is not a whole number of seconds from %v to %v", ttl, minSessionTTL, maxSessionTTL)
	}
	if len(cfg.Users) == 0 {
		return nil, nil
	}
	t := &securityTable{
		ttl: ttl, now: cfg.Now,
		accounts: map[string]*account{}, roles: predefinedRoles(), sessions: map[string]session{},
	}
	hashes := map[string]func() string{"": func() string { return "" }}
	for _, u := range cfg.Users {
		credential := hashes[u.Password]
		if credential == nil { // hashed at the first login, as that takes long
			credential = sync.OnceValue(func() string { return hashPassword(u.Password) })
			hashes[u.Password] = credential
		}
		switch code := t.create(u.Name, credential, u.Roles); code {
		case codeOK:
		case codeUserExists:
			return nil, fmt.Errorf("user %q is given twice", u.Name)
		case codeInvalidRole:
			return nil, fmt.Errorf("user %q: there is none of the roles %s, or no role", u.Name, strings.Join(u.Roles, ", "))
		default:
			return nil, fmt.Errorf("user %q: the name must have 1 to %d bytes", u.Name, maxUserName)
		}
	}
	return t, nil
}

// hashPassword hashes a password as clients do.
func hashPassword(password string) string {
	hash, err := bcrypt.Hash(password, passwordSalt)
	if err != nil {
		return "" // the salt is right, so this doesn't happen; nobody could log in
	}
	return hash
}

// create adds a user.
func (t *securityTable) create(name string, credential func() string, roles []string) resultCode {
	t.mu.Lock()
	defer t.mu.Unlock()
	if name == "" || len(name) > maxUserName {
		return codeInvalidUser
	}
	if t.accounts[name] != nil {
		return codeUserExists
	}
	if !t.known(roles) || len(roles) == 0 {
		return codeInvalidRole
	}
	a := &account{name: name, credential: credential, roles: uniqueStrings(roles)}
	t.accounts[name] = a
	t.refresh(a)
	return codeOK
}

// known reports whether all roles exist. The lock is held.
func (t *securityTable) known(roles []string) bool {
	return !slices.ContainsFunc(roles, func(name string) bool { return t.roles[name] == nil })
}

// uniqueStrings returns the strings in ascending order, each once.
func uniqueStrings(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// refresh works out what an account may do. The lock is held.
func (t *securityTable) refresh(a *account) {
	rules := &accountRules{}
	for _, name := range a.roles {
		r := t.roles[name]
		if r == nil {
			continue // dropped
		}
		rules.privileges = append(rules.privileges, r.privileges...)
		for _, text := range r.whitelist {
			if prefix, err := parseNetwork(text); err == nil {
				rules.whitelist = append(rules.whitelist, prefix)
			}
		}
	}
	a.rules.Store(rules)
}

// refreshAll does so for all, as a role has changed. The lock is held.
func (t *securityTable) refreshAll() {
	for _, a := range t.accounts {
		t.refresh(a)
	}
}

// parseNetwork reads an address or a network such as 10.1.0.0/16.
func parseNetwork(text string) (netip.Prefix, error) {
	if strings.Contains(text, "/") {
		return netip.ParsePrefix(text)
	}
	addr, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Prefix{}, err
	}
	return addr.Prefix(addr.BitLen())
}

// admits reports whether an account may be used from an address.
func (a *account) admits(from netip.Addr) bool {
	rules := a.rules.Load()
	if rules == nil {
		return false
	}
	return len(rules.whitelist) == 0 ||
		slices.ContainsFunc(rules.whitelist, func(p netip.Prefix) bool { return p.Contains(from.Unmap()) })
}

// login checks a hashed password.
func (t *securityTable) login(name, credential string) (*account, resultCode) {
	t.mu.Lock()
	a := t.accounts[name]
	var want func() string
	if a != nil {
		want = a.credential
	}
	t.mu.Unlock()
	if a == nil {
		return nil, codeInvalidUser
	}
	// Hashing takes long, so it is done without the lock.
	if hash := want(); hash == "" || subtle.ConstantTimeCompare([]byte(hash), []byte(credential)) != 1 {
		return nil, codeInvalidCredential
	}
	return a, codeOK
}

// open starts a session and returns its token.
func (t *securityTable) open(a *account) string {
	token := rand.Text()
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if len(t.sessions) >= maxSessions {
		maps.DeleteFunc(t.sessions, func(_ string, s session) bool { return now.After(s.expires) })
	}
	t.sessions[token] = session{a, now.Add(t.ttl)}
	return token
}

// resume checks a session's token.
func (t *securityTable) resume(name, token string) (*account, resultCode) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.sessions[token]
	switch {
	case !ok || name != "" && name != s.account.name:
		return nil, codeInvalidCredential
	case t.now().After(s.expires):
		return nil, codeExpiredSession
	case s.account.rules.Load() == nil:
		return nil, codeInvalidUser
	}
	return s.account, codeOK
}
