package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/evcontract/evcontract/delivery/deliverytest"
)

func TestMain(m *testing.M) {
	if deliverytest.Child(openDrill) {
		return
	}
	testscript.Main(m, map[string]func(){
		"evcontract": func() { os.Exit(Main()) },
		"shop":       func() { os.Exit(shopMain(os.Args[1:])) },
	})
}

// TestScript runs whole-program sessions. UPDATE=1 rewrites what they compare.
func TestScript(t *testing.T) {
	example, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	cache, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	caches := strings.Fields(string(cache)) // of whoever runs the tests: HOME is another one
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE") != "",
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"eventually": eventually, "planned": planned("PLAN"), "planned2": planned("PLAN2")},
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			env.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
			for _, who := range []string{"AUTHOR", "COMMITTER"} {
				env.Setenv("GIT_"+who+"_NAME", "evcontract")
				env.Setenv("GIT_"+who+"_EMAIL", "evcontract@example.com")
				env.Setenv("GIT_"+who+"_DATE", "2026-11-01T12:00:00Z")
			}
			env.Setenv("EXAMPLE", example)
			env.Setenv("GOCACHE", caches[0])
			env.Setenv("GOMODCACHE", caches[1])
			tool, err := exec.LookPath("evcontract")
			if err != nil {
				return err
			}
			env.Setenv("TOOL", tool)
			serve(env)
			return nil
		},
	})
}

// serve is a web server for a script: the files of its folder served, and some
// answers that are no help. $SERVER is its URL, $SERVED the folder that what is
// vendored from it goes to.
func serve(env *testscript.Env) {
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(filepath.Join(env.WorkDir, "served"))))
	mux.Handle("/moved/", http.StripPrefix("/moved", http.RedirectHandler("/common/id.json", http.StatusFound)))
	mux.Handle("/loop", http.RedirectHandler("/loop", http.StatusFound))
	mux.HandleFunc("/huge.json", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"description": "` + strings.Repeat("x", 5<<20) + `"}`))
	})
	mux.HandleFunc("/inside.json", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, env.Getenv("SERVER")+"/common/id.json", http.StatusFound)
	})
	mux.HandleFunc("/file.json", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
	})
	s := httptest.NewServer(mux)
	env.Defer(s.Close)
	host := strings.TrimPrefix(s.URL, "http://")
	env.Setenv("SERVER", s.URL)
	env.Setenv("SERVED", "contracts/vendored/"+strings.ReplaceAll(host, ":", "_"))
	env.Setenv("LOCALHOST", "http://localhost:"+strings.TrimPrefix(host, "127.0.0.1:"))
}
