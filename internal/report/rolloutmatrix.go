package report

import (
	"slices"

	"github.com/evcontract/evcontract/internal/compat/rollout"
)

// matrix is who can read whom: revisions of readers against revisions of writers.
type matrix struct {
	readers, writers []rollout.Party
	answers          map[rollout.Pair]rollout.Answer
}

// matrix gathers the pairs of which something is read. The revisions of a service
// stand in the order in which they came into the world.
func (r *Rollout) matrix() matrix {
	m := matrix{answers: map[rollout.Pair]rollout.Answer{}}
	reads, writes := map[rollout.Party]bool{}, map[rollout.Party]bool{}
	for _, meeting := range r.Plan.Meetings {
		m.answers[meeting.Pair] = meeting.Answer
		reads[meeting.Reader], writes[meeting.Writer] = true, true
	}
	for i := range r.Services {
		s := &r.Services[i]
		for _, rev := range s.Revisions {
			p := rollout.Party{Service: s.Name, Revision: rev.Ref}
			if rev.Role == OnTheWay && r.Plan.Verdict == rollout.Safe && !slices.Contains(r.Plan.Through, p) {
				continue // nothing leads over it
			}
			if reads[p] && rev.Role != WasSent {
				m.readers = append(m.readers, p)
			}
			if writes[p] {
				m.writers = append(m.writers, p)
			}
		}
	}
	return m
}

// of is the part of a matrix that is about one writer.
func (m matrix) of(writer string) matrix {
	part := matrix{answers: m.answers}
	for _, w := range m.writers {
		if w.Service == writer {
			part.writers = append(part.writers, w)
		}
	}
	for _, r := range m.readers {
		if slices.ContainsFunc(part.writers, func(w rollout.Party) bool { return m.answers[rollout.Pair{Reader: r, Writer: w}] != rollout.Nothing }) {
			part.readers = append(part.readers, r)
		}
	}
	return part
}

// writerNames are the services that write, in order.
func (m matrix) writerNames() []string {
	var names []string
	for _, w := range m.writers {
		if !slices.Contains(names, w.Service) {
			names = append(names, w.Service)
		}
	}
	return names
}

func (m matrix) answer(reader, writer rollout.Party) rollout.Answer {
	return m.answers[rollout.Pair{Reader: reader, Writer: writer}]
}

// role is why a revision takes part, in a word.
func (r *Rollout) role(p rollout.Party) RolloutRole {
	for i := range r.Services {
		for _, rev := range r.Services[i].Revisions {
			if r.Services[i].Name == p.Service && rev.Ref == p.Revision {
				return rev.Role
			}
		}
	}
	return ""
}

var roleWords = map[RolloutRole]string{
	RunsNow: "runs", RunsThen: "comes", RunsNoMore: "leaves", OnTheWay: "between", WasSent: "in flight",
}
