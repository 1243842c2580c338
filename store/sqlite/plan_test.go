package sqlite

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlans: what is asked all the time takes an index, and as much time with
// many lanes, calls and cases as with few.
func TestPlans(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for query, index := range map[string]string{
		anyDue: "evc_block_wake", dueBlocks: "evc_block_wake", anyCall: "evc_effect_due", dueCalls: "evc_effect_due", resolveCase: "evc_quarantine",
		parkedByArrival: "evc_parked_lane", parkedByVersion: "evc_parked_version",
	} {
		rows, err := s.write.Query("EXPLAIN QUERY PLAN "+query, 1, 1, 1, 1)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		var plan []string
		for rows.Next() {
			var id, parent, unused int
			var step string
			if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
				t.Fatal(err)
			}
			plan = append(plan, step)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(plan, "\n")
		if !strings.Contains(text, index) || strings.Contains(text, "TEMP B-TREE") || strings.Contains(text, "SCAN r") || strings.Contains(text, "evc_block USING PRIMARY") {
			t.Errorf("%s\n%s", query, text)
		}
	}
}
