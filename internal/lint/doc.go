// Package lint holds the rules that one set of contracts can break by itself,
// without an older revision to compare with.
//
// One rule is one file, rule_<id>.go, and one archive, testdata/<id>.txtar: a
// small workspace that breaks the rule, what is said about it, and the files
// that mend it. The archive is the rule's test and the example on its page.
package lint
