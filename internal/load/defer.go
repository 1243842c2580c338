package load

import (
	"sync"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/source"
)

// putOff leaves a schema for later where its content can be told without
// reading it. by identifies the manifest.
func (l *loader) putOff(e *contract.Event, f *format, ref, by string, read func()) bool {
	if !l.options.Defer || f.content == nil || by == "" {
		return false
	}
	content := f.content(l, ref)
	if content == "" {
		return false
	}
	e.Content, e.Deferred = by+"\x00"+content, read
	return true
}

// readManifest decodes an event's manifest; one that was decoded for another
// tree, with the same bytes, is not decoded again. The id identifies the bytes.
func (l *loader) readManifest(file string) (m *contract.Manifest, id string, ok bool) {
	id, data, err := l.tree.Peek(file)
	if err != nil {
		l.unreadable(source.Errorf(source.Pos{File: file}, "%v", err))
		return nil, "", false
	}
	if known, found := manifests.Load(file + "\x00" + id); found {
		return known.(*contract.Manifest), id, true
	}
	if data == nil {
		if data, err = l.tree.ReadFile(file); err != nil {
			l.unreadable(source.Errorf(source.Pos{File: file}, "%v", err))
			return nil, "", false
		}
	}
	m = &contract.Manifest{}
	before := len(l.set.Findings)
	if !l.decode(file, data, m) || !l.named(file, m.Name.Value.Base, "event", "OrderPaid.v1") {
		return nil, "", false
	}
	if len(l.set.Findings) == before {
		manifests.Store(file+"\x00"+id, m)
	}
	return m, id, true
}

// manifests are those that were read without complaint, by path and bytes.
var manifests sync.Map
