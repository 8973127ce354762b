package front

import (
	"fmt"
	"runtime"
	"strings"

	"example.org/godp/kernel/wire"
)

type helpLink struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

// onKernelInfo says who we are. It needs no worker, so it answers also while a cell runs or the worker is being replaced.
func onKernelInfo(f *front, r *request) {
	goVersion := strings.TrimPrefix(runtime.Version(), "go")
	r.reply(map[string]any{
		"status":                 "ok",
		"protocol_version":       wire.ProtocolVersion,
		"implementation":         "godp",
		"implementation_version": f.cfg.Version,
		"language_info": map[string]any{
			"name":               "go",
			"version":            goVersion,
			"mimetype":           "text/x-go",
			"file_extension":     ".go",
			"pygments_lexer":     "go",
			"codemirror_mode":    "go",
			"nbconvert_exporter": "script",
		},
		"banner": fmt.Sprintf("godp %s: Go %s, and a laboratory for differentially private machine learning.\n"+
			"std, gonum, plot, dp, plots and display need no import statement.", f.cfg.Version, goVersion),
		"debugger":           true,
		"supported_features": []string{"debugger", "kernel subshells"},
		"help_links": []helpLink{
			{"Go language specification", "https://go.dev/ref/spec"},
			{"Go standard library", "https://pkg.go.dev/std"},
			{"Gonum", "https://pkg.go.dev/gonum.org/v1/gonum"},
			{"Gonum Plot", "https://pkg.go.dev/gonum.org/v1/plot"},
		},
	})
}
