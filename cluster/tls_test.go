package cluster

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestTLSConnect connects to a node whose chain is root, intermediate, node.
func TestTLSConnect(t *testing.T) {
	root := issue(t, "Test Root", 1, nil, true)
	middle := issue(t, "Test CA", 0x20, root, true)
	leaf := issue(t, "node", 0x867EC87482B2, middle, false)
	client := issue(t, "client", 4, root, false)
	other := issue(t, "Another Root", 9, nil, true)
	soon, past := time.Now().Add(30*time.Minute), time.Now().Add(-time.Minute)

	server := &tls.Config{Certificates: []tls.Certificate{{
		Certificate: [][]byte{leaf.cert.Raw, middle.cert.Raw}, PrivateKey: leaf.key,
	}}}
	plain := startNode(t, &fakeNode{}, server)
	only12 := server.Clone()
	only12.MaxVersion = tls.VersionTLS12
	old := startNode(t, &fakeNode{}, only12)
	mutual := server.Clone()
	mutual.ClientAuth = tls.RequireAndVerifyClientCert
	mutual.ClientCAs = x509.NewCertPool()
	mutual.ClientCAs.AddCert(root.cert)
	strict := startNode(t, &fakeNode{}, mutual)

	ca := write(t, "ca.pem", root.certPEM())
	named := plain
	named.TLSName = "node.test"

	for _, tt := range []struct {
		name string
		host Host
		tls  TLSConfig
		want string // in the error; empty if it connects
	}{
		{"trusted", plain, TLSConfig{CAFile: ca}, ""},
		{"trusted by a folder", plain, TLSConfig{CAPath: filepath.Dir(ca)}, ""},
		{"not trusted", plain, TLSConfig{CAFile: write(t, "other.pem", other.certPEM())}, "TLS: tls: failed to verify certificate: x509: certificate signed by unknown authority"},
		{"not trusted by the system", plain, TLSConfig{}, "TLS: tls: failed to verify certificate"},
		{"the host's TLS name", named, TLSConfig{CAFile: ca}, ""},
		{"the default TLS name", plain, TLSConfig{CAFile: ca, Name: "node.test"}, ""},
		{"a host's TLS name comes first", named, TLSConfig{CAFile: ca, Name: "wrong.test"}, ""},
		{"a wrong TLS name", plain, TLSConfig{CAFile: ca, Name: "wrong.test"}, "valid for node.test, not wrong.test"},
		{"only an older version than the node's", old, TLSConfig{CAFile: ca, Protocols: "TLSv1.3"}, "protocol version"},
		{"a version that both have", old, TLSConfig{CAFile: ca, Protocols: "-all +TLSv1.2"}, ""},
		{"a suite that both have", old, TLSConfig{CAFile: ca, CipherSuites: "ECDHE-ECDSA-AES128-GCM-SHA256"}, ""},
		{"a suite for another kind of key", old, TLSConfig{CAFile: ca, CipherSuites: "ECDHE-RSA-AES128-GCM-SHA256"}, "handshake failure"},
		{"no client certificate", strict, TLSConfig{CAFile: ca}, "certificate required"},
		{"a client certificate", strict, TLSConfig{CAFile: ca,
			CertFile: write(t, "client.pem", client.certPEM()), KeyFile: write(t, "client.key", client.keyPEM(t))}, ""},

		{"not revoked", plain, TLSConfig{CRLCheck: true,
			CAFile: write(t, "ca.pem", root.certPEM(), middle.crlPEM(t, soon, 5))}, ""},
		{"revoked", plain, TLSConfig{CRLCheck: true,
			CAFile: write(t, "ca.pem", root.certPEM(), middle.crlPEM(t, soon, 5, 0x867EC87482B2))}, "serial number 867EC87482B2, was revoked"},
		{"revoked, but not checked", plain, TLSConfig{
			CAFile: write(t, "ca.pem", root.certPEM(), middle.crlPEM(t, soon, 0x867EC87482B2))}, ""},
		{"no list of the issuer", plain, TLSConfig{CRLCheck: true,
			CAFile: write(t, "ca.pem", root.certPEM(), root.crlPEM(t, soon))}, `no usable revocation list of "CN=Test CA,O=Acme,C=US": there is none`},
		{"an outdated list", plain, TLSConfig{CRLCheck: true,
			CAFile: write(t, "ca.pem", root.certPEM(), middle.crlPEM(t, past))}, "it is valid from"},
		{"an intermediate is revoked", plain, TLSConfig{CRLCheck: true,
			CAFile: write(t, "ca.pem", root.certPEM(), middle.crlPEM(t, soon), root.crlPEM(t, soon, 0x20))}, ""},
		{"an intermediate is revoked, all are checked", plain, TLSConfig{CRLCheckAll: true,
			CAFile: write(t, "ca.pem", root.certPEM(), middle.crlPEM(t, soon), root.crlPEM(t, soon, 0x20))}, "serial number 20, was revoked"},
		{"none is revoked, all are checked", plain, TLSConfig{CRLCheckAll: true,
			CAFile: write(t, "ca.pem", root.certPEM(), middle.crlPEM(t, soon), root.crlPEM(t, soon))}, ""},
		{"a list that another signed", plain, TLSConfig{CRLCheck: true,
			CAFile: write(t, "ca.pem", root.certPEM(), (&issued{middle.cert, other.key}).forgedCRL(t, other, soon))}, "no usable revocation list"},

		{"blacklisted", plain, TLSConfig{CAFile: ca,
			CertBlacklist: write(t, "black", []byte("# refused\n0867ec87482b2\n"))}, "is in --tls-cert-blacklist"},
		{"blacklisted with its issuer", plain, TLSConfig{CAFile: ca,
			CertBlacklist: write(t, "black", []byte("867EC87482B2 /C=US/O=Acme/CN=Test CA\n"))}, "is in --tls-cert-blacklist"},
		{"blacklisted, but another issuer's", plain, TLSConfig{CAFile: ca,
			CertBlacklist: write(t, "black", []byte("867EC87482B2 /C=US/O=Acme/CN=Test Root\n"))}, ""},
		{"a blacklisted authority", plain, TLSConfig{CAFile: ca,
			CertBlacklist: write(t, "black", []byte("20\n"))}, "is in --tls-cert-blacklist"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := testConfig(tt.host)
			c.TLS = tt.tls
			c.TLS.Enable = true
			var session bytes.Buffer
			c.TLS.SessionLog = &session
			cluster, err := Connect(t.Context(), c)
			if err == nil {
				cluster.Close()
				if !strings.Contains(session.String(), "TLS session with \"") || strings.Contains(session.String(), `""`) || !strings.Contains(session.String(), "TLS 1.") {
					t.Errorf("the session log is %q", session.String())
				}
			}
			if tt.want == "" && err != nil {
				t.Error(err)
			}
			if tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q in it", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("%q is more than a line", err)
			}
		})
	}
}

// An address is no name that a TLS server is told.
func TestPeerName(t *testing.T) {
	v4, v6 := net.IPv4(10, 0, 0, 7), net.ParseIP("2001:db8::7")
	for _, c := range []struct {
		name      string
		addresses []net.IP
		want      string
	}{
		{"node.test", []net.IP{v4}, `"node.test"`},
		{"", []net.IP{v4}, `"10.0.0.7"`},
		{"", []net.IP{v4, v6}, `"10.0.0.7" or "2001:db8::7"`},
		{"", nil, "an address"},
	} {
		state := tls.ConnectionState{ServerName: c.name, PeerCertificates: []*x509.Certificate{{IPAddresses: c.addresses}}}
		if got := peerName(state); got != c.want {
			t.Errorf("%q, %v: got %s, want %s", c.name, c.addresses, got, c.want)
		}
	}
}

func TestTLSFiles(t *testing.T) {
	ca := issue(t, "Test CA", 1, nil, true)
	leaf, another := issue(t, "one", 2, ca, false), issue(t, "two", 3, ca, false)
	cert, key := write(t, "one.pem", leaf.certPEM()), write(t, "one.key", leaf.keyPEM(t))
	text := write(t, "note.txt", []byte("hello\n"))
	broken := write(t, "broken.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("x")}))
	missing := filepath.Join(t.TempDir(), "missing")
	opensslKey := filepath.Join("testdata", "pkcs8-aes256.pem")

	for _, tt := range []struct {
		tls  TLSConfig
		want []string
	}{
		{TLSConfig{CAFile: missing}, []string{"--tls-cafile: ", missing, "no such file"}},
		{TLSConfig{CAFile: text}, []string{"--tls-cafile: ", "there is no PEM certificate"}},
		{TLSConfig{CAFile: broken}, []string{"--tls-cafile: ", "x509: malformed certificate"}},
		{TLSConfig{CAPath: missing}, []string{"--tls-capath: ", "no such file"}},
		{TLSConfig{CAPath: t.TempDir()}, []string{"--tls-capath: ", "in any of its files"}},
		{TLSConfig{CAPath: filepath.Dir(broken)}, []string{"--tls-capath: ", "broken.pem: x509"}},
		{TLSConfig{CertFile: cert}, []string{"--tls-certfile: needs --tls-keyfile"}},
		{TLSConfig{KeyFile: key}, []string{"--tls-keyfile: needs --tls-certfile"}},
		{TLSConfig{KeyPassword: "x"}, []string{"--tls-keyfile-password: there is no --tls-keyfile"}},
		{TLSConfig{CertFile: missing, KeyFile: missing}, []string{"--tls-certfile: ", "--tls-keyfile: "}},
		{TLSConfig{CertFile: text, KeyFile: text}, []string{"--tls-certfile: ", "no PEM certificate", "--tls-keyfile: ", "no PEM private key"}},
		{TLSConfig{CertFile: cert, KeyFile: write(t, "two.key", another.keyPEM(t))}, []string{"--tls-certfile: ", "private key does not match public key"}},
		{TLSConfig{CertFile: cert, KeyFile: opensslKey}, []string{"is encrypted: give --tls-keyfile-password"}},
		{TLSConfig{CertFile: cert, KeyFile: opensslKey, KeyPassword: "wrong"}, []string{"--tls-keyfile: ", "the password is wrong"}},
		{TLSConfig{CertFile: cert, KeyFile: opensslKey, KeyPassword: "file:" + Secret(missing)}, []string{"--tls-keyfile-password: ", missing, "no such file"}},
		{TLSConfig{CertFile: cert, KeyFile: opensslKey, KeyPassword: "env:NO_SUCH_VARIABLE_HERE"}, []string{"--tls-keyfile-password: ", `"NO_SUCH_VARIABLE_HERE"`}},
		{TLSConfig{CRLCheck: true, CAFile: cert}, []string{"--tls-crl-check: there is no revocation list"}},
		{TLSConfig{CertBlacklist: missing}, []string{"--tls-cert-blacklist: ", "no such file"}},
		{TLSConfig{CertBlacklist: write(t, "b", []byte("12\nxyz\n"))}, []string{"--tls-cert-blacklist: ", `line 2: "xyz" is not a serial number`}},
		{TLSConfig{CertBlacklist: write(t, "b", []byte("12 CN=x\n"))}, []string{"line 1: the issuer \"CN=x\" does not begin with a slash"}},
		{TLSConfig{CipherSuites: "TLS_AES_128_GCM_SHA256", Protocols: "TLSv1.2"}, []string{"--tls-cipher-suite: ", "--tls-protocols"}},
		{TLSConfig{CertFile: cert, KeyFile: key, KeyPassword: "not needed", CAPath: filepath.Dir(cert)}, nil},
	} {
		c := DefaultConfig()
		c.TLS = tt.tls
		c.TLS.Enable = true
		err := c.Validate()
		if len(tt.want) == 0 && err != nil {
			t.Errorf("%v, but it is valid", err)
		}
		for _, want := range tt.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%+v: got %v, want %q in it", tt.tls, err, want)
			}
		}
	}
}

// TestEncryptedKeys opens the same key, encrypted by OpenSSL in several ways.
func TestEncryptedKeys(t *testing.T) {
	want, err := TLSConfig{KeyFile: "testdata/plain.pem"}.readKey()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("CLUSTER_TEST_KEY_PASSWORD", "sesame")
	for _, password := range []Secret{"sesame", "env:CLUSTER_TEST_KEY_PASSWORD", "file:" + Secret(write(t, "pw", []byte("sesame\r\nsecond line\n")))} {
		for _, file := range []string{"pkcs8-aes256.pem", "pkcs8-aes128-sha1.pem", "pkcs8-aes192-sha512.pem", "legacy-aes128.pem"} {
			got, err := TLSConfig{KeyFile: "testdata/" + file, KeyPassword: password}.readKey()
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			if a, b := privateKey(t, got), privateKey(t, want); !a.Equal(b) {
				t.Errorf("%s is another key", file)
			}
		}
	}
	for _, tt := range []struct {
		file     string
		password Secret
		want     string
	}{
		{"pkcs8-aes192-sha512.pem", "Sesame", "the password is wrong"},
		{"legacy-aes128.pem", "Sesame", "the password is wrong"},
		{"pkcs8-des3.pem", "sesame", "only PBES2 with PBKDF2 and AES-CBC can be read"},
		{"pkcs8-scrypt.pem", "sesame", "only PBES2 with PBKDF2 and AES-CBC can be read"},
	} {
		_, err := TLSConfig{KeyFile: "testdata/" + tt.file, KeyPassword: tt.password}.readKey()
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q in it", tt.file, err, tt.want)
		}
	}
}

func privateKey(t *testing.T, text []byte) *ecdsa.PrivateKey {
	t.Helper()
	block, _ := pem.Decode(text)
	if key, err := x509.ParseECPrivateKey(block.Bytes); err == nil {
		return key
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return key.(*ecdsa.PrivateKey)
}

func TestParseProtocols(t *testing.T) {
	for _, tt := range []struct {
		text            string
		lowest, highest uint16
		want            string // in the error
	}{
		{"", 0, 0, ""},
		{"-all +TLSv1.2", tls.VersionTLS12, tls.VersionTLS12, ""},
		{"TLSv1.2,TLSv1.3", tls.VersionTLS12, tls.VersionTLS13, ""},
		{"all", tls.VersionTLS10, tls.VersionTLS13, ""},
		{"all -TLSv1 -TLSv1.1", tls.VersionTLS12, tls.VersionTLS13, ""},
		{"tlsv1.1\t+TLSV1.2", tls.VersionTLS11, tls.VersionTLS12, ""},
		{"-all -SSLv3 +TLSv1.3", tls.VersionTLS13, tls.VersionTLS13, ""},
		{"-all", 0, 0, `"-all" allows no version`},
		{"SSLv3", 0, 0, `"SSLv3" is broken`},
		{"TLSv1.4", 0, 0, `"TLSv1.4" is not one of`},
		{"TLSv1.1 TLSv1.3", 0, 0, "leaves out a version"},
		{"+", 0, 0, `"+" is not one of`},
	} {
		lowest, highest, err := parseProtocols(tt.text)
		if lowest != tt.lowest && err == nil || highest != tt.highest && err == nil {
			t.Errorf("%q: got %x to %x, want %x to %x", tt.text, lowest, highest, tt.lowest, tt.highest)
		}
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: got %v, want %q in it", tt.text, err, tt.want)
		}
	}
}

// TestCipherSuiteNames has both names of every suite that Go has, as printed
// by "openssl ciphers -stdname ALL:COMPLEMENTOFALL" (and, for those OpenSSL
// dropped, by its manual).
func TestCipherSuiteNames(t *testing.T) {
	pairs := strings.Fields(`
		TLS_RSA_WITH_RC4_128_SHA RC4-SHA
		TLS_RSA_WITH_3DES_EDE_CBC_SHA DES-CBC3-SHA
		TLS_RSA_WITH_AES_128_CBC_SHA AES128-SHA
		TLS_RSA_WITH_AES_256_CBC_SHA AES256-SHA
		TLS_RSA_WITH_AES_128_CBC_SHA256 AES128-SHA256
		TLS_RSA_WITH_AES_128_GCM_SHA256 AES128-GCM-SHA256
		TLS_RSA_WITH_AES_256_GCM_SHA384 AES256-GCM-SHA384
		TLS_ECDHE_ECDSA_WITH_RC4_128_SHA ECDHE-ECDSA-RC4-SHA
		TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA ECDHE-ECDSA-AES128-SHA
		TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA ECDHE-ECDSA-AES256-SHA
		TLS_ECDHE_RSA_WITH_RC4_128_SHA ECDHE-RSA-RC4-SHA
		TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA ECDHE-RSA-DES-CBC3-SHA
		TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA ECDHE-RSA-AES128-SHA
		TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA ECDHE-RSA-AES256-SHA
		TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256 ECDHE-ECDSA-AES128-SHA256
		TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256 ECDHE-RSA-AES128-SHA256
		TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 ECDHE-RSA-AES128-GCM-SHA256
		TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 ECDHE-ECDSA-AES128-GCM-SHA256
		TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384 ECDHE-RSA-AES256-GCM-SHA384
		TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 ECDHE-ECDSA-AES256-GCM-SHA384
		TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256 ECDHE-RSA-CHACHA20-POLY1305
		TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 ECDHE-ECDSA-CHACHA20-POLY1305`)
	want := make(map[string]string)
	for pair := range slices.Chunk(pairs, 2) {
		want[pair[0]] = pair[1]
	}
	for _, suite := range slices.Concat(tls.CipherSuites(), tls.InsecureCipherSuites()) {
		tls13 := slices.Equal(suite.SupportedVersions, []uint16{tls.VersionTLS13})
		if got := openSSLName(suite.Name); !tls13 && got != want[suite.Name] {
			t.Errorf("%s is OpenSSL's %s, want %s", suite.Name, got, want[suite.Name])
		}
		for _, name := range []string{suite.Name, openSSLName(suite.Name), strings.ToLower(suite.Name)} {
			ids, err := parseCipherSuites(name)
			if err != nil || tls13 && len(ids) != 0 || !tls13 && !slices.Equal(ids, []uint16{suite.ID}) {
				t.Errorf("%s: got %v, %v", name, ids, err)
			}
		}
	}
}

func TestParseCipherSuites(t *testing.T) {
	ids, err := parseCipherSuites("ECDHE-RSA-AES128-GCM-SHA256:AES256-SHA, TLS_AES_128_GCM_SHA256")
	if want := []uint16{tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, tls.TLS_RSA_WITH_AES_256_CBC_SHA}; err != nil || !slices.Equal(ids, want) {
		t.Errorf("got %v, %v, want %v", ids, err, want)
	}
	_, err = parseCipherSuites("DHE-RSA-AES128-SHA:HIGH:!aNULL")
	for _, want := range []string{`Go has no suite "DHE-RSA-AES128-SHA"`, `Go has no suite "HIGH"`, `"!aNULL": exclusions`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
	if _, err := parseCipherSuites(" : "); err == nil {
		t.Error("a list without suites is taken")
	}
	config, err := TLSConfig{CipherSuites: "TLS_AES_256_GCM_SHA384"}.build()
	if err != nil || config.MinVersion != tls.VersionTLS13 || config.CipherSuites != nil {
		t.Errorf("suites of TLSv1.3 alone: got %+v, %v, want no older version", config, err)
	}
}

func FuzzTLSNames(f *testing.F) {
	for _, s := range []string{"", "-all +TLSv1.2", "all,-TLSv1", "AES128-SHA:TLS_AES_128_GCM_SHA256", "!x", "-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if lowest, highest, err := parseProtocols(text); err == nil && lowest > highest {
			t.Errorf("%q: %x to %x", text, lowest, highest)
		}
		ids, err := parseCipherSuites(text)
		if err != nil {
			return
		}
		for _, id := range ids {
			if strings.HasPrefix(tls.CipherSuiteName(id), "0x") {
				t.Errorf("%q: Go has no suite %x", text, id)
			}
		}
	})
}

func FuzzParseBlacklist(f *testing.F) {
	f.Add("867EC87482B2 /C=US/O=Acme/CN=Test Chain CA\nE2D4B0E570F9EF8E885C065899886461\n")
	f.Add("# x\n\n-1\n")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseBlacklist(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, b := range list {
			if b.serial.Sign() < 0 || b.issuer != "" && b.issuer[0] != '/' {
				t.Errorf("%q: %+v", text, b)
			}
		}
	})
}

func FuzzDecryptPKCS8(f *testing.F) {
	for _, file := range []string{"pkcs8-aes256.pem", "pkcs8-des3.pem", "pkcs8-scrypt.pem"} {
		text, err := os.ReadFile("testdata/" + file)
		if err != nil {
			f.Fatal(err)
		}
		block, _ := pem.Decode(text)
		f.Add(block.Bytes, "sesame")
	}
	f.Fuzz(func(t *testing.T, der []byte, password string) {
		key, err := decryptPKCS8(der, password)
		if err != nil {
			return
		}
		if _, err := x509.ParsePKCS8PrivateKey(key); err != nil {
			t.Errorf("what was decrypted is no key: %v", err)
		}
	})
}
