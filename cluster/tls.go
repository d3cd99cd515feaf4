package cluster

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/aeroload/aeroload/internal/wholefile"
)

// maxTLSFile is far above any file of certificates, keys or passwords.
const maxTLSFile = 16 << 20

// build makes the client's TLS configuration, reading every file. It returns
// all errors, joined, each beginning with its flag.
func (t TLSConfig) build() (*tls.Config, error) {
	var errs []error
	add := func(err error) {
		if err != nil {
			errs = append(errs, err)
		}
	}
	if t.LoginOnly {
		add(errors.New("--tls-login-only: the Go client has no connections that are encrypted for the login only"))
	}
	config := new(tls.Config)
	var err error
	config.MinVersion, config.MaxVersion, err = parseProtocols(t.Protocols)
	add(err)
	config.CipherSuites, err = parseCipherSuites(t.CipherSuites)
	add(err)
	if t.CipherSuites != "" && len(config.CipherSuites) == 0 && err == nil {
		// Only suites of TLSv1.3 are allowed, so nothing older is.
		config.MinVersion = tls.VersionTLS13
	}
	if config.MaxVersion != 0 && config.MinVersion > config.MaxVersion {
		add(fmt.Errorf("--tls-cipher-suite: %q are of TLSv1.3, which --tls-protocols %q excludes", t.CipherSuites, t.Protocols))
	}

	authorities, err := t.loadAuthorities()
	add(err)
	if authorities.certificates > 0 {
		config.RootCAs = authorities.pool
	}
	config.Certificates, err = t.loadKeyPair()
	add(err)

	var blacklist []blacklisted
	if t.CertBlacklist != "" {
		blacklist, err = readBlacklist(t.CertBlacklist)
		add(err)
	}
	revocation := revocationCheck{
		blacklist: blacklist,
		lists:     authorities.lists,
		leaf:      t.CRLCheck || t.CRLCheckAll,
		chain:     t.CRLCheckAll,
	}
	if revocation.leaf && len(authorities.lists) == 0 {
		add(errors.New("--tls-crl-check: there is no revocation list (PEM, X509 CRL) in --tls-cafile or --tls-capath"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	config.VerifyConnection = verifier(revocation, t.SessionLog)
	return config, nil
}

// verifier is called once the chain of a connection's peer has been verified.
func verifier(revocation revocationCheck, log io.Writer) func(tls.ConnectionState) error {
	var mu sync.Mutex // connections are opened by many goroutines at once
	return func(state tls.ConnectionState) error {
		if err := revocation.check(state.VerifiedChains); err != nil {
			return err
		}
		if log == nil {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		_, err := fmt.Fprintf(log, "TLS session with %s (certificate of %q): %s, %s\n",
			peerName(state), state.PeerCertificates[0].Subject, tls.VersionName(state.Version), tls.CipherSuiteName(state.CipherSuite))
		if err != nil {
			return fmt.Errorf("logging the TLS session: %w", err)
		}
		return nil
	}
}

// peerName returns the name that a connection's peer was asked to prove, in quotes.
// Go tells it only of names. An address, which it has checked as well, is one of those
// in the certificate: mostly the only one.
func peerName(state tls.ConnectionState) string {
	if state.ServerName != "" {
		return strconv.Quote(state.ServerName)
	}
	var addresses []string
	for _, ip := range state.PeerCertificates[0].IPAddresses {
		addresses = append(addresses, strconv.Quote(ip.String()))
	}
	if len(addresses) == 0 {
		return "an address"
	}
	return strings.Join(addresses, " or ")
}

// authorities are the contents of --tls-cafile and --tls-capath.
type authorities struct {
	pool         *x509.CertPool
	certificates int
	lists        []*x509.RevocationList
}

func (t TLSConfig) loadAuthorities() (authorities, error) {
	all := authorities{pool: x509.NewCertPool()}
	var errs []error
	if t.CAFile != "" {
		before := all.certificates
		err := all.addFile(t.CAFile)
		if err == nil && all.certificates == before {
			err = errors.New("there is no PEM certificate in it")
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("--tls-cafile: %q: %w", t.CAFile, err))
		}
	}
	if t.CAPath != "" {
		before := all.certificates
		err := all.addFolder(t.CAPath)
		if err == nil && all.certificates == before {
			err = errors.New("there is no PEM certificate in any of its files")
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("--tls-capath: %q: %w", t.CAPath, err))
		}
	}
	return all, errors.Join(errs...)
}

// addFolder adds the files of a folder; such folders also hold notes and keys,
// so files without certificates and lists are no error.
func (a *authorities) addFolder(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return plainPathError(err)
	}
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			continue // a folder, or a link to nothing
		}
		if err := a.addFile(path); err != nil {
			return fmt.Errorf("%s: %w", entry.Name(), err)
		}
	}
	return nil
}

func (a *authorities) addFile(path string) error {
	text, err := wholefile.Read(path, maxTLSFile)
	if err != nil {
		return plainPathError(err)
	}
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			return nil
		}
		switch block.Type {
		case "CERTIFICATE", "TRUSTED CERTIFICATE":
			cert, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				return err
			}
			a.pool.AddCert(cert)
			a.certificates++
		case "X509 CRL":
			list, err := x509.ParseRevocationList(block.Bytes)
			if err != nil {
				return err
			}
			a.lists = append(a.lists, list)
		}
	}
}

// loadKeyPair reads the client's own certificate and key, if it has them.
func (t TLSConfig) loadKeyPair() ([]tls.Certificate, error) {
	switch {
	case t.CertFile == "" && t.KeyFile == "":
		if t.KeyPassword != "" {
			return nil, errors.New("--tls-keyfile-password: there is no --tls-keyfile")
		}
		return nil, nil
	case t.CertFile == "":
		return nil, errors.New("--tls-keyfile: needs --tls-certfile, the certificate the key is for")
	case t.KeyFile == "":
		return nil, errors.New("--tls-certfile: needs --tls-keyfile, the key of the certificate")
	}
	cert, certErr := wholefile.Read(t.CertFile, maxTLSFile)
	if certErr != nil {
		certErr = fmt.Errorf("--tls-certfile: %q: %w", t.CertFile, plainPathError(certErr))
	} else if block, _ := pem.Decode(cert); block == nil {
		certErr = fmt.Errorf("--tls-certfile: %q: there is no PEM certificate in it", t.CertFile)
	}
	key, keyErr := t.readKey()
	if err := errors.Join(certErr, keyErr); err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("--tls-certfile: %q with --tls-keyfile %q: %w", t.CertFile, t.KeyFile, err)
	}
	return []tls.Certificate{pair}, nil
}

// readKey returns the private key as unencrypted PEM.
func (t TLSConfig) readKey() ([]byte, error) {
	text, err := wholefile.Read(t.KeyFile, maxTLSFile)
	if err != nil {
		return nil, fmt.Errorf("--tls-keyfile: %q: %w", t.KeyFile, plainPathError(err))
	}
	block, rest := pem.Decode(text)
	// A key file may begin with other things, such as EC PARAMETERS.
	for block != nil && !strings.HasSuffix(block.Type, "PRIVATE KEY") {
		block, rest = pem.Decode(rest)
	}
	if block == nil {
		return nil, fmt.Errorf("--tls-keyfile: %q: there is no PEM private key in it", t.KeyFile)
	}
	if !isEncrypted(block) {
		return pem.EncodeToMemory(block), nil
	}
	if t.KeyPassword == "" {
		return nil, fmt.Errorf("--tls-keyfile: %q is encrypted: give --tls-keyfile-password", t.KeyFile)
	}
	password, err := readPassword(string(t.KeyPassword))
	if err != nil {
		return nil, fmt.Errorf("--tls-keyfile-password: %w", err)
	}
	if block, err = decryptKey(block, password); err != nil {
		return nil, fmt.Errorf("--tls-keyfile: %q: %w", t.KeyFile, err)
	}
	return pem.EncodeToMemory(block), nil
}

// readPassword resolves a --tls-keyfile-password.
func readPassword(text string) (string, error) {
	if name, ok := strings.CutPrefix(text, "env:"); ok {
		value, ok := os.LookupEnv(name)
		if !ok {
			return "", fmt.Errorf("the environment has no %q", name)
		}
		return value, nil
	}
	if path, ok := strings.CutPrefix(text, "file:"); ok {
		content, err := wholefile.Read(path, maxTLSFile)
		if err != nil {
			return "", fmt.Errorf("%q: %w", path, plainPathError(err))
		}
		line, _, _ := bytes.Cut(content, []byte("\n"))
		return string(bytes.TrimSuffix(line, []byte("\r"))), nil
	}
	return text, nil
}

// plainPathError takes the operation and the path off an error of package os,
// as messages here have quoted the path already.
func plainPathError(err error) error {
	var pathErr *os.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}
