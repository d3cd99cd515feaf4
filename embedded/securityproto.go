package embedded

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// Result codes of the security protocol (proto.h).
const (
	codeQueryEnd          resultCode = 50
	codeSecurityCommand   resultCode = 54
	codeSecurityField     resultCode = 55
	codeInvalidUser       resultCode = 60
	codeUserExists        resultCode = 61
	codeInvalidPassword   resultCode = 62
	codeInvalidCredential resultCode = 65
	codeExpiredSession    resultCode = 66
	codeInvalidRole       resultCode = 70
	codeRoleExists        resultCode = 71
	codeInvalidPrivilege  resultCode = 72
	codeInvalidWhitelist  resultCode = 73
	codeNotAuthenticated  resultCode = 80
	codeRoleViolation     resultCode = 81
	codeNotWhitelisted    resultCode = 82
)

// Commands of the security protocol, and the types of its fields (the Go client's
// admin_command.go).
const (
	adminAuthenticate     = 0
	adminCreateUser       = 1
	adminDropUser         = 2
	adminSetPassword      = 3
	adminChangePassword   = 4
	adminGrantRoles       = 5
	adminRevokeRoles      = 6
	adminQueryUsers       = 9
	adminCreateRole       = 10
	adminDropRole         = 11
	adminGrantPrivileges  = 12
	adminRevokePrivileges = 13
	adminSetWhitelist     = 14
	adminSetQuotas        = 15
	adminQueryRoles       = 16
	adminLogin            = 20

	adminFieldUser          = 0
	adminFieldPassword      = 1
	adminFieldOldPassword   = 2
	adminFieldCredential    = 3
	adminFieldClearPassword = 4
	adminFieldToken         = 5
	adminFieldTTL           = 6
	adminFieldRoles         = 10
	adminFieldRole          = 11
	adminFieldPrivileges    = 12
	adminFieldWhitelist     = 13
	adminFieldReadQuota     = 14
	adminFieldWriteQuota    = 15
	adminFieldConnections   = 18
)

// An adminRequest is a parsed security message.
type adminRequest struct {
	command byte
	fields  map[byte][]byte
}

// parseAdmin reads a security message's body. It reports false if it is malformed.
// Of several fields of one type the first counts. How many there are is not looked
// at: the Go client (v8.5.0) forgets some when it creates a role.
func parseAdmin(body []byte) (adminRequest, bool) {
	if len(body) < adminHeaderSize {
		return adminRequest{}, false
	}
	req := adminRequest{command: body[2], fields: map[byte][]byte{}}
	rest := body[adminHeaderSize:]
	for len(rest) > 0 {
		if len(rest) < fieldHeaderSize {
			return req, false
		}
		size, ok := partSize(rest)
		if !ok || size == 0 {
			return req, false
		}
		if _, had := req.fields[rest[4]]; !had {
			req.fields[rest[4]] = rest[fieldHeaderSize : opLengthSize+size]
		}
		rest = rest[opLengthSize+size:]
	}
	return req, true
}

func (r *adminRequest) text(field byte) string { return string(r.fields[field]) }

// number reads a field of 4 bytes, 0 if it isn't there.
func (r *adminRequest) number(field byte) uint32 {
	if b := r.fields[field]; len(b) == 4 {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

// roles reads a list of names: their number, and each with its length.
func (r *adminRequest) roles() (names []string, ok bool) {
	b, given := r.fields[adminFieldRoles]
	if !given || len(b) == 0 {
		return nil, !given
	}
	n := int(b[0])
	b = b[1:]
	for range n {
		var name string
		if name, b, ok = shortText(b); !ok {
			return nil, false
		}
		names = append(names, name)
	}
	return names, true
}

// privileges reads a list of privileges, which may be absent.
func (r *adminRequest) privileges() ([]privilege, resultCode) {
	b, given := r.fields[adminFieldPrivileges]
	if !given {
		return nil, codeOK
	}
	if len(b) == 0 {
		return nil, codeSecurityField
	}
	var list []privilege
	n := int(b[0])
	b = b[1:]
	for range n {
		if len(b) == 0 {
			return nil, codeSecurityField
		}
		code, namespace, set, ok := b[0], "", "", true
		b = b[1:]
		if code >= firstScoped {
			if namespace, b, ok = shortText(b); ok {
				set, b, ok = shortText(b)
			}
		}
		if !ok {
			return nil, codeSecurityField
		}
		p, known := newPrivilege(code, namespace, set)
		if !known || namespace == "" && set != "" {
			return nil, codeInvalidPrivilege
		}
		list = append(list, p)
	}
	return list, codeOK
}

// shortText reads a text behind its length of one byte, and returns what follows.
func shortText(b []byte) (string, []byte, bool) {
	if len(b) == 0 || len(b)-1 < int(b[0]) {
		return "", nil, false
	}
	return string(b[1 : 1+b[0]]), b[1+b[0]:], true
}

// whitelist reads addresses and networks with commas between.
func (r *adminRequest) whitelist() ([]string, bool) {
	text := r.text(adminFieldWhitelist)
	if text == "" {
		return nil, true
	}
	list := strings.Split(text, ",")
	for _, entry := range list {
		if _, err := parseNetwork(entry); err != nil {
			return nil, false
		}
	}
	return list, true
}

// authenticated reports whether the connection may do more than log in.
func (c *conn) authenticated() bool { return c.account != nil && c.account.rules.Load() != nil }

// refuseStranger answers a message of a connection that has not logged in.
func (c *conn) refuseStranger(kind byte, body []byte) {
	if kind != protoInfo {
		c.refuse(kind, body, codeNotAuthenticated)
		return
	}
	text := infoError(codeNotAuthenticated, "not authenticated") + "\n"
	start := len(c.out)
	c.out = append(grow(c.out, protoHeaderSize), text...)
	putProtoHeader(c.out[start:], protoInfo, len(text))
}

// admin answers a security message of a server with users.
func (c *conn) admin(body []byte) {
	req, ok := parseAdmin(body)
	switch {
	case !ok:
		c.adminReply(codeSecurityField, 0)
	case req.command == adminLogin:
		c.login(&req)
	case req.command == adminAuthenticate:
		c.authenticate(&req)
	case !c.authenticated():
		c.adminReply(codeNotAuthenticated, 0)
	case req.command == adminQueryUsers:
		c.queryUsers(&req)
	case req.command == adminQueryRoles:
		c.queryRoles(&req)
	default:
		c.adminReply(c.adminChange(&req), 0)
	}
}

// login answers a login: the session's token and how many seconds it is good for.
func (c *conn) login(req *adminRequest) {
	t := c.server.security
	a, code := c.identify(req)
	if code == codeOK && !a.admits(c.remote()) {
		code = codeNotWhitelisted
	}
	if code != codeOK {
		c.adminReply(code, 0)
		return
	}
	c.enter(a)
	start := len(c.out)
	c.adminReply(codeOK, 2)
	c.out = appendField(c.out, adminFieldToken, t.open(a))
	c.out = appendField(c.out, adminFieldTTL, binary.BigEndian.AppendUint32(nil, uint32(t.ttl.Seconds())))
	putProtoHeader(c.out[start:], protoSecurity, len(c.out)-start-protoHeaderSize)
}

// identify finds out who logs in: by a hashed password, by a password as it is
// (which clients send to be checked by another system, but only over TLS), or by
// the client's certificate.
func (c *conn) identify(req *adminRequest) (*account, resultCode) {
	t := c.server.security
	user := req.text(adminFieldUser)
	switch {
	case req.fields[adminFieldCredential] != nil:
		return t.login(user, req.text(adminFieldCredential))
	case req.fields[adminFieldClearPassword] != nil:
		return t.login(user, hashPassword(req.text(adminFieldClearPassword)))
	case user != "":
		return nil, codeInvalidCredential
	}
	return t.byCertificate(c.nc)
}

// byCertificate finds the user whose name is the common name of the client's
// certificate, which the TLS handshake has verified.
func (t *securityTable) byCertificate(nc net.Conn) (*account, resultCode) {
	secured, ok := nc.(*tls.Conn)
	if !ok {
		return nil, codeInvalidUser
	}
	chains := secured.ConnectionState().VerifiedChains
	if len(chains) == 0 {
		return nil, codeInvalidCredential
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if a := t.accounts[chains[0][0].Subject.CommonName]; a != nil {
		return a, codeOK
	}
	return nil, codeInvalidUser
}

// authenticate answers a message that resumes a session on another connection.
func (c *conn) authenticate(req *adminRequest) {
	var a *account
	var code resultCode
	if req.fields[adminFieldToken] != nil {
		a, code = c.server.security.resume(req.text(adminFieldUser), req.text(adminFieldToken))
	} else {
		a, code = c.identify(req) // as older clients do
	}
	if code == codeOK && !a.admits(c.remote()) {
		code = codeNotWhitelisted
	}
	if code == codeOK {
		c.enter(a)
	}
	c.adminReply(code, 0)
}

// enter makes the connection an account's, nil for nobody's.
func (c *conn) enter(a *account) {
	if c.account != nil {
		c.account.conns.Add(-1)
	}
	if c.account = a; a != nil {
		a.conns.Add(1)
	}
}

// remote is the client's address.
func (c *conn) remote() netip.Addr {
	if addr, ok := c.peer.(*net.TCPAddr); ok {
		return addr.AddrPort().Addr()
	}
	return netip.Addr{}
}

// queryUsers answers with one user or all: a message for each, and one that ends
// the list. Users may look at themselves.
func (c *conn) queryUsers(req *adminRequest) {
	t := c.server.security
	name := req.text(adminFieldUser)
	if name != c.account.name && !c.account.allows(permUserAdmin, "", "") {
		c.adminReply(codeRoleViolation, 0)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range sortedValues(t.accounts) {
		if name != "" && name != a.name {
			continue
		}
		roles := []byte{byte(len(a.roles))}
		for _, r := range a.roles {
			roles = append(append(roles, byte(len(r))), r...)
		}
		start := len(c.out)
		c.adminReply(codeOK, 3)
		c.out = appendField(c.out, adminFieldUser, a.name)
		c.out = appendField(c.out, adminFieldRoles, roles)
		c.out = appendField(c.out, adminFieldConnections, binary.BigEndian.AppendUint32(nil, uint32(a.conns.Load())))
		putProtoHeader(c.out[start:], protoSecurity, len(c.out)-start-protoHeaderSize)
	}
	if name != "" && t.accounts[name] == nil {
		c.adminReply(codeInvalidUser, 0)
		return
	}
	c.adminReply(codeQueryEnd, 0)
}

// queryRoles answers with one role or all.
func (c *conn) queryRoles(req *adminRequest) {
	t := c.server.security
	name := req.text(adminFieldRole)
	t.mu.Lock()
	defer t.mu.Unlock()
	if !c.account.allows(permUserAdmin, "", "") && !slices.Contains(c.account.roles, name) {
		c.adminReply(codeRoleViolation, 0)
		return
	}
	for _, r := range sortedValues(t.roles) {
		if name == "" || name == r.name {
			c.appendRole(r)
		}
	}
	if name != "" && t.roles[name] == nil {
		c.adminReply(codeInvalidRole, 0)
		return
	}
	c.adminReply(codeQueryEnd, 0)
}

// appendRole appends the message that describes a role.
func (c *conn) appendRole(r *role) {
	start := len(c.out)
	c.adminReply(codeOK, 0)
	privileges := []byte{byte(len(r.privileges))}
	for _, p := range r.privileges {
		privileges = append(privileges, p.code)
		if p.code >= firstScoped {
			privileges = append(append(privileges, byte(len(p.namespace))), p.namespace...)
			privileges = append(append(privileges, byte(len(p.set))), p.set...)
		}
	}
	fields := byte(2)
	c.out = appendField(c.out, adminFieldRole, r.name)
	c.out = appendField(c.out, adminFieldPrivileges, privileges)
	if len(r.whitelist) > 0 {
		c.out = appendField(c.out, adminFieldWhitelist, strings.Join(r.whitelist, ","))
		fields++
	}
	for _, quota := range []struct {
		field byte
		value uint32
	}{{adminFieldReadQuota, r.readQuota}, {adminFieldWriteQuota, r.writeQuota}} {
		if quota.value != 0 {
			c.out = appendField(c.out, quota.field, binary.BigEndian.AppendUint32(nil, quota.value))
			fields++
		}
	}
	c.out[start+protoHeaderSize+3] = fields
	putProtoHeader(c.out[start:], protoSecurity, len(c.out)-start-protoHeaderSize)
}

// sortedValues returns the values of a map in the order of their keys.
func sortedValues[V any](m map[string]V) []V {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	values := make([]V, len(keys))
	for i, key := range keys {
		values[i] = m[key]
	}
	return values
}

// isCredential reports whether a field is a hashed password.
func isCredential(b []byte) bool {
	return len(b) == credentialSize && bytes.HasPrefix(b, []byte(passwordSalt))
}
