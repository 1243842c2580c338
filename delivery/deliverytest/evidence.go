package deliverytest

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Evidence is one thing that the database shows after a drill.
type Evidence struct{ What, Shows string }

// figure is evidence as a statement that every store answers. Its rows become
// one text, with a space between columns.
type figure struct{ what, query string }

// usual figures are shown for every drill.
var usual = []figure{
	{"business changes", "SELECT count(*) FROM t_change"},
	{"events of them", "SELECT count(*) FROM evc_event"},
	{"messages sent", "SELECT count(*) FROM evc_topic"},
	{"handled by all consumers", "SELECT CAST(coalesce(sum(handled), 0) AS BIGINT) FROM evc_member"},
	{"duplicates found", "SELECT CAST(coalesce(sum(duplicates), 0) AS BIGINT) FROM evc_member"},
	{"most effects of one key", "SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM t_effect GROUP BY consumer, key) AS k"},
	{"most third-party calls of one key", "SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM t_provider GROUP BY key) AS k"},
}

var (
	figureStale   = figure{"older versions skipped", "SELECT CAST(coalesce(sum(stale), 0) AS BIGINT) FROM evc_member"}
	figureParked  = figure{"events that waited in their lane", "SELECT CAST(coalesce(sum(parked), 0) AS BIGINT) FROM evc_member"}
	figureFailed  = figure{"failed attempts", "SELECT CAST(coalesce(sum(failed), 0) AS BIGINT) FROM evc_member"}
	figureCases   = figure{"quarantined: consumer, lane, reason, attempts, owner", "SELECT c.name, q.lane_id, q.reason, q.attempts, q.owner FROM evc_quarantine q JOIN evc_consumer c ON c.id = q.consumer ORDER BY c.name, q.lane_id"}
	figureBetween = figure{"ms from the first failure to the last", "SELECT q.lane_id, (q.last_at - q.first_at) / 1000 FROM evc_quarantine q ORDER BY q.lane_id, q.id"}
	figureState   = figure{"version that the projection shows, and the newest", "SELECT s.lane, s.version, max(c.version) FROM t_state s JOIN t_change c ON c.lane = s.lane WHERE s.consumer = 'projection' GROUP BY s.lane, s.version ORDER BY s.lane"}
	figureMembers = figure{"members: consumer, revision, build, how many", "SELECT c.name, m.revision, m.build, count(*) FROM evc_member m JOIN evc_consumer c ON c.id = m.consumer WHERE m.handled > 0 GROUP BY c.name, m.revision, m.build ORDER BY c.name, m.revision"}
	figureTypes   = figure{"events by type and revision", "SELECT event, revision, count(*) FROM evc_event GROUP BY event, revision ORDER BY event"}
)

// evidence reads the usual figures and the ones given.
func (w *World) evidence(ctx context.Context, more []figure) ([]Evidence, error) {
	var shown []Evidence
	for _, f := range append(append([]figure{}, usual...), more...) {
		rows, err := w.DB.Query(ctx, f.query)
		if err != nil {
			return shown, fmt.Errorf("%s: %w", f.what, err)
		}
		lines := make([]string, len(rows))
		for i, row := range rows {
			lines[i] = strings.TrimSuffix(fmt.Sprintln(row...), "\n")
		}
		if len(lines) == 0 {
			lines = []string{"none"}
		}
		shown = append(shown, Evidence{f.what, strings.Join(lines, "; ")})
	}
	return shown, nil
}

// spread makes one table of the usual figures of several runs: each from its
// least to its most.
func spread(runs [][]Evidence) []Evidence {
	shown := make([]Evidence, len(usual))
	for i := range usual {
		least, most := math.MaxInt, math.MinInt
		for _, run := range runs {
			n, err := strconv.Atoi(run[i].Shows)
			if err != nil {
				continue // it would show as no number at all
			}
			least, most = min(least, n), max(most, n)
		}
		shown[i] = Evidence{usual[i].what + ", a run", fmt.Sprintf("%d to %d", least, most)}
		if least == most {
			shown[i].Shows = strconv.Itoa(most)
		}
	}
	return shown
}
