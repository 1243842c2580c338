package report

import (
	_ "embed"
	"io"
	"time"

	"github.com/evcontract/evcontract/internal/compat/rollout"
	"github.com/evcontract/evcontract/internal/rule"
)

//go:embed rollout.schema.json
var rolloutSchema []byte

// RolloutSchema is the published JSON Schema of what RolloutJSON writes.
func RolloutSchema() []byte { return rolloutSchema }

// The JSON of a plan, as it is published.
type (
	rolloutDocument struct {
		Tool        string            `json:"tool"`
		Version     string            `json:"version"`
		Environment string            `json:"environment"`
		Target      string            `json:"target"`
		AsOf        string            `json:"as_of"`
		Verdict     rollout.Verdict   `json:"verdict"`
		Summary     string            `json:"summary"`
		Services    []rolloutService  `json:"services"`
		Steps       []rolloutStep     `json:"steps"`
		Through     []rolloutParty    `json:"through"`
		NoReturn    []rolloutNoReturn `json:"no_return"`
		Standing    []rolloutStanding `json:"standing"`
		Blocks      []rolloutBlock    `json:"blocks"`
		Incomplete  bool              `json:"incomplete"`
		Pairs       []rolloutPair     `json:"pairs"`
		Findings    []finding         `json:"findings"`
		Notes       []string          `json:"notes"`
	}
	rolloutParty struct {
		Service  string `json:"service"`
		Revision string `json:"revision"`
	}
	rolloutPair struct {
		Reader   rolloutParty `json:"reader"`
		Writer   rolloutParty `json:"writer"`
		Answer   string       `json:"answer"`
		Events   []string     `json:"events"`
		Findings []string     `json:"findings"`
	}
	rolloutService struct {
		Name      string            `json:"name"`
		Owner     *string           `json:"owner"`
		Repo      *string           `json:"repo"`
		Keeps     float64           `json:"keeps_seconds"`
		Revisions []rolloutRevision `json:"revisions"`
	}
	rolloutRevision struct {
		Revision string            `json:"revision"`
		Commit   *string           `json:"commit"`
		Role     RolloutRole       `json:"role"`
		Left     float64           `json:"left_seconds"`
		Sends    []rolloutContract `json:"sends"`
		Reads    []rolloutContract `json:"reads"`
	}
	rolloutContract struct {
		Event    string  `json:"event"`
		Revision *string `json:"revision"`
	}
	rolloutStep struct {
		Step    int              `json:"step"`
		Kind    rollout.Kind     `json:"kind"`
		Service *string          `json:"service"`
		From    []string         `json:"from"`
		To      []string         `json:"to"`
		Drained []rolloutParty   `json:"drained"`
		Seconds float64          `json:"seconds"`
		Says    string           `json:"says"`
		Reads   []rolloutPair    `json:"reads"`
		After   []rolloutBecause `json:"after"`
		Back    *rolloutBack     `json:"back"`
	}
	rolloutBecause struct {
		Step int         `json:"step"`
		Pair rolloutPair `json:"pair"`
	}
	rolloutBack struct {
		Possible bool           `json:"possible"`
		AtOnce   bool           `json:"at_once"`
		Seconds  float64        `json:"seconds"`
		Steps    []rolloutStep  `json:"steps"`
		Alone    []rolloutAlone `json:"alone"`
	}
	rolloutAlone struct {
		Service string        `json:"service"`
		To      []string      `json:"to"`
		Safe    bool          `json:"safe"`
		Forbid  []rolloutPair `json:"forbidden_by"`
	}
	rolloutNoReturn struct {
		Service string        `json:"service"`
		To      []string      `json:"to"`
		Step    int           `json:"step"`
		Because []rolloutPair `json:"because"`
	}
	rolloutStanding struct {
		Step *int        `json:"ended_by_step"`
		Pair rolloutPair `json:"pair"`
	}
	rolloutBlock struct {
		Reason rollout.Reason `json:"reason"`
		Says   string         `json:"says"`
		Pairs  []rolloutLink  `json:"pairs"`
		Fixes  []string       `json:"fixes"`
	}
	rolloutLink struct {
		rolloutPair
		First    *string `json:"first"`
		Then     *string `json:"then"`
		Wait     bool    `json:"wait"`
		Unblocks bool    `json:"unblocks"`
	}
)

// RolloutJSON writes everything, as rollout.schema.json says.
func RolloutJSON(w io.Writer, r *Rollout, _ Options) error {
	p := r.Plan
	d := rolloutDocument{
		Tool: "evcontract", Version: r.Version, Environment: r.Environment, Target: r.Target, AsOf: r.AsOf.UTC().Format(time.RFC3339),
		Verdict: p.Verdict, Summary: r.headline(), Through: each(p.Through, partyOf), Incomplete: p.GaveUp,
		Services: each(r.Services, serviceOf), Notes: list(r.Notes),
		Pairs: each(p.Meetings, r.pair),
		NoReturn: each(p.NoReturn, func(n rollout.NoReturn) rolloutNoReturn {
			return rolloutNoReturn{n.Service, list(n.Revision), n.Step, each(n.Because, r.pair)}
		}),
		Standing: each(p.Standing, func(s rollout.Standing) rolloutStanding {
			step := &s.Step
			if s.Step == 0 {
				step = nil
			}
			return rolloutStanding{step, r.pair(s.Meeting)}
		}),
		Blocks: each(p.Blocks, r.blockOf),
		Steps:  r.stepsOf(p.Steps, true),
	}
	findings := r.told()
	d.Findings = each(findings, func(f rule.Finding) finding { return findingOf(&f) })
	return writeJSON(w, d)
}

// each is a list made of another, never nil.
func each[A, B any](all []A, f func(A) B) []B {
	out := make([]B, len(all))
	for i, a := range all {
		out[i] = f(a)
	}
	return out
}

func partyOf(p rollout.Party) rolloutParty { return rolloutParty{p.Service, p.Revision} }

func (r *Rollout) pair(m rollout.Meeting) rolloutPair {
	p := rolloutPair{partyOf(m.Reader), partyOf(m.Writer), string(m.Answer), list(r.Reads[m.Pair]), []string{}}
	for _, f := range r.Findings[m.Pair] {
		p.Findings = append(p.Findings, f.Fingerprint)
	}
	return p
}

func serviceOf(s RolloutService) rolloutService {
	return rolloutService{s.Name, some(s.Owner), some(s.Repo), s.Keeps.Seconds(), each(s.Revisions, func(v RolloutRevision) rolloutRevision {
		contracts := func(all []RolloutContract) []rolloutContract {
			return each(all, func(c RolloutContract) rolloutContract { return rolloutContract{c.Event, some(c.Revision)} })
		}
		return rolloutRevision{v.Ref, some(v.Commit), v.Role, v.Left.Seconds(), contracts(v.Sends), contracts(v.ReadsFrom)}
	})}
}

func (r *Rollout) stepsOf(steps []rollout.Step, withBack bool) []rolloutStep {
	out := make([]rolloutStep, len(steps))
	for i := range steps {
		s := &steps[i]
		out[i] = rolloutStep{
			Step: i + 1, Kind: s.Kind, Service: some(s.Service), From: list(s.From), To: list(s.To), Drained: each(s.Drained, partyOf),
			Seconds: s.Time.Seconds(), Says: does(s), Reads: each(s.Reads, r.pair),
			After: each(s.After, func(b rollout.Because) rolloutBecause { return rolloutBecause{b.Step, r.pair(b.Meeting)} }),
		}
		if withBack {
			out[i].Back = r.backOf(&s.Back)
		}
	}
	return out
}

func (r *Rollout) backOf(b *rollout.Back) *rolloutBack {
	return &rolloutBack{b.Possible, b.Possible && !b.Waits, b.Wait.Seconds(), r.stepsOf(b.Steps, false),
		each(b.Alone, func(a rollout.Alone) rolloutAlone {
			return rolloutAlone{a.Service, list(a.To), len(a.Forbid) == 0, each(a.Forbid, r.pair)}
		})}
}

func (r *Rollout) blockOf(b rollout.Block) rolloutBlock {
	o := r.obstacle(&b)
	return rolloutBlock{b.Reason, o.title, each(b.Links, func(l rollout.Link) rolloutLink {
		return rolloutLink{r.pair(l.Meeting), some(l.First), some(l.Then), l.Wait, l.Unblocks}
	}), list(o.fixes)}
}
