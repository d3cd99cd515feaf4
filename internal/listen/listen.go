// Package listen reads the addresses at which a program is told to listen.
package listen

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// Loopback is where an address without a host listens: what a load tool tells of
// itself is not for everyone in the network.
const Loopback = "127.0.0.1"

// Parse reads an address such as :9464, localhost:9464, 0.0.0.0:9464 or [::]:9464,
// and returns it as [net.Listen] takes it. Without a host it is that of [Loopback].
// The port is a number from 0 to 65535, of which 0 asks for any that is free. The
// error quotes the text and says what it should be.
func Parse(text string) (string, error) {
	if text == "" {
		return "", errors.New("the value is empty; expected HOST:PORT, or :PORT")
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return "", fmt.Errorf("%q is not an address: expected HOST:PORT, or :PORT%s", text, meant(text))
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || port != strconv.FormatUint(n, 10) {
		return "", fmt.Errorf("%q is not an address: its port is not a number from 0 to 65535", text)
	}
	switch {
	case host == "":
		host = Loopback
	case host == "*":
		return "", fmt.Errorf("%q is not an address; did you mean %q, which is all of this machine's?", text, "0.0.0.0:"+port)
	case !isHost(host):
		return "", fmt.Errorf("%q is not an address: %q is neither a name nor an IP address", text, host)
	}
	return net.JoinHostPort(host, port), nil
}

// meant guesses what an address without a host, a port or brackets should be.
func meant(text string) string {
	guess := ""
	if n, err := strconv.ParseUint(text, 10, 16); err == nil {
		guess = fmt.Sprintf(":%d", n)
	} else if i := strings.LastIndexByte(text, ':'); i > 0 && !strings.ContainsAny(text, "[]") {
		if ip, err := netip.ParseAddr(text[:i]); err == nil && ip.Is6() {
			guess = "[" + text[:i] + "]" + text[i:]
		}
	}
	if guess == "" {
		return ""
	}
	if _, err := Parse(guess); err != nil {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", guess)
}

// isHost tells whether a text can be a host: an IP address, perhaps with a zone, or
// a name of letters, digits, dashes, underscores and dots.
func isHost(text string) bool {
	if _, err := netip.ParseAddr(text); err == nil {
		return true
	}
	return !strings.ContainsFunc(text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r))
	})
}
