package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/evcontract/evcontract/internal/compat/rollout"
	"github.com/evcontract/evcontract/internal/rule"
)

// rolloutMark finds the comment again that is to be replaced.
const rolloutMark = "<!-- evcontract rollout -->\n"

// RolloutMarkdown writes a plan as one comment for a pull request: the summary,
// the steps, the matrix, and the witnesses folded away.
func RolloutMarkdown(w io.Writer, r *Rollout, _ Options) error {
	r = r.telling()
	var b strings.Builder
	b.WriteString(rolloutMark)
	sign := map[rollout.Verdict]string{rollout.Safe: "✅", rollout.Blocked: "❌", rollout.Undecided: "❓"}[r.Plan.Verdict]
	fmt.Fprintf(&b, "### %s evcontract: %s\n\n", sign, prose(r.headline()))
	for _, s := range r.Plan.Standing {
		fmt.Fprintf(&b, "> broken already: %s; %s\n>\n", prose(r.cannot(s.Meeting)), ends(s, r.Plan.Verdict == rollout.Safe))
	}
	r.markdownBlocks(&b)
	r.markdownSteps(&b)
	for _, line := range r.accepted() {
		fmt.Fprintf(&b, "- 🔕 holds by a waiver: %s\n\n", prose(line))
	}
	r.markdownMatrix(&b)
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "\n> %s\n", prose(plain(n)))
	}
	text := b.String()
	if utf8.RuneCountInString(text) > commentSize {
		text = cutAt(text, commentSize) + "\n\n… the other formats have the rest.\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

// cutAt keeps the whole lines among the first characters of a text.
func cutAt(text string, most int) string {
	head := string([]rune(text)[:most])
	return head[:strings.LastIndexByte(head, '\n')+1]
}

func (r *Rollout) markdownBlocks(b *strings.Builder) {
	for i := range r.Plan.Blocks {
		o := r.obstacle(&r.Plan.Blocks[i])
		title := o.title
		if len(r.Plan.Steps) > 0 {
			title = "the direct way is blocked: " + title
		}
		fmt.Fprintf(b, "**%s**\n\n", prose(title))
		for _, l := range o.pairs {
			fmt.Fprintf(b, "- %s %s\n", answerSigns[badness[answerOf[l.Answer]]], prose(r.cannot(l.Meeting)))
			if f := r.worst(l.Pair); f != nil && f.Witness != nil {
				c := *f
				cleanFinding(&c)
				fmt.Fprintf(b, "\n<details><summary>the event that proves it</summary>\n\n%s\n</details>\n\n", fence(proof(c.Witness)))
			}
		}
		for _, f := range o.fixes {
			fmt.Fprintf(b, "- fix: %s\n", prose(f))
		}
		b.WriteString("\n")
	}
}

func (r *Rollout) markdownSteps(b *strings.Builder) {
	if len(r.Plan.Steps) == 0 {
		return
	}
	b.WriteString("| | step | because | way back |\n|---|---|---|---|\n")
	for i := range r.Plan.Steps {
		s := &r.Plan.Steps[i]
		var because []string
		for _, line := range r.becauses(s) {
			because = append(because, prose(line))
		}
		var back []string
		for _, line := range r.wayBack(s) {
			back = append(back, prose(line))
		}
		fmt.Fprintf(b, "| %d | %s | %s | %s |\n", i+1, prose(does(s)), strings.Join(because, "<br>"), strings.Join(back, "<br>"))
	}
	b.WriteString("\n")
	for _, n := range r.Plan.NoReturn {
		fmt.Fprintf(b, "- point of no return: %s\n", prose(r.noReturn(n)))
	}
	if len(r.Plan.NoReturn) > 0 {
		b.WriteString("\n")
	}
}

// markdownMatrix writes who can read whom, one table for each writer.
func (r *Rollout) markdownMatrix(b *strings.Builder) {
	m := r.matrix()
	for _, writer := range m.writerNames() {
		part := m.of(writer)
		fmt.Fprintf(b, "| who can read %s |", prose(plain(writer)))
		for _, w := range part.writers {
			fmt.Fprintf(b, " %s %s |", prose(plain(w.Revision)), r.mark(w))
		}
		b.WriteString("\n|---|" + strings.Repeat(":---:|", len(part.writers)) + "\n")
		for _, reader := range part.readers {
			fmt.Fprintf(b, "| %s |", prose(partyName(reader)))
			for _, w := range part.writers {
				fmt.Fprintf(b, " %s |", meetingSigns[part.answer(reader, w)])
			}
			b.WriteString("\n")
		}
		b.WriteString("\n")
	}
	if len(m.readers) > 0 {
		b.WriteString("✓ holds, ✗ refuted, ? unknown, · reads nothing of it\n")
	}
}

// answerOf is a pair's answer as reads call it.
var answerOf = map[rollout.Answer]rule.Answer{rollout.Holds: rule.Holds, rollout.Refuted: rule.Refuted, rollout.Unknown: rule.Unknown}
