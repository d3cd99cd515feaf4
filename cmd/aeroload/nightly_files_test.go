package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

func TestNightlyScriptIsClean(t *testing.T) {
	shellcheck, err := exec.LookPath("shellcheck")
	if err != nil {
		t.Skip("there is no shellcheck")
	}
	if out, err := exec.Command(shellcheck, "../../examples/nightly/nightly.sh").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	info, err := os.Stat("../../examples/nightly/nightly.sh")
	if err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("the script cannot be executed: %v, %v", info, err)
	}
}

// The workflow runs the script, and keeps and publishes what it leaves whatever
// comes of it.
func TestNightlyWorkflow(t *testing.T) {
	text, err := os.ReadFile("../../examples/nightly/workflow.yml")
	if err != nil {
		t.Fatal(err)
	}
	var w struct {
		On struct {
			Schedule []struct{ Cron string }
		}
		Jobs map[string]struct {
			Steps []struct {
				Uses, Run, If string
				With          map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(text, &w); err != nil {
		t.Fatal(err)
	}
	if len(w.On.Schedule) != 1 || len(strings.Fields(w.On.Schedule[0].Cron)) != 5 {
		t.Errorf("it is scheduled for %v", w.On.Schedule)
	}
	ran := false
	for _, s := range w.Jobs["load"].Steps {
		isScript := strings.Contains(s.Run, "/nightly.sh --hosts")
		always := strings.HasPrefix(s.If, "always()")
		if ran != always {
			t.Errorf("the step %s%s runs if %q", s.Uses, s.Run, s.If)
		}
		if strings.Contains(s.Uses, "actions/cache/") && !strings.HasPrefix(s.With["key"], s.With["path"]+"-") {
			t.Errorf("%s keeps %s by %s", s.Uses, s.With["path"], s.With["key"])
		}
		ran = ran || isScript
	}
	if !ran {
		t.Error("it does not run the script")
	}
}
