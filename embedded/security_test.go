package embedded_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	as "github.com/aerospike/aerospike-client-go/v8"
	"github.com/aerospike/aerospike-client-go/v8/types"

	"github.com/aeroload/aeroload/embedded"
)

// login connects as a user.
func login(t testing.TB, s *embedded.Server, user, password string) *as.Client {
	t.Helper()
	client, err := tryLogin(s, user, password)
	must(t, err)
	t.Cleanup(client.Close)
	client.DefaultPolicy.MaxRetries = 0
	client.DefaultWritePolicy.MaxRetries = 0
	return client
}

func tryLogin(s *embedded.Server, user, password string) (*as.Client, error) {
	cp := as.NewClientPolicy()
	cp.User, cp.Password = user, password
	cp.Timeout, cp.LoginTimeout = time.Minute, time.Minute
	client, err := as.NewClientWithPolicy(cp, "127.0.0.1", s.Port())
	return client, asError(err)
}

// matches reports whether a client's error has the code.
func matches(err error, code types.ResultCode) bool {
	var ae as.Error
	return errors.As(err, &ae) && ae.Matches(code)
}

func TestLogin(t *testing.T) {
	s := embedded.RunT(t, embedded.Config{Users: []embedded.User{
		{Name: "bob", Password: "secret", Roles: []string{"read-write"}},
		{Name: "cert", Roles: []string{"read"}},
	}})
	client := login(t, s, "bob", "secret")
	key := mustKey(t, "test", "sec", 1)
	must(t, asError(client.Put(nil, key, as.BinMap{"a": 1})))
	// More connections resume the session.
	if n, err := client.WarmUp(20); err != nil || n != 20 {
		t.Errorf("20 connections: %d, %v", n, err)
	}
	if c, err := tryLogin(s, "bob", "Secret"); !matches(err, types.INVALID_CREDENTIAL) {
		t.Errorf("a wrong password: %v, %v", c, err)
	}
	if c, err := tryLogin(s, "", ""); err == nil {
		t.Error("a stranger gets in")
		c.Close()
	} else if !matches(err, types.NOT_AUTHENTICATED) {
		t.Errorf("a stranger: %v", err)
	}
}

func TestStrangers(t *testing.T) {
	s := embedded.RunT(t, embedded.Config{Users: []embedded.User{
		{Name: "bob", Password: "x", Roles: []string{"read"}}, {Name: "cert", Roles: []string{"read"}},
	}})
	key := mustKey(t, "test", "sec", 1)
	c := dialRaw(t, s.Addr())
	if code := c.result(faultGet(key)); code != 80 {
		t.Errorf("a read: %d", code)
	}
	batch := rawMessage{info1: 8 | 1, fields: []string{field(fBatch, "\x00\x00\x00\x01\x00")}}
	c.send(frame(3, batch.body()))
	if _, body := c.receive(); body[5] != 80 || body[3]&1 == 0 {
		t.Errorf("a batch: %x", body)
	}
	c.send(frame(1, []byte("build\nnode\n")))
	if _, body := c.receive(); string(body) != "ERROR:80:not authenticated\n" {
		t.Errorf("info: %q", body)
	}
	for name, tc := range map[string]struct {
		body []byte
		want byte
	}{
		"query users":          {admin(9, nil), 80},
		"create user":          {admin(1, nil), 80},
		"too short":            {make([]byte, 15), 55},
		"a field overruns":     {append(admin(20, nil), "\x00\x00\x00\x09\x00bob"...), 55},
		"a field is empty":     {append(admin(20, nil), "\x00\x00\x00\x00\x00"...), 55},
		"bytes left over":      {append(admin(20, nil), "\x00\x00"...), 55},
		"unknown user":         {admin(20, map[byte]string{0: "alice", 3: fakeHash("a")}), 60},
		"no password to match": {admin(20, map[byte]string{0: "cert", 3: ""}), 65},
		"wrong token":          {admin(0, map[byte]string{0: "bob", 5: "token"}), 65},
		"no credential":        {admin(20, map[byte]string{0: "bob"}), 65},
		"nothing, and no TLS":  {admin(20, nil), 60},
	} {
		c.send(frame(2, tc.body))
		if kind, body := c.receive(); kind != 2 || len(body) != 16 || body[1] != tc.want {
			t.Errorf("%s: type %d, %x, want result %d", name, kind, body, tc.want)
		}
	}
}

// fakeHash looks like a hashed password.
func fakeHash(letter string) string {
	return "$2a$10$7EqJtq98hPqEX7fNZaFWoO" + strings.Repeat(letter, 31)
}

// admin is the body of a security message.
func admin(command byte, fields map[byte]string) []byte {
	b := make([]byte, 16)
	b[2], b[3] = command, byte(len(fields))
	for id, value := range fields {
		b = append(b, field(id, value)...)
	}
	return b
}

// admin sends a security message and returns the result code.
func (c *rawConn) admin(command byte, fields map[byte]string) byte {
	c.t.Helper()
	c.send(frame(2, admin(command, fields)))
	kind, body := c.receive()
	if kind != 2 || len(body) < 16 {
		c.t.Fatalf("an answer of type %d with %d bytes", kind, len(body))
	}
	return body[1]
}

// TestRoles checks what each role may do.
func TestRoles(t *testing.T) {
	roles := []string{"read", "write", "read-write", "read-write-udf", "truncate", "data-admin", "udf-admin", "sindex-admin", "sys-admin", "user-admin", "superuser"}
	s := embedded.RunT(t, embedded.Config{Users: []embedded.User{
		{Name: "root", Password: "p", Roles: []string{"superuser"}}, {Name: "user", Password: "p", Roles: []string{"superuser"}},
	}})
	root, user := login(t, s, "root", "p"), login(t, s, "user", "p")
	key, other := mustKey(t, "test", "sec", 1), mustKey(t, "test", "sec", 2)
	must(t, asError(root.Put(nil, key, as.BinMap{"a": 1})))
	// The user gets one role after the other.
	must(t, asError(root.RevokeRoles(nil, "user", []string{"superuser"})))

	info := func(command string) func(*as.Client) error {
		return func(c *as.Client) error {
			answer, err := c.GetNodes()[0].RequestInfo(as.NewInfoPolicy(), command)
			if err == nil && strings.HasPrefix(answer[command], "ERROR:81:role violation") {
				return as.ErrServerNotAvailable // stands for a violation below
			}
			return asError(err)
		}
	}
	type command struct {
		what string
		do   func(*as.Client) error
		may  []string
	}
	commands := []command{
		{"read", func(c *as.Client) error { _, err := c.Get(nil, key); return asError(err) },
			[]string{"read", "read-write", "read-write-udf"}},
		{"exists", func(c *as.Client) error { _, err := c.Exists(nil, key); return asError(err) },
			[]string{"read", "read-write", "read-write-udf"}},
		{"write", func(c *as.Client) error { return asError(c.Put(nil, key, as.BinMap{"a": 2})) },
			[]string{"write", "read-write", "read-write-udf"}},
		{"delete", func(c *as.Client) error { _, err := c.Delete(nil, other); return asError(err) },
			[]string{"write", "read-write", "read-write-udf"}},
		{"read and write", func(c *as.Client) error {
			_, err := c.Operate(nil, key, as.PutOp(as.NewBin("a", 3)), as.GetBinOp("a"))
			return asError(err)
		}, []string{"read-write", "read-write-udf"}},
		{"function", func(c *as.Client) error { _, err := c.Execute(nil, key, "nosuch", "f"); return asError(err) },
			[]string{"read-write-udf"}},
		{"scan", func(c *as.Client) error {
			rs, err := c.ScanAll(nil, "test", "sec")
			if err != nil {
				return err
			}
			for r := range rs.Results() {
				if r.Err != nil {
					return r.Err
				}
			}
			return nil
		}, []string{"read", "read-write", "read-write-udf"}},
		{"batch read", func(c *as.Client) error {
			records := []as.BatchRecordIfc{as.NewBatchRead(nil, key, nil), as.NewBatchRead(nil, other, nil)}
			if err := c.BatchOperate(nil, records); err != nil {
				return err
			}
			return asError(records[0].BatchRec().Err)
		}, []string{"read", "read-write", "read-write-udf"}},
		{"batch write", func(c *as.Client) error {
			records := []as.BatchRecordIfc{as.NewBatchWrite(nil, key, as.PutOp(as.NewBin("a", 4))), as.NewBatchDelete(nil, other)}
			if err := c.BatchOperate(nil, records); err != nil {
				return err
			}
			return asError(records[0].BatchRec().Err)
		}, []string{"write", "read-write", "read-write-udf"}},
		{"truncate", info("truncate:namespace=test;set=nosuch"), []string{"truncate", "data-admin"}},
		{"remove a function", info("udf-remove:filename=nosuch.lua"), []string{"udf-admin", "data-admin"}},
		{"delete an index", info("sindex-delete:ns=test;indexname=nosuch"), []string{"sindex-admin", "data-admin"}},
		{"set the configuration", info("set-config:context=service;ticker-interval=10"), []string{"sys-admin"}},
		{"abort queries", info("query-abort-all:"), []string{"sys-admin", "data-admin"}},
		{"recluster", info("recluster:"), []string{"sys-admin"}},
		{"dump", info("dump-rw:"), []string{"sys-admin"}},
		{"debug a record", info("debug-record:"), []string{"data-admin"}},
		{"ask for the build", info("build"), roles},
		{"list users", func(c *as.Client) error { _, err := c.QueryUsers(nil); return asError(err) }, []string{"user-admin"}},
		{"drop a user", func(c *as.Client) error {
			err := c.DropUser(nil, "nobody")
			if matches(asError(err), types.INVALID_USER) {
				return nil
			}
			return asError(err)
		}, []string{"user-admin"}},
	}
	for _, role := range roles {
		must(t, asError(root.GrantRoles(nil, "user", []string{role})))
		for _, tc := range commands {
			err := tc.do(user)
			violation := matches(err, types.ROLE_VIOLATION) || errors.Is(err, as.ErrServerNotAvailable)
			if may := role == "superuser" || slices.Contains(tc.may, role); violation == may {
				t.Errorf("%s: %s: %v", role, tc.what, err)
			}
		}
		must(t, asError(root.RevokeRoles(nil, "user", []string{role})))
	}
}

func TestUserAdministration(t *testing.T) {
	s := embedded.RunT(t, embedded.Config{Users: []embedded.User{{Name: "admin", Password: "admin", Roles: []string{"user-admin"}}}})
	root := login(t, s, "admin", "admin")
	must(t, asError(root.CreateUser(nil, "eve", "admin", []string{"read"})))
	eve := login(t, s, "eve", "admin")
	key := mustKey(t, "test", "sec", 1)

	write := func() error { return asError(eve.Put(nil, key, as.BinMap{"a": 1})) }
	if err := write(); !matches(err, types.ROLE_VIOLATION) {
		t.Errorf("a write without the role: %v", err)
	}
	must(t, asError(root.GrantRoles(nil, "eve", []string{"write"})))
	if err := write(); err != nil {
		t.Errorf("a write with the role: %v", err)
	}
	must(t, asError(root.RevokeRoles(nil, "eve", []string{"write"})))
	if err := write(); !matches(err, types.ROLE_VIOLATION) {
		t.Errorf("a write after the role is taken away: %v", err)
	}

	// A role of one set.
	must(t, asError(root.CreateRole(nil, "of-sec", []as.Privilege{{Code: as.Write, Namespace: "test", SetName: "sec"}}, nil, 0, 0)))
	must(t, asError(root.GrantRoles(nil, "eve", []string{"of-sec"})))
	if err := write(); err != nil {
		t.Errorf("a write in the role's set: %v", err)
	}
	for _, elsewhere := range []*as.Key{mustKey(t, "test", "other", 1), mustKey(t, "bar", "sec", 1)} {
		if err := eve.Put(nil, elsewhere, as.BinMap{"a": 1}); !matches(asError(err), types.ROLE_VIOLATION) {
			t.Errorf("a write in %s %s: %v", elsewhere.Namespace(), elsewhere.SetName(), err)
		}
	}
	must(t, asError(root.GrantPrivileges(nil, "of-sec", []as.Privilege{{Code: as.Write, Namespace: "bar"}})))
	if err := eve.Put(nil, mustKey(t, "bar", "sec", 1), as.BinMap{"a": 1}); err != nil {
		t.Errorf("a write in the granted namespace: %v", err)
	}
	must(t, asError(root.RevokePrivileges(nil, "of-sec", []as.Privilege{{Code: as.Write, Namespace: "test", SetName: "sec"}})))
	if err := write(); !matches(err, types.ROLE_VIOLATION) {
		t.Errorf("a write after the privilege is taken away: %v", err)
	}
	must(t, asError(root.DropRole(nil, "of-sec")))
	user, err := root.QueryUser(nil, "eve")
	must(t, asError(err))
	if user.User != "eve" || !slices.Equal(user.Roles, []string{"read"}) || user.ConnsInUse < 1 {
		t.Errorf("eve is %+v", user)
	}
	if self, err := eve.QueryUser(nil, "eve"); err != nil || self.User != "eve" {
		t.Errorf("eve sees herself as %+v, %v", self, err)
	}

	// Passwords: eve changes hers, and the administrator sets it.
	raw := func(user, hash string) byte {
		c := dialRaw(t, s.Addr())
		return c.admin(20, map[byte]string{0: user, 3: hash})
	}
	must(t, asError(eve.ChangePassword(nil, "eve", "two")))
	if _, err := tryLogin(s, "eve", "admin"); !matches(err, types.INVALID_CREDENTIAL) {
		t.Errorf("the old password: %v", err)
	}
	adm := dialRaw(t, s.Addr())
	if code := adm.admin(20, map[byte]string{0: "admin", 4: "admin"}); code != 0 {
		t.Fatalf("the administrator's login: %d", code)
	}
	if code := adm.admin(3, map[byte]string{0: "eve", 1: fakeHash("e")}); code != 0 {
		t.Errorf("setting a password: %d", code)
	}
	if code := raw("eve", fakeHash("e")); code != 0 {
		t.Errorf("the password that was set: %d", code)
	}

	// A whitelist keeps logins out.
	must(t, asError(root.CreateRole(nil, "far", []as.Privilege{{Code: as.Read}}, []string{"10.0.0.0/8"}, 0, 0)))
	must(t, asError(root.GrantRoles(nil, "eve", []string{"far"})))
	if code := raw("eve", fakeHash("e")); code != 82 {
		t.Errorf("a login from elsewhere: %d", code)
	}
	must(t, asError(root.SetWhitelist(nil, "far", []string{"10.0.0.0/8", "127.0.0.1"})))
	if code := raw("eve", fakeHash("e")); code != 0 {
		t.Errorf("a login from the list: %d", code)
	}

	list := func(names ...string) string {
		b := []byte{byte(len(names))}
		for _, name := range names {
			b = append(append(b, byte(len(name))), name...)
		}
		return string(b)
	}
	for what, tc := range map[string]struct {
		command byte
		fields  map[byte]string
		want    byte
	}{
		"create":                                   {1, map[byte]string{0: "tom", 1: fakeHash("t"), 10: list("read")}, 0},
		"create twice":                             {1, map[byte]string{0: "eve", 1: fakeHash("t"), 10: list("read")}, 61},
		"create with no role":                      {1, map[byte]string{0: "x", 1: fakeHash("t")}, 70},
		"create with a bad role":                   {1, map[byte]string{0: "x", 1: fakeHash("t"), 10: list("nosuch")}, 70},
		"create with half a role":                  {1, map[byte]string{0: "x", 1: fakeHash("t"), 10: "\x01\x09re"}, 55},
		"create with a password that isn't hashed": {1, map[byte]string{0: "x", 1: "secret", 10: list("read")}, 62},
		"create without a name":                    {1, map[byte]string{1: fakeHash("t"), 10: list("read")}, 60},
		"drop nobody":                              {2, map[byte]string{0: "nobody"}, 60},
		"set nobody's password":                    {3, map[byte]string{0: "nobody", 1: fakeHash("t")}, 60},
		"set no password":                          {3, map[byte]string{0: "eve"}, 62},
		"change another's password":                {4, map[byte]string{0: "eve", 1: fakeHash("t"), 2: fakeHash("e")}, 81},
		"change from a wrong password":             {4, map[byte]string{0: "admin", 1: fakeHash("t"), 2: fakeHash("e")}, 62},
		"grant to nobody":                          {5, map[byte]string{0: "nobody", 10: list("read")}, 60},
		"grant nothing known":                      {5, map[byte]string{0: "eve", 10: list("nosuch")}, 70},
		"create a role twice":                      {10, map[byte]string{11: "far", 12: "\x01\x00"}, 71},
		"create a predefined role":                 {10, map[byte]string{11: "read", 12: "\x01\x00"}, 71},
		"create a role without a name":             {10, map[byte]string{12: "\x01\x00"}, 70},
		"an unknown privilege":                     {10, map[byte]string{11: "r", 12: "\x01\x09"}, 72},
		"a set without a namespace":                {10, map[byte]string{11: "r", 12: "\x01\x0a\x00\x01s"}, 72},
		"half a privilege":                         {10, map[byte]string{11: "r", 12: "\x01\x0a\x05te"}, 55},
		"grant no privilege":                       {12, map[byte]string{11: "far"}, 72},
		"a bad whitelist":                          {14, map[byte]string{11: "far", 13: "localhost"}, 73},
		"drop a predefined role":                   {11, map[byte]string{11: "read"}, 70},
		"drop no role":                             {11, map[byte]string{11: "nosuch"}, 70},
		"an unknown command":                       {77, nil, 54},
	} {
		if got := adm.admin(tc.command, tc.fields); got != tc.want {
			t.Errorf("%s: result %d, want %d", what, got, tc.want)
		}
	}
	if _, err := root.QueryUser(nil, "nobody"); !matches(asError(err), types.INVALID_USER) {
		t.Errorf("query nobody: %v", err)
	}
	if _, err := root.QueryRole(nil, "nosuch"); !matches(asError(err), types.INVALID_ROLE) {
		t.Errorf("query no role: %v", err)
	}
	if _, err := eve.QueryRoles(nil); !matches(asError(err), types.ROLE_VIOLATION) {
		t.Errorf("eve lists roles: %v", err)
	}
	all, err := root.QueryRoles(nil)
	must(t, asError(err))
	if len(all) != 12 {
		t.Errorf("%d roles, want 11 predefined ones and one more", len(all))
	}

	// A dropped user's connections are a stranger's.
	must(t, asError(root.DropUser(nil, "eve")))
	if _, err := eve.Get(nil, key); !matches(asError(err), types.NOT_AUTHENTICATED) && !matches(asError(err), types.INVALID_USER) {
		t.Errorf("a read of a dropped user: %v", err)
	}
	if code := raw("eve", fakeHash("e")); code != 60 {
		t.Errorf("a login of a dropped user: %d", code)
	}
}

// TestSessionExpires: a token is good for as long as the server said.
func TestSessionExpires(t *testing.T) {
	var mu sync.Mutex
	now := time.Unix(1_700_000_000, 0)
	s := embedded.RunT(t, embedded.Config{
		Users: []embedded.User{{Name: "bob", Password: "x", Roles: []string{"read"}}}, SessionTTL: 2 * time.Minute,
		Now: func() time.Time { mu.Lock(); defer mu.Unlock(); return now },
	})
	c := dialRaw(t, s.Addr())
	c.send(frame(2, admin(20, map[byte]string{0: "bob", 4: "x"})))
	_, body := c.receive()
	if body[1] != 0 || body[3] != 2 {
		t.Fatalf("login: %x", body)
	}
	fields := map[byte][]byte{}
	for rest := body[16:]; len(rest) > 0; {
		n := binary.BigEndian.Uint32(rest)
		fields[rest[4]] = rest[5 : 4+n]
		rest = rest[4+n:]
	}
	if ttl := binary.BigEndian.Uint32(fields[6]); ttl != 120 {
		t.Errorf("TTL %d, want 120", ttl)
	}
	resume := func(user string) byte {
		c := dialRaw(t, s.Addr())
		c.send(frame(2, admin(0, map[byte]string{0: user, 5: string(fields[5])})))
		_, body := c.receive()
		return body[1]
	}
	if got := resume("bob"); got != 0 {
		t.Errorf("the token gives %d", got)
	}
	if got := resume("alice"); got != 65 {
		t.Errorf("the token gives another user %d", got)
	}
	mu.Lock()
	now = now.Add(2*time.Minute + time.Second)
	mu.Unlock()
	if got := resume("bob"); got != 66 {
		t.Errorf("after its time, the token gives %d", got)
	}
}

func TestSecurityConfigErrors(t *testing.T) {
	bob := embedded.User{Name: "bob", Password: "x", Roles: []string{"read"}}
	for what, cfg := range map[string]embedded.Config{
		"twice":         {Users: []embedded.User{bob, bob}},
		"no name":       {Users: []embedded.User{{Password: "x", Roles: []string{"read"}}}},
		"long name":     {Users: []embedded.User{{Name: strings.Repeat("n", 64), Roles: []string{"read"}}}},
		"no role":       {Users: []embedded.User{{Name: "bob"}}},
		"unknown role":  {Users: []embedded.User{{Name: "bob", Roles: []string{"king"}}}},
		"short session": {Users: []embedded.User{bob}, SessionTTL: time.Minute},
		"long session":  {SessionTTL: 11 * 24 * time.Hour},
	} {
		if s, err := embedded.Start(cfg); err == nil {
			t.Errorf("%s: a server starts", what)
			must(t, s.Close())
		}
	}
}
