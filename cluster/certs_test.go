package cluster

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// An issued is a certificate made for a test, with its key.
type issued struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// issue makes a certificate: an authority's if it has no issuer or is to be
// one, else one for 127.0.0.1 and node.test.
func issue(t *testing.T, name string, serial int64, issuer *issued, authority bool) *issued {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial),
		Subject:      pkix.Name{Country: []string{"US"}, Organization: []string{"Acme"}, CommonName: name},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if authority {
		template.IsCA, template.BasicConstraintsValid = true, true
		template.KeyUsage, template.ExtKeyUsage = x509.KeyUsageCertSign|x509.KeyUsageCRLSign, nil
	} else {
		template.DNSNames = []string{"node.test"}
		template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	}
	parent, signer := template, key
	if issuer != nil {
		parent, signer = issuer.cert, issuer.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &issued{cert, key}
}

func (i *issued) certPEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: i.cert.Raw})
}

func (i *issued) keyPEM(t *testing.T) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(i.key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// crlPEM is a revocation list of the authority, valid until the given time.
func (i *issued) crlPEM(t *testing.T, until time.Time, revoked ...int64) []byte {
	t.Helper()
	list := &x509.RevocationList{Number: big.NewInt(1), ThisUpdate: until.Add(-time.Hour), NextUpdate: until}
	for _, serial := range revoked {
		list.RevokedCertificateEntries = append(list.RevokedCertificateEntries,
			x509.RevocationListEntry{SerialNumber: big.NewInt(serial), RevocationTime: until.Add(-time.Hour)})
	}
	der, err := x509.CreateRevocationList(rand.Reader, list, i.cert, i.key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "X509 CRL", Bytes: der})
}

// write puts texts into a new file and returns its path.
func write(t *testing.T, name string, texts ...[]byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, bytes.Join(texts, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// forgedCRL is a list in the name of i that other has signed.
func (i *issued) forgedCRL(t *testing.T, other *issued, until time.Time) []byte {
	t.Helper()
	forger := *other.cert
	forger.RawSubject, forger.SubjectKeyId = i.cert.RawSubject, i.cert.SubjectKeyId
	return (&issued{&forger, other.key}).crlPEM(t, until)
}

// serverTLS is the configuration of a server with that certificate.
func serverTLS(leaf *issued) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{leaf.cert.Raw}, PrivateKey: leaf.key}}}
}

// encryptPEM encrypts a key in PEM's own way.
func encryptPEM(t *testing.T, text []byte, password string) []byte {
	t.Helper()
	block, _ := pem.Decode(text)
	//lint:ignore SA1019 weak, but what users' key files have
	block, err := x509.EncryptPEMBlock(rand.Reader, block.Type, block.Bytes, []byte(password), x509.PEMCipherAES128)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(block)
}
