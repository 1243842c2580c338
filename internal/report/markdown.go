package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/evcontract/evcontract/internal/rule"
)

// commentSize is what one comment on GitHub may hold, less the line that says
// that something was left out.
const commentSize = 65_000

// commentMark finds the comment again that is to be replaced.
const commentMark = "<!-- evcontract -->\n"

// Markdown writes one comment for a pull request: the summary, a table for
// each consumer, and the findings with their witnesses folded away.
func Markdown(w io.Writer, r *rule.Report, _ Options) error {
	r = clean(r)
	var b strings.Builder
	b.WriteString(commentMark)
	fmt.Fprintf(&b, "### %s evcontract: %s\n\n", sign(r), prose(summary(r)))
	b.WriteString(consumerTables(r))
	for _, line := range notes(r) {
		fmt.Fprintf(&b, "> - %s\n", prose(line))
	}
	for i := range r.Findings {
		section := markdownFinding(r, &r.Findings[i])
		if utf8.RuneCountInString(b.String())+utf8.RuneCountInString(section) > commentSize {
			fmt.Fprintf(&b, "\n… and %d more: the other formats have them all.\n", len(r.Findings)-i)
			break
		}
		b.WriteString(section)
	}
	if lines := scopeLines(r); lines != nil {
		b.WriteString("\n<details><summary>what was compared</summary>\n\n")
		for _, line := range lines {
			fmt.Fprintf(&b, "- %s\n", prose(line))
		}
		b.WriteString("\n</details>\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func sign(r *rule.Report) string {
	switch {
	case r.Verdict() == rule.Breaking:
		return "❌"
	case r.Verdict() == rule.Undecided:
		return "❓"
	case r.Reaches(rule.Warning):
		return "⚠️"
	}
	return "✅"
}

func shortenList(words []string, most int) string {
	if len(words) > most {
		words = append(slices.Clone(words[:most]), fmt.Sprintf("… %d more", len(words)-most))
	}
	return strings.Join(words, ", ")
}

func markdownFinding(r *rule.Report, f *rule.Finding) string {
	var b strings.Builder
	mark := map[rule.Severity]string{rule.Error: "❌", rule.Warning: "⚠️", rule.Info: "ℹ️"}[f.Severity]
	if f.Waived != nil {
		mark = "🔕"
	}
	fmt.Fprintf(&b, "\n**%s %s** %s", mark, f.Rule, code(f.Path))
	fmt.Fprintf(&b, "\n%s\n", prose(f.Message))
	for _, line := range []struct{ label, text string }{{"at", code(where(f))}, {"was", code(was(f))}, {"fix", prose(f.Fix)}} {
		if line.text != "" {
			fmt.Fprintf(&b, "- %s: %s\n", line.label, line.text)
		}
	}
	for _, line := range hits(f) {
		fmt.Fprintf(&b, "- hits: %s\n", prose(line))
	}
	if bases := hitBases(r, f); bases != "" {
		fmt.Fprintf(&b, "- against: %s\n", prose(bases))
	}
	switch {
	case f.Waived != nil:
		fmt.Fprintf(&b, "- %s\n", prose(waiver(f.Waived)))
	case f.Severity == rule.Error && len(f.Hits) > 0 && f.Hits[0].Direction != "":
		fmt.Fprintf(&b, "- to accept it: %s\n", code("evcontract waive "+f.Fingerprint+" --reason … --until …"))
	}
	if f.Witness != nil {
		fmt.Fprintf(&b, "\n<details><summary>the event that proves it</summary>\n\n%s\n</details>\n", fence(proof(f.Witness)))
	}
	return b.String()
}

// markup is what Markdown, HTML, mathematics, GitHub's mentions and links would
// act on. An empty comment breaks the latter and is not copied with the text.
var markup = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`,
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "$", "<span>$</span>",
	"@", "@<!-- -->", "#", "#<!-- -->", "://", ":<!-- -->//", "www.", "www<!-- -->.",
)

// prose makes a text of others show itself in Markdown.
func prose(s string) string { return markup.Replace(s) }

// code shows a text as code, whatever backticks it holds.
func code(s string) string {
	if s == "" {
		return ""
	}
	return "<code>" + prose(s) + "</code>"
}

// fence puts lines into a code block that they cannot end.
func fence(lines []string) string {
	text := strings.Join(lines, "\n")
	ticks := "```"
	for strings.Contains(text, ticks) {
		ticks += "`"
	}
	return ticks + "text\n" + text + "\n" + ticks + "\n"
}
