package embedded

import (
	"encoding/binary"
	"strings"
	"testing"
)

// FuzzAdmin feeds security messages to a server, of a stranger and of an
// administrator. Each must get well-formed answers, and no stranger may get in.
func FuzzAdmin(f *testing.F) {
	header := func(command byte) string {
		b := make([]byte, adminHeaderSize)
		b[2] = command
		return string(b)
	}
	hash := passwordSalt + strings.Repeat("x", 31)
	for _, seed := range []string{
		header(adminLogin) + testField(adminFieldUser, "root") + testField(adminFieldCredential, hash),
		header(adminAuthenticate) + testField(adminFieldUser, "root") + testField(adminFieldToken, "t"),
		header(adminCreateUser) + testField(adminFieldUser, "u") + testField(adminFieldPassword, hash) + testField(adminFieldRoles, "\x01\x04read"),
		header(adminCreateRole) + testField(adminFieldRole, "r") + testField(adminFieldPrivileges, "\x02\x0a\x04test\x01s\x02") + testField(adminFieldWhitelist, "10.0.0.0/8,::1"),
		header(adminSetQuotas) + testField(adminFieldRole, "r") + testField(adminFieldReadQuota, "\x00\x00\x00\x05"),
		header(adminGrantPrivileges) + testField(adminFieldRole, "r") + testField(adminFieldPrivileges, "\x01\x0d\x00\x00"),
		header(adminQueryUsers), header(adminQueryRoles), header(adminDropRole) + testField(adminFieldRole, "r"),
	} {
		f.Add([]byte(seed))
	}
	s := RunT(f, Config{Users: []User{{Name: "root", Password: "not to be guessed 8f3a", Roles: []string{superuser}}}})
	f.Fuzz(func(t *testing.T, body []byte) {
		if req, ok := parseAdmin(body); ok && req.fields[adminFieldClearPassword] != nil {
			return // hashing takes long
		}
		for _, a := range []*account{nil, s.security.accounts["root"]} {
			c := &conn{server: s, nc: nullConn{}, account: a}
			c.admin(body)
			if a == nil && c.account != nil {
				t.Fatal("a stranger gets in")
			}
			for out := c.out; len(out) > 0; {
				size := int(binary.BigEndian.Uint64(out) & protoSizeMask)
				if out[1] != protoSecurity || size < adminHeaderSize || size > len(out)-protoHeaderSize {
					t.Fatalf("answer %x", c.out)
				}
				if req, ok := parseAdmin(out[protoHeaderSize : protoHeaderSize+size]); !ok || len(req.fields) != int(out[protoHeaderSize+3]) {
					t.Fatalf("answer %x", c.out)
				}
				out = out[protoHeaderSize+size:]
			}
		}
	})
}
