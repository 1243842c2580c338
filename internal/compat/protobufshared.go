package compat

import (
	"slices"
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/evcontract/evcontract/internal/contract"
)

// walked remembers what walks found out about pairs of messages, so that what
// many events share is gone over once: of a pair from which nothing can be
// reached that is to be said, the next walk keeps out; of one that itself has
// nothing to say, it only follows the ways onward. The zero value is ready. It
// serves one walk at a time.
type walked struct {
	mu     sync.Mutex
	walks  int       // how many there were
	shared ground    // what is declared in files that others import
	own    []*ground // what is declared in the files of the last roots, or depends on what these import
}

// maxOwn is how many pairs of files are remembered beside what is imported. A
// descriptor that is remembered stays in memory, and events mostly come file by
// file, each in two directions.
const maxOwn = 4

// ground is what is known of the messages of some files.
type ground struct {
	reader, writer protoreflect.FileDescriptor
	contained      map[protoreflect.MessageDescriptor]bool
	known          map[manner]map[protoPair]*passage
}

// manner is what the judgement of a pair of messages depends on beside them.
type manner struct {
	unknownFields, unknownEnums contract.Treatment
	writers                     contract.Writers
	wire                        wire
	declared, oldWriter         bool
}

// passage is a pair of messages that was judged.
type passage struct {
	judged  bool
	silent  bool // nothing is to be said of this pair
	settled bool // it is known whether it is clear
	clear   bool // nothing is to be said of any pair that can be reached either
	walk    int  // the last that met it
	ways    []way
}

// way leads from a pair of messages to one that two of their fields hold.
type way struct {
	to             *passage
	reader, writer protoreflect.MessageDescriptor
	path, old      contract.Path // from the one to the other
	hop            hop
}

// ground finds what is known of the files of two roots, and lets go of what was
// known of others.
func (k *walked) ground(reader, writer protoreflect.FileDescriptor) *ground {
	for i, g := range k.own {
		if g.reader == reader && g.writer == writer {
			k.own = append(slices.Delete(k.own, i, i+1), g)
			return g
		}
	}
	if len(k.own) == maxOwn {
		k.own = slices.Delete(k.own, 0, 1)
	}
	g := &ground{reader: reader, writer: writer}
	k.own = append(k.own, g)
	return g
}

// guide is what one walk knows from the walks before.
type guide struct {
	*walked
	here  *ground
	as    manner
	at    *visit   // the pair that is being judged
	of    *passage // what is known of it
	met   []*passage
	heard int // how often something was said, or was not said again
}

// guideOf gives a walk what is known already, nil where its answers depend on more
// than pairs of messages: on paths that were renamed or are not read, on releases in between, on the arm
// of an envelope, on another name of the root, which an Any may carry.
func (k *walked) guideOf(w *protoWalk) *guide {
	reader, writer := w.reader.Descriptor(), w.writer.Descriptor()
	if k == nil || w.as.Fields != nil || len(w.renamed) > 0 || len(w.between) > 0 || w.reader.Arm() != nil || w.writer.Arm() != nil || reader.FullName() != writer.FullName() {
		return nil
	}
	k.walks++
	return &guide{
		walked: k, here: k.ground(w.reader.File(), w.writer.File()),
		as: manner{w.as.UnknownFields, w.as.UnknownEnums, w.as.Writers, w.wire, w.as.Declared, w.as.OldWriter},
	}
}

// passage finds what is known of a pair of messages.
func (g *guide) passage(w *protoWalk, reader, writer protoreflect.MessageDescriptor) *passage {
	pair := protoPair{reader: reader, writer: writer}
	if p := g.here.known[g.as][pair]; p != nil {
		return p
	}
	if p := g.shared.known[g.as][pair]; p != nil {
		return p
	}
	in := &g.shared
	if g.isOwn(reader) || g.isOwn(writer) || !w.selfContained(reader) || !w.selfContained(writer) {
		in = g.here
	}
	if in.known == nil {
		in.known = map[manner]map[protoPair]*passage{}
	}
	if in.known[g.as] == nil {
		in.known[g.as] = map[protoPair]*passage{}
	}
	p := &passage{}
	in.known[g.as][pair] = p
	return p
}

// isOwn reports whether a message is declared in the file of one of the roots.
func (g *guide) isOwn(m protoreflect.MessageDescriptor) bool {
	return m.ParentFile() == g.here.reader || m.ParentFile() == g.here.writer
}

// groundOf is where is kept what is known of a message by itself.
func (g *guide) groundOf(m protoreflect.MessageDescriptor) *ground {
	if g.isOwn(m) {
		return g.here
	}
	return &g.shared
}

// leads notes a way from the pair that is being judged, and reports whether it
// has to be gone.
func (g *guide) leads(w *protoWalk, v visit) bool {
	to := g.passage(w, v.reader, v.writer)
	if g.of != nil && !g.of.judged {
		g.of.ways = append(g.of.ways, way{
			to: to, reader: v.reader, writer: v.writer,
			path: v.path[len(g.at.path):], old: v.old[len(g.at.old):], hop: v.route[len(v.route)-1],
		})
	}
	return !to.clear
}

// messages judges a pair of messages, unless that was done and came to nothing.
func (g *guide) messages(w *protoWalk, v visit) {
	p := g.passage(w, v.reader, v.writer)
	g.met, p.walk = append(g.met, p), g.walks
	if p.judged && p.silent {
		for i := range p.ways {
			if to := &p.ways[i]; !to.to.clear && !w.alone(to.hop.carries) {
				w.enqueue(v.onward(to))
			}
		}
		return
	}
	g.at, g.of = &v, p
	said := len(w.claims) + g.heard
	w.judge(v)
	if !p.judged {
		p.judged, p.silent = true, len(w.claims)+g.heard == said
	}
	g.at, g.of = nil, nil
}

// onward is the pair of messages at the end of a way.
func (v visit) onward(to *way) visit {
	return visit{
		reader: to.reader, writer: to.writer,
		path: slices.Concat(v.path, to.path), old: slices.Concat(v.old, to.old),
		route: append(v.route[:len(v.route):len(v.route)], to.hop),
	}
}

// settle finds, at the end of a walk that went everywhere, the passages that are
// clear: those that lead to none that has something to say.
func (g *guide) settle() {
	from := map[*passage][]*passage{}
	var spoiled []*passage
	for _, p := range g.met {
		if p.settled {
			continue
		}
		if !p.silent {
			spoiled = append(spoiled, p)
		}
		for _, w := range p.ways {
			switch {
			case w.to.settled && !w.to.clear, !w.to.settled && w.to.walk != g.walks:
				spoiled = append(spoiled, p)
			case !w.to.settled:
				from[w.to] = append(from[w.to], p)
			}
		}
	}
	for len(spoiled) > 0 {
		p := spoiled[len(spoiled)-1]
		spoiled = spoiled[:len(spoiled)-1]
		if !p.settled {
			p.settled = true
			spoiled = append(spoiled, from[p]...)
		}
	}
	for _, p := range g.met {
		if !p.settled {
			p.settled, p.clear, p.ways = true, true, nil
		}
	}
}
