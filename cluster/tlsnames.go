package cluster

import (
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// protocolSet has a bit for each TLS version, in the order of tlsVersions.
type protocolSet uint

const (
	tls10 protocolSet = 1 << iota
	tls11
	tls12
	tls13
	allProtocols = tls10 | tls11 | tls12 | tls13
)

func tlsVersions() []uint16 {
	return []uint16{tls.VersionTLS10, tls.VersionTLS11, tls.VersionTLS12, tls.VersionTLS13}
}

// parseProtocols reads a --tls-protocols value, the lowest and the highest
// version allowed; 0 and 0, Go's defaults, for an empty one. Its words have
// commas or blanks between; each adds a version, or with a - takes it away.
func parseProtocols(text string) (lowest, highest uint16, err error) {
	words := strings.FieldsFunc(text, isSeparator)
	if len(words) == 0 {
		return 0, 0, nil
	}
	var set protocolSet
	for _, word := range words {
		name := strings.TrimLeft(word, "+-")
		var one protocolSet
		switch strings.ToLower(name) {
		case "all":
			one = allProtocols
		case "tlsv1", "tlsv1.0":
			one = tls10
		case "tlsv1.1":
			one = tls11
		case "tlsv1.2":
			one = tls12
		case "tlsv1.3":
			one = tls13
		case "sslv2", "sslv3":
			if word[0] != '-' {
				return 0, 0, fmt.Errorf("--tls-protocols: %q is broken and not supported", word)
			}
		default:
			return 0, 0, fmt.Errorf("--tls-protocols: %q is not one of all, TLSv1, TLSv1.1, TLSv1.2, TLSv1.3, each with + or - or neither", word)
		}
		if word[0] == '-' {
			set &^= one
		} else {
			set |= one
		}
	}
	if set == 0 {
		return 0, 0, fmt.Errorf("--tls-protocols: %q allows no version", text)
	}
	for i, version := range tlsVersions() {
		if set&(1<<i) == 0 {
			continue
		}
		if lowest == 0 {
			lowest = version
		} else if highest != version-1 {
			return 0, 0, fmt.Errorf("--tls-protocols: %q leaves out a version between others, which Go can't", text)
		}
		highest = version
	}
	return lowest, highest, nil
}

func isSeparator(r rune) bool { return strings.ContainsRune(" \t,", r) }

// parseCipherSuites reads a --tls-cipher-suite value: names of OpenSSL or
// IANA. Suites of TLSv1.3 are left out of the result, as Go's can't be chosen.
// Unknown names are errors, all of them together.
func parseCipherSuites(text string) ([]uint16, error) {
	known := slices.Concat(tls.CipherSuites(), tls.InsecureCipherSuites())
	names := strings.FieldsFunc(text, func(r rune) bool { return r == ':' || isSeparator(r) })
	if text != "" && len(names) == 0 {
		return nil, fmt.Errorf("--tls-cipher-suite: %q names no suite", text)
	}
	var ids []uint16
	var errs []error
	for _, name := range names {
		i := slices.IndexFunc(known, func(s *tls.CipherSuite) bool {
			return strings.EqualFold(name, s.Name) || strings.EqualFold(name, openSSLName(s.Name))
		})
		switch {
		case i < 0 && strings.ContainsAny(name, "!+@-") && !strings.Contains(name, "-"):
			errs = append(errs, fmt.Errorf("--tls-cipher-suite: %q: exclusions and orderings are OpenSSL's; name the suites", name))
		case i < 0:
			errs = append(errs, fmt.Errorf("--tls-cipher-suite: Go has no suite %q", name))
		case !slices.Equal(known[i].SupportedVersions, []uint16{tls.VersionTLS13}):
			ids = append(ids, known[i].ID)
		}
	}
	return ids, errors.Join(errs...)
}

// openSSLName turns the IANA name of a suite that Go has into OpenSSL's, by the
// rules behind the table in the manual page openssl-ciphers(1).
func openSSLName(iana string) string {
	if !strings.Contains(iana, "_WITH_") {
		return iana // TLSv1.3's names are the same
	}
	return strings.NewReplacer(
		"TLS_RSA_WITH_", "",
		"TLS_", "",
		"_WITH_", "-",
		"AES_128_CBC", "AES128",
		"AES_256_CBC", "AES256",
		"AES_128_GCM", "AES128-GCM",
		"AES_256_GCM", "AES256-GCM",
		"3DES_EDE_CBC", "DES-CBC3",
		"RC4_128", "RC4",
		"CHACHA20_POLY1305_SHA256", "CHACHA20-POLY1305",
		"_", "-",
	).Replace(iana)
}
