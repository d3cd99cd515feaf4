package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// TestSecretIsHidden prints a configuration in all ways that come to mind.
func TestSecretIsHidden(t *testing.T) {
	c := DefaultConfig()
	c.User, c.Password, c.TLS.KeyPassword = "bob", "quux17", "quux17"
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%10.3s"} {
		for _, value := range []any{c.Password, c, &c, c.TLS, []Secret{c.Password}, map[string]any{"p": c.Password}, errors.Join(fmt.Errorf("x: %v", c.Password))} {
			text := fmt.Sprintf(verb, value)
			if strings.Contains(text, "quu") || strings.Contains(strings.ToLower(text), "717575") {
				t.Errorf("%s of a %T shows the password: %s", verb, value, text)
			}
		}
	}
	for name, marshal := range map[string]func(any) ([]byte, error){"JSON": json.Marshal, "YAML": yaml.Marshal} {
		text, err := marshal(map[string]any{"password": c.Password, "none": Secret("")})
		if err != nil || strings.Contains(string(text), "quux17") || !strings.Contains(string(text), hidden) {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
	if string(c.Password) != "quux17" || Secret("").String() != "" {
		t.Error("the password is lost, or none is shown as one")
	}
}

func TestSecretIsReference(t *testing.T) {
	for text, want := range map[Secret]bool{"env:PW": true, "file:/run/pw": true, "env": false, "quux17": false, "": false, "Env:PW": false} {
		if got := text.IsReference(); got != want {
			t.Errorf("%q is a reference: %t", string(text), got)
		}
	}
}
