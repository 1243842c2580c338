package evcontract_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// demoBlock is the demo's output as README.md shows it.
var demoBlock = regexp.MustCompile("(?s)```\n(── lint.*?)\n```\n")

// TestReadmeRollout holds the rollout in README.md to what the session in
// testdata/script/rollout.txtar compares.
func TestReadmeRollout(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	session, err := os.ReadFile("testdata/script/rollout.txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, want, found := strings.Cut(string(session), "-- want/safe.txt --\n")
	want, _, _ = strings.Cut(want, "\n\nnote:")
	if !found || !strings.Contains(string(text), "```\n"+want+"\n```\n") {
		t.Errorf("README.md does not show:\n%s", want)
	}
}

// TestReadme holds README.md to what it shows: the example's manifests, and the
// output of the demo. UPDATE=1 writes the latter anew.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"contracts/orders/order_paid.v1.event.yaml", "contracts/consumers/loyalty.consumer.yaml"} {
		manifest, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "```yaml\n"+string(manifest)+"```") {
			t.Errorf("README.md does not show %s as it is", file)
		}
	}
	program := filepath.Join(t.TempDir(), "evcontract")
	if out, err := exec.Command("go", "build", "-o", program, "./cmd/evcontract").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program, "demo").Output()
	if err != nil {
		t.Fatalf("demo: %v\n%s", err, out)
	}
	want := strings.Trim(string(out), "\n")
	shown := demoBlock.FindSubmatchIndex(text)
	switch {
	case shown == nil:
		t.Error("README.md does not show what the demo prints")
	case string(text[shown[2]:shown[3]]) == want:
	case os.Getenv("UPDATE") != "":
		fresh := string(text[:shown[2]]) + want + string(text[shown[3]:])
		if err := os.WriteFile("README.md", []byte(fresh), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error("README.md shows an output that the demo no longer prints: UPDATE=1 writes it anew")
	}
}
