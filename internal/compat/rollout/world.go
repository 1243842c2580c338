package rollout

import (
	"slices"
	"time"
)

// world is a problem in numbers: every revision of every service has one.
type world struct {
	services []Service
	parties  []Party
	owner    []int // the service of each party
	ids      map[Party]int
	answers  [][]Answer // by reader, then writer
	isRead   []bool     // by writer: whether anybody reads anything of it
}

func newWorld(p *Problem) *world {
	w := &world{services: p.Services, ids: map[Party]int{}}
	for i := range p.Services {
		s := &p.Services[i]
		for _, revisions := range [][]string{s.Now, s.Via, s.To} {
			w.add(i, revisions)
		}
		for _, sent := range s.Sent {
			w.add(i, []string{sent.Revision})
		}
	}
	w.answers, w.isRead = make([][]Answer, len(w.parties)), make([]bool, len(w.parties))
	for r := range w.parties {
		w.answers[r] = make([]Answer, len(w.parties))
		for s := range w.parties {
			if p.Read != nil {
				w.answers[r][s] = p.Read(Pair{w.parties[r], w.parties[s]})
				w.isRead[s] = w.isRead[s] || w.answers[r][s] != Nothing
			}
		}
	}
	return w
}

func (w *world) add(service int, revisions []string) {
	for _, r := range revisions {
		party := Party{w.services[service].Name, r}
		if _, known := w.ids[party]; !known {
			w.ids[party] = len(w.parties)
			w.parties = append(w.parties, party)
			w.owner = append(w.owner, service)
		}
	}
}

// numbers are the parties of some revisions of a service.
func (w *world) numbers(service int, revisions []string) []int {
	var ids []int
	for _, r := range revisions {
		if id := w.ids[Party{w.services[service].Name, r}]; !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (w *world) meeting(reader, writer int) Meeting {
	return Meeting{Pair{w.parties[reader], w.parties[writer]}, w.answers[reader][writer]}
}

// track is what one service shall run, one after the other.
type track struct {
	stops [][]int // the first is what it runs; the last may be empty on a way back
	sent  []left  // what it does not run now and whose events may still be read
	keeps time.Duration
}

type left struct {
	id    int
	after time.Duration
}

// tasks are a problem's own: from what runs to what shall run.
func (w *world) tasks() []task {
	tasks := make([]task, len(w.services))
	for i := range w.services {
		s := &w.services[i]
		t := task{now: w.numbers(i, s.Now), to: w.numbers(i, s.To), via: w.numbers(i, s.Via), keeps: s.Keeps}
		if len(t.to) == 0 {
			t.to = t.now
		}
		for _, sent := range s.Sent {
			if id := w.ids[Party{s.Name, sent.Revision}]; !slices.Contains(t.now, id) {
				t.sent = append(t.sent, left{id, sent.Left})
			}
		}
		tasks[i] = t
	}
	return tasks
}

func sameSet(a, b []int) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(x int) bool { return !slices.Contains(b, x) })
}

// meetings are all pairs of which the reader reads something.
func (w *world) meetings() []Meeting {
	var all []Meeting
	for r := range w.parties {
		for s := range w.parties {
			if m := w.meeting(r, s); m.Answer != Nothing {
				all = append(all, m)
			}
		}
	}
	return all
}
