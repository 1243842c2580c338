package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"evcontract": func() { os.Exit(Main()) },
	})
}

// TestScript runs whole-program sessions. UPDATE=1 rewrites what they compare.
func TestScript(t *testing.T) {
	example, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE") != "",
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
			return nil
		},
	})
}
