// Package lint holds the rules that one set of contracts can break by itself,
// without an older revision to compare with.
//
// One rule is one file, rule_<id>.go, and one archive, testdata/<id>.txtar: a
// small workspace that breaks the rule, what is said about it, and the files
// that mend it. The archive is the rule's test and the example on its page.
//
// To add a rule, write the two files, name the rule in rules.go and run
// UPDATE=1 go test, which fills in what is said. A rule about a manifest looks at
// the events that are declared; one about a schema looks at bare schemas too, and
// notes what several events share once, hitting them all.
package lint
