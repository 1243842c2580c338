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
func (l *loader) readManifest(file string) (e *contract.Event, id string, ok bool) {
	id, data, err := l.tree.Peek(file)
	if err != nil {
		l.unreadable(source.Errorf(source.Pos{File: file}, "%v", err))
		return nil, "", false
	}
	if known, found := manifests.Load(file + "\x00" + id); found {
		again := *known.(*contract.Event)
		return &again, id, true
	}
	if data == nil {
		if data, err = l.tree.ReadFile(file); err != nil {
			l.unreadable(source.Errorf(source.Pos{File: file}, "%v", err))
			return nil, "", false
		}
	}
	e = &contract.Event{}
	before := len(l.set.Findings)
	if !l.decode(file, data, e) || !l.named(file, e.Name.Value.Base, "event", "OrderPaid.v1") {
		return nil, "", false
	}
	if len(l.set.Findings) == before {
		pristine := *e
		manifests.Store(file+"\x00"+id, &pristine)
	}
	return e, id, true
}

// manifests are those that were read without complaint, by path and bytes.
var manifests sync.Map
