package wholefile

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// holds checks that a folder has one file, and what is in it.
func holds(t *testing.T, path, want string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("the folder holds %v", entries)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != want {
		t.Errorf("the file holds %q, %v; want %q", data, err, want)
	}
}

func TestWholeOrNothing(t *testing.T) {
	for name, put := range map[string]func(string, func(io.Writer) error) error{"Replace": Replace,
		"Refresh": func(path string, write func(io.Writer) error) error { return Refresh(File{path, write}) }} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f")
			for _, s := range []string{"old and long", "new"} {
				if err := put(path, text(s)); err != nil {
					t.Fatal(err)
				}
				holds(t, path, s)
			}
			full := errors.New("disk full")
			err := put(path, func(w io.Writer) error { return errors.Join(text("half")(w), full) })
			if !errors.Is(err, full) {
				t.Errorf("err = %v", err)
			}
			holds(t, path, "new")
			if err := put(filepath.Join(path, "below"), text("x")); err == nil {
				t.Error("a file in place of the folder is no error")
			}
		})
	}
}

// Several files are replaced together.
func TestRefreshAllOrNone(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	full := errors.New("disk full")
	if err := Refresh(File{a, text("1")}, File{b, func(io.Writer) error { return full }}); !errors.Is(err, full) {
		t.Errorf("err = %v", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("the folder holds %v", entries)
	}
	if err := Refresh(File{a, text("1")}, File{b, text("2")}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{a: "1", b: "2"} {
		if data, err := os.ReadFile(path); err != nil || string(data) != want {
			t.Errorf("%s holds %q, %v", path, data, err)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("the folder holds %v", entries)
	}
}

// Names may be as long as the system allows, and permissions stay.
func TestReplaceKeepsNamesAndPermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("n", 255))
	if err := Check(path); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []os.FileMode{0, 0o600, 0o755} {
		if mode != 0 {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
		if err := Replace(path, text("new")); err != nil {
			t.Fatal(err)
		}
		holds(t, path, "new")
		if info, err := os.Stat(path); err != nil || mode != 0 && info.Mode() != mode {
			t.Errorf("mode %v, %v; want %v", info.Mode(), err, mode)
		}
	}
	if err := Check(path + "n"); err == nil {
		t.Error("a name that is too long is no error")
	}
}

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, make([]byte, 2048), 0o666); err != nil {
		t.Fatal(err)
	}
	if data, err := Read(path, 2048); err != nil || len(data) != 2048 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	for limit, want := range map[int64]string{2047: path + " is larger than 1 KiB", 1024: path + " is larger than 1 KiB"} {
		if _, err := Read(path, limit); err == nil || err.Error() != want {
			t.Errorf("up to %d: %v, want %q", limit, err, want)
		}
	}
	if _, err := os.Stat("/dev/zero"); err == nil {
		if _, err := Read("/dev/zero", 3<<20); err == nil || err.Error() != "/dev/zero is larger than 3 MiB" {
			t.Error(err)
		}
	}
}

func TestReplaceKeepsLinksAndDevices(t *testing.T) {
	target, link := filepath.Join(t.TempDir(), "f"), filepath.Join(t.TempDir(), "link")
	if err := os.WriteFile(target, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	if err := Replace(link, text("new")); err != nil {
		t.Fatal(err)
	}
	holds(t, target, "new")
	if to, err := os.Readlink(link); err != nil || to != target {
		t.Errorf("the link is %q, %v", to, err)
	}
	// A link to nothing is one to what is to be there.
	missing, dangling := filepath.Join(t.TempDir(), "f"), filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(missing, dangling); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(Check(dangling), Replace(dangling, text("new"))); err != nil {
		t.Fatal(err)
	}
	holds(t, missing, "new")
	if to, err := os.Readlink(dangling); err != nil || to != missing {
		t.Errorf("the link is %q, %v", to, err)
	}
	astray := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(target, "no", "folder"), astray); err != nil {
		t.Fatal(err)
	}
	if err := Check(astray); err == nil {
		t.Error("a link to a folder that is not there is no error")
	}
	if err := Replace(os.DevNull, text("new")); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s is %v, %v", os.DevNull, info, err)
	}
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(dir, "new"):          "",
		os.DevNull:                         "",
		dir:                                dir + " is a folder",
		filepath.Join(dir, "no", "folder"): filepath.Join(dir, "no", "folder") + " cannot be written: no such file or directory",
	} {
		got := ""
		if err := Check(path); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("Check(%s): %q, want %q", path, got, want)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("left behind: %v", entries)
	}
}

// A process that ends while it writes leaves what was there before.
func TestAbandon(t *testing.T) {
	if path := os.Getenv("WHOLEFILE_TEST"); path != "" {
		if _, err := Create(path + ".reserved"); err != nil {
			t.Fatal(err)
		}
		err := Replace(path, func(w io.Writer) error {
			if err := text("half")(w); err != nil {
				return err
			}
			Abandon()
			os.Exit(7)
			return nil
		})
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestAbandon$")
	cmd.Env = append(os.Environ(), "WHOLEFILE_TEST="+path)
	if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 7 {
		t.Fatalf("exit code %d\n%s", cmd.ProcessState.ExitCode(), out)
	}
	holds(t, path, "old")
}
