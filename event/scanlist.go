package event

import "bytes"

// Extend appends a zero element to a list of objects that is being read, for the
// element at hand. The first one makes room for as many as are likely to follow.
func Extend[T any](s *Scanner, list []T) []T {
	var zero T
	if cap(list) == 0 {
		list = make([]T, 0, s.likely())
	}
	return append(list, zero)
}

// mostLikely bounds what likely says. So does the length of the document: a list
// that only seems long must not claim memory again and again.
const mostLikely = 1024

// likely guesses how many objects there are from the one at hand to the end of its
// list, by the size of the first. It looks at no more than a few brackets, which
// may stand in a string: the guess is for the allocator only. It guesses half as
// many too many, because to move them all is dearer.
func (s *Scanner) likely() int {
	rest := s.data[s.at:]
	end := bytes.IndexByte(rest, ']')
	if s.seen += end; end < 0 || s.seen > 2*len(s.data) {
		return 1
	}
	size := bytes.Index(rest[:end], []byte("},{"))
	if size < 0 {
		return 1
	}
	return min(1+end*3/((size+2)*2), mostLikely)
}
