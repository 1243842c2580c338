package sqlite

import (
	"context"
	"fmt"

	"github.com/evcontract/evcontract/delivery"
)

// inFlight names what each table holds by its dataschema, as messages do.
const inFlight = `
	SELECT 'evcontract:' || event || '/' || revision, max(appended_at) FROM evc_event WHERE revision <> '' GROUP BY event, revision
	UNION ALL SELECT json_extract(envelope, '$.dataschema') AS s, max(published_at) FROM evc_topic GROUP BY s
	UNION ALL SELECT json_extract(envelope, '$.dataschema') AS s, max(parked_at) FROM evc_parked GROUP BY s
	UNION ALL SELECT json_extract(envelope, '$.dataschema') AS s, max(last_at) FROM evc_quarantine WHERE state IN ('open', 'replaying') GROUP BY s`

// InFlight implements delivery.RevisionStore.
func (s *Store) InFlight(ctx context.Context) (list []delivery.InFlight, err error) {
	rows, err := s.read.QueryContext(ctx, inFlight)
	if err != nil {
		return nil, fmt.Errorf("revisions in flight: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var schema *string
		var newest int64
		if err := rows.Scan(&schema, &newest); err != nil {
			return nil, err
		}
		if schema == nil {
			continue
		}
		if event, revision, ok := delivery.RevisionOf(*schema); ok {
			list = delivery.AddInFlight(list, delivery.InFlight{Event: event, Revision: revision, Newest: instant(newest)})
		}
	}
	return list, rows.Err()
}
