package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/evcontract/evcontract/internal/rule"
)

// tableSize is what the tables of one comment may take, so that findings have
// room; the folded ones have half of it.
const tableSize = 30_000

const tableHead = "| event | old readers, new events | new readers, old events |\n|---|---|---|\n"

// consumerTable is how one consumer reads each event.
type consumerTable struct {
	consumer string
	worst    int
	rows     []eventRow
}

// eventRow is one event of a table.
type eventRow struct {
	event string
	worst int
	text  string
}

// consumerTables is a table for each consumer: those that cannot read something
// first, those of which every read holds folded away.
func consumerTables(r *rule.Report) string {
	tables := tablesOf(r)
	held := slices.IndexFunc(tables, func(t consumerTable) bool { return t.worst <= badness[rule.Holds] })
	if held < 0 {
		held = len(tables)
	}
	var b strings.Builder
	b.WriteString(printTables(tables[:held], tableSize))
	if hold := tables[held:]; len(hold) > 0 {
		fmt.Fprintf(&b, "<details><summary>✅ every read holds for: %s</summary>\n\n", prose(shortenList(namesOf(hold), 30)))
		b.WriteString(printTables(hold, tableSize/2))
		b.WriteString("</details>\n\n")
	}
	return b.String()
}

func namesOf(tables []consumerTable) []string {
	var names []string
	for _, t := range tables {
		names = append(names, reader(t.consumer))
	}
	return names
}

// printTables prints as many rows as fit, and counts the others.
func printTables(tables []consumerTable, size int) string {
	var b strings.Builder
	left := 0
	for _, t := range tables {
		head := fmt.Sprintf("**%s** %s\n\n%s", prose(reader(t.consumer)), answerSigns[t.worst], tableHead)
		var printed strings.Builder
		for _, row := range t.rows {
			size -= utf8.RuneCountInString(row.text)
			if printed.Len() == 0 {
				size -= utf8.RuneCountInString(head)
			}
			if size < 0 {
				left++
				continue
			}
			printed.WriteString(row.text)
		}
		if printed.Len() > 0 {
			b.WriteString(head + printed.String() + "\n")
		}
	}
	if left > 0 {
		fmt.Fprintf(&b, "… and %s more: the other formats have them all.\n\n", count(left, "row"))
	}
	return b.String()
}

// tablesOf sorts reads into tables, the worst consumer and event first.
func tablesOf(r *rule.Report) []consumerTable {
	findings := byFingerprint(r)
	reads := map[string]map[string][]*rule.Read{}
	for i := range r.Reads {
		read := &r.Reads[i]
		consumer := read.Reader.Consumer
		if reads[consumer] == nil {
			reads[consumer] = map[string][]*rule.Read{}
		}
		reads[consumer][read.Event] = append(reads[consumer][read.Event], read)
	}
	var tables []consumerTable
	for consumer, events := range reads {
		t := consumerTable{consumer: consumer}
		for event, reads := range events {
			forward, worst := answers(findings, reads, rule.Forward)
			backward, other := answers(findings, reads, rule.Backward)
			worst = max(worst, other)
			t.worst = max(t.worst, worst)
			t.rows = append(t.rows, eventRow{event, worst, fmt.Sprintf("| %s | %s | %s |\n", prose(event), forward, backward)})
		}
		slices.SortFunc(t.rows, func(a, b eventRow) int {
			return cmp.Or(cmp.Compare(b.worst, a.worst), cmp.Compare(a.event, b.event))
		})
		tables = append(tables, t)
	}
	slices.SortFunc(tables, func(a, b consumerTable) int {
		return cmp.Or(cmp.Compare(b.worst, a.worst), cmp.Compare(a.consumer, b.consumer))
	})
	return tables
}

// answers is a cell of a table: the worst answer of a direction, and its rules.
func answers(findings map[string][]*rule.Finding, reads []*rule.Read, d rule.Direction) (cell string, worst int) {
	var rules []string
	for _, read := range reads {
		if read.Direction != d {
			continue
		}
		if accepted(told(findings, read)) && read.Answer != rule.Holds {
			worst = max(worst, acceptedBadness)
		} else {
			worst = max(worst, badness[read.Answer])
		}
		for _, f := range told(findings, read) {
			if !slices.Contains(rules, code(f.Rule)) {
				rules = append(rules, code(f.Rule))
			}
		}
	}
	return strings.TrimSpace(answerSigns[worst] + " " + shortenList(rules, 4)), worst
}

// accepted reports whether findings have errors and waivers accept all of them.
func accepted(findings []*rule.Finding) bool {
	waived := 0
	for _, f := range findings {
		switch {
		case f.Waived != nil:
			waived++
		case f.Severity == rule.Error:
			return false
		}
	}
	return waived > 0
}

var (
	badness     = map[rule.Answer]int{rule.Holds: 1, rule.Unknown: 3, rule.Refuted: 4}
	answerSigns = [...]string{"–", "✅ holds", "🔕 waived", "❓ unknown", "❌ refuted"}
)

// acceptedBadness is that of an answer all of whose errors are waived.
const acceptedBadness = 2
