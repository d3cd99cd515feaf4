package cluster

import (
	"bufio"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"strings"
	"time"
)

// revocationCheck refuses peers by the blacklist and by revocation lists.
type revocationCheck struct {
	blacklist []blacklisted
	lists     []*x509.RevocationList
	leaf      bool // look the peer's certificate up in the lists
	chain     bool // and those above it
}

// check is nil when at least one of the chains has no certificate that is
// refused. (There are several when authorities have certified each other.)
func (r revocationCheck) check(chains [][]*x509.Certificate) error {
	var err error
	for _, chain := range chains {
		if err = r.checkChain(chain); err == nil {
			return nil
		}
	}
	return err
}

func (r revocationCheck) checkChain(chain []*x509.Certificate) error {
	for _, cert := range chain {
		for _, b := range r.blacklist {
			if b.matches(cert) {
				return fmt.Errorf("the certificate of %q, serial number %X, is in --tls-cert-blacklist", cert.Subject, cert.SerialNumber)
			}
		}
	}
	checked := 0
	switch {
	case r.chain:
		checked = len(chain)
	case r.leaf:
		checked = 1
	}
	for i, cert := range chain[:checked] {
		issuer := chain[min(i+1, len(chain)-1)] // the last one issued itself
		if err := r.checkRevoked(cert, issuer); err != nil {
			return err
		}
	}
	return nil
}

// checkRevoked asks for a valid list of the issuer, as OpenSSL does: without
// one, nothing says that the certificate isn't revoked.
func (r revocationCheck) checkRevoked(cert, issuer *x509.Certificate) error {
	now := time.Now()
	problem := errors.New("there is none")
	for _, list := range r.lists {
		if string(list.RawIssuer) != string(cert.RawIssuer) {
			continue
		}
		if err := list.CheckSignatureFrom(issuer); err != nil {
			problem = err
			continue
		}
		if now.Before(list.ThisUpdate) || !list.NextUpdate.IsZero() && now.After(list.NextUpdate) {
			problem = fmt.Errorf("it is valid from %s to %s only",
				list.ThisUpdate.Format(time.RFC3339), list.NextUpdate.Format(time.RFC3339))
			continue
		}
		for _, entry := range list.RevokedCertificateEntries {
			if entry.SerialNumber.Cmp(cert.SerialNumber) == 0 {
				return fmt.Errorf("the certificate of %q, serial number %X, was revoked on %s",
					cert.Subject, cert.SerialNumber, entry.RevocationTime.Format(time.RFC3339))
			}
		}
		return nil
	}
	return fmt.Errorf("--tls-crl-check: no usable revocation list of %q: %w", issuer.Subject, problem)
}

// blacklisted is one line of a blacklist.
type blacklisted struct {
	serial *big.Int
	issuer string // in OpenSSL's one-line form; empty for any
}

func (b blacklisted) matches(cert *x509.Certificate) bool {
	return b.serial.Cmp(cert.SerialNumber) == 0 && (b.issuer == "" || b.issuer == oneLine(cert.Issuer))
}

func readBlacklist(path string) ([]blacklisted, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("--tls-cert-blacklist: %q: %w", path, plainPathError(err))
	}
	defer f.Close()
	list, err := parseBlacklist(f)
	if err != nil {
		return nil, fmt.Errorf("--tls-cert-blacklist: %q: %w", path, err)
	}
	return list, nil
}

// parseBlacklist reads the format of the C client's cert_blacklist: a serial
// number in hex, then optionally blanks and an issuer. Empty lines and those
// that begin with # are left out.
func parseBlacklist(r io.Reader) ([]blacklisted, error) {
	var list []blacklisted
	scanner := bufio.NewScanner(r)
	for n := 1; scanner.Scan(); n++ {
		line := strings.TrimSpace(scanner.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		word, issuer := line, ""
		if i := strings.IndexAny(line, " \t"); i >= 0 {
			word, issuer = line[:i], strings.TrimSpace(line[i:])
		}
		serial, ok := new(big.Int).SetString(word, 16)
		if !ok || serial.Sign() < 0 {
			return nil, fmt.Errorf("line %d: %q is not a serial number in hex", n, word)
		}
		if issuer != "" && issuer[0] != '/' {
			return nil, fmt.Errorf("line %d: the issuer %q does not begin with a slash", n, issuer)
		}
		list = append(list, blacklisted{serial: serial, issuer: issuer})
	}
	if err := scanner.Err(); err != nil {
		return nil, err
	}
	return list, nil
}

// oneLine is a name the way OpenSSL's X509_NAME_oneline prints it.
func oneLine(name pkix.Name) string {
	short := map[string]string{
		"2.5.4.3":                    "CN",
		"2.5.4.4":                    "SN",
		"2.5.4.5":                    "serialNumber",
		"2.5.4.6":                    "C",
		"2.5.4.7":                    "L",
		"2.5.4.8":                    "ST",
		"2.5.4.9":                    "street",
		"2.5.4.10":                   "O",
		"2.5.4.11":                   "OU",
		"2.5.4.12":                   "title",
		"2.5.4.42":                   "GN",
		"1.2.840.113549.1.9.1":       "emailAddress",
		"0.9.2342.19200300.100.1.1":  "UID",
		"0.9.2342.19200300.100.1.25": "DC",
	}
	var b strings.Builder
	for _, attribute := range name.Names {
		key := attribute.Type.String()
		if s, ok := short[key]; ok {
			key = s
		}
		fmt.Fprintf(&b, "/%s=%v", key, attribute.Value)
	}
	return b.String()
}
