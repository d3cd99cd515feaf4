package embedded

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// certificateLife is how long throw-away certificates are good for.
const certificateLife = 24 * time.Hour

// A TestAuthority issues throw-away certificates, which are good for a day, for
// tests of TLS. Its private key is in memory only.
type TestAuthority struct {
	// PEM is the authority's certificate, for clients and servers to trust.
	PEM []byte

	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// A TestCertificate is a certificate with its private key, both also as PEM.
type TestCertificate struct {
	tls.Certificate
	CertPEM, KeyPEM []byte
}

// TestAuthorityName is the common name of every [TestAuthority].
const TestAuthorityName = "embedded test authority"

// NewTestAuthority makes an authority with a key of its own. It fails only if the
// system has no randomness.
func NewTestAuthority() (*TestAuthority, error) {
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: TestAuthorityName},
		IsCA:    true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
	a := &TestAuthority{}
	made, err := a.sign(template)
	if err != nil {
		return nil, fmt.Errorf("test authority: %w", err)
	}
	a.PEM = made.CertPEM
	return a, nil
}

// Issue makes a certificate for servers and clients alike. The name is its common
// name, by which a client can log in; the hosts are the DNS names and IP addresses
// that a server with it may be reached under.
func (a *TestAuthority) Issue(name string, hosts ...string) (*TestCertificate, error) {
	template := &x509.Certificate{
		Subject:     pkix.Name{CommonName: name},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	made, err := a.sign(template)
	if err != nil {
		return nil, fmt.Errorf("test certificate for %q: %w", name, err)
	}
	return made, nil
}

// sign completes and signs a certificate; the first one is the authority's own.
func (a *TestAuthority) sign(template *x509.Certificate) (*TestCertificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	if template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120)); err != nil {
		return nil, err
	}
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(certificateLife)
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		return nil, err
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	if a.cert == nil {
		a.cert, a.key = leaf, key
	}
	return &TestCertificate{
		Certificate: tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf},
		CertPEM:     pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		KeyPEM:      pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}),
	}, nil
}

// Pool returns a pool with the authority alone.
func (a *TestAuthority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// ServerConfig makes a certificate for a server on this machine, which is also
// known by the hosts given, and returns the configuration for [Config.TLS]. A
// client's certificate is verified if there is one; it must be there if mutual is
// set.
func (a *TestAuthority) ServerConfig(mutual bool, hosts ...string) (*tls.Config, error) {
	made, err := a.Issue("embedded test server", append([]string{"localhost", "127.0.0.1", "::1"}, hosts...)...)
	if err != nil {
		return nil, err
	}
	config := &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{made.Certificate},
		ClientCAs: a.Pool(), ClientAuth: tls.VerifyClientCertIfGiven,
	}
	if mutual {
		config.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return config, nil
}

// ClientConfig returns the configuration of a client that trusts the authority's
// servers, with certificates of its own if they are given.
func (a *TestAuthority) ClientConfig(own ...*TestCertificate) *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: a.Pool()}
	for _, c := range own {
		config.Certificates = append(config.Certificates, c.Certificate)
	}
	return config
}
