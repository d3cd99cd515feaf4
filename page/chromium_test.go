package page

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// chromium returns the browser, or skips the test where there is none.
func chromium(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starting a browser takes seconds")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("there is no Chromium")
	return ""
}

// browse runs the browser and returns what it prints.
func browse(t *testing.T, args ...string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	args = append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
		"--user-data-dir=" + t.TempDir(), "--allow-file-access-from-files"}, args...)
	cmd := exec.CommandContext(ctx, chromium(t), args...)
	cmd.WaitDelay = 10 * time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	return out
}

// probe is a page that shows another in a frame of a width and writes down what it
// looks like.
const probePage = `<!DOCTYPE html><html><body><iframe style="border:0;width:%dpx;height:900px"></iframe><pre id="out"></pre><script>
const frame = document.querySelector('iframe');
frame.onload = () => {
  const doc = frame.contentDocument, win = frame.contentWindow;
  const shown = [...doc.querySelectorAll('svg.chart')].filter(s => s.getBoundingClientRect().height > 0);
  const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
  let overlaps = [], outside = [], empty = 0, letters = 100;
  for (const svg of shown) {
    const box = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll('.numbers text, .stages text')];
    for (const [i, t] of texts.entries()) {
      const r = t.getBoundingClientRect();
      letters = Math.min(letters, r.height);
      if (r.left < box.left || r.right > box.right || r.top < box.top || r.bottom > box.bottom) outside.push(t.textContent);
      for (const u of texts.slice(i + 1)) if (!apart(r, u.getBoundingClientRect())) overlaps.push(t.textContent + ' and ' + u.textContent);
    }
    for (const p of svg.querySelectorAll('path.line')) if (!(p.getTotalLength() > 0)) empty++;
  }
  document.getElementById('out').textContent = JSON.stringify({
    title: doc.title, text: doc.body.innerText, pictures: shown.map(s => s.getAttribute('class')), overlaps, outside, empty, letters,
    wide: doc.documentElement.scrollWidth, background: win.getComputedStyle(doc.body).backgroundColor, color: win.getComputedStyle(doc.body).color,
    line: win.getComputedStyle(doc.querySelector('path.line.c0')).stroke,
  });
};
frame.src = 'page.html';
</script></body></html>`

// looks is what the probe writes down.
type looks struct {
	Title, Text             string
	Pictures                []string
	Overlaps, Outside       []string
	Empty                   int     // lines without any length
	Letters                 float64 // height of the smallest text in a picture, in pixels
	Wide                    int     // pixels that the page needs
	Background, Color, Line string
}

// look shows a page in the browser.
func lookAt(t *testing.T, width int, args []string, runs ...Run) looks {
	t.Helper()
	dir := t.TempDir()
	var b bytes.Buffer
	if err := Write(&b, runs); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"page.html": b.Bytes(), "probe.html": fmt.Appendf(nil, probePage, width)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := browse(t, append(args, "--virtual-time-budget=10000", "--window-size=1300,900", "--dump-dom", "file://"+filepath.Join(dir, "probe.html"))...)
	found := regexp.MustCompile(`(?s)<pre id="out">(.*?)</pre>`).FindSubmatch(out)
	var l looks
	if found == nil {
		t.Fatalf("the browser shows\n%s", out)
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(string(found[1]))), &l); err != nil {
		t.Fatalf("%v: %.200q", err, found[1])
	}
	return l
}

// The page as a browser lays it out: on a desk and on a phone, by day and by night.
func TestBrowser(t *testing.T) {
	two := twoStages(t)
	one, several := []Run{{"last.json", two}}, []Run{}
	for i := range MaxRuns {
		several = append(several, Run{fmt.Sprintf("night-%d.json", i+1), two})
	}
	dark := []string{"--blink-settings=preferredColorScheme=0"}
	for _, c := range []struct {
		why        string
		width      int
		args       []string
		runs       []Run
		pictures   map[string]int
		background string
	}{
		// Throughput of the run and of its stages, the load's distribution and
		// those of two operations are over the whole width.
		{"desk", 1200, nil, one, map[string]int{"chart wide": 6, "chart half": 4}, "rgb(255, 255, 255)"},
		{"desk by night", 1200, dark, one, map[string]int{"chart wide": 6, "chart half": 4}, "rgb(13, 17, 23)"},
		{"phone", 390, nil, one, map[string]int{"chart narrow": 6, "chart half": 4}, "rgb(255, 255, 255)"},
		{"phone by night, many runs", 390, dark, several, map[string]int{"chart narrow": 4, "chart half": 8}, "rgb(13, 17, 23)"},
		{"tablet, many runs", 760, nil, several, map[string]int{"chart wide": 4, "chart half": 8}, "rgb(255, 255, 255)"},
	} {
		t.Run(c.why, func(t *testing.T) {
			l := lookAt(t, c.width, c.args, c.runs...)
			if !strings.HasPrefix(l.Title, "aeroload: "+c.runs[0].Name) {
				t.Errorf("title %q", l.Title)
			}
			for _, want := range []string{"1 of 2 assertions failed", "Stage 2: 80 % reads", "Response time of read", "timeouts or errors"} {
				if !strings.Contains(l.Text, want) {
					t.Errorf("no %q in the text", want)
				}
			}
			got := map[string]int{}
			for _, p := range l.Pictures {
				got[p]++
			}
			if fmt.Sprint(got) != fmt.Sprint(c.pictures) {
				t.Errorf("pictures %v, want %v", got, c.pictures)
			}
			if l.Wide > c.width {
				t.Errorf("the page is %d pixels wide on a screen of %d", l.Wide, c.width)
			}
			if len(l.Overlaps)+len(l.Outside)+l.Empty > 0 {
				t.Errorf("texts over each other: %q, out of their picture: %q, %d lines without length", l.Overlaps, l.Outside, l.Empty)
			}
			if l.Letters < 9 {
				t.Errorf("texts in pictures are %.1f pixels high", l.Letters)
			}
			if l.Background != c.background || l.Color == l.Background || l.Line == l.Background || l.Line == "none" {
				t.Errorf("background %s, text %s, line %s", l.Background, l.Color, l.Line)
			}
		})
	}
}

// The page can be printed.
func TestPrint(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "page.html"), filepath.Join(dir, "page.pdf")
	var b bytes.Buffer
	if err := Write(&b, []Run{{"last.json", twoStages(t)}}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	browse(t, "--no-pdf-header-footer", "--print-to-pdf="+out, "file://"+in)
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	// A wide screen's picture is on paper, the phone's is not: twice as many
	// pages would be.
	if pages := bytes.Count(data, []byte("/Type /Page\n")); !bytes.HasPrefix(data, []byte("%PDF-")) || pages < 3 || pages > 8 {
		t.Errorf("a file of %d bytes with %d pages", len(data), pages)
	}
}
