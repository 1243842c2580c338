package load

import (
	"context"
	"time"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// Release is a release whose events may still be read, or that a service may
// still be rolled back to.
type Release struct {
	source.Tag
	Until time.Time // when its successor was released; zero: it is the newest
}

// Span is how far back the past still matters: an event may be read as long as
// its topic and then a consumer's quarantine keep it, and a release be rolled
// back for the rollback window. The longest quarantine of all consumers counts.
// Of another repository's releases its own workspace may say more: how long its
// topics keep what it wrote, and how far back it is rolled.
func Span(set *contract.Set, theirs ...*contract.Workspace) time.Duration {
	w := set.Workspace
	retention, keep := w.Window.Retention.Value, w.Defaults.Quarantine.Keep.Value
	for _, c := range set.Consumers {
		keep = max(keep, c.Quarantine.Keep.Value)
	}
	for _, other := range theirs {
		retention = max(retention, other.Window.Retention.Value)
	}
	return max(time.Duration(retention+keep), Rollback(set, theirs...))
}

// Rollback is how far back a release may be rolled: what the workspace says, and
// that whose release it is.
func Rollback(set *contract.Set, theirs ...*contract.Workspace) time.Duration {
	longest := set.Workspace.Window.Rollback.Value
	for _, other := range theirs {
		longest = max(longest, other.Window.Rollback.Value)
	}
	return time.Duration(longest)
}

// Window lists the releases of a repository that are in the window at a time, in
// the order of their dates. It is empty where nothing was released by then.
func (r *Repo) Window(ctx context.Context, span time.Duration, now time.Time) ([]Release, error) {
	tags, err := r.Tags(ctx)
	return window(tags, span, now), err
}

// window keeps the newest tag, and every tag whose successor is younger than the
// span: until then the older one may have written events. Tags are in the order
// of their dates; those after now are not known yet.
func window(tags []source.Tag, span time.Duration, now time.Time) []Release {
	for len(tags) > 0 && tags[len(tags)-1].Date.After(now) {
		tags = tags[:len(tags)-1]
	}
	var in []Release
	for i, t := range tags {
		if i == len(tags)-1 {
			in = append(in, Release{Tag: t})
		} else if next := tags[i+1].Date; now.Sub(next) < span {
			in = append(in, Release{t, next})
		}
	}
	return in
}
