package source

// Limits are what a tree may hold at most; zero means the default. They are
// there for archives and files that were made to do harm: an honest tree of
// contracts stays far below.
type Limits struct {
	File    int64 // bytes of one file; default 64 MiB
	Total   int64 // bytes of an archive's files together; default 256 MiB
	Entries int   // entries of an archive; default 100,000
	Ratio   int   // bytes that one byte of an archive may unpack to; default 200
}

const (
	defaultFile    = 64 << 20
	defaultTotal   = 256 << 20
	defaultEntries = 100_000
	defaultRatio   = 200

	// ratioFrom is how many bytes an archive may unpack to before their ratio
	// is looked at: a small file of blanks harms nobody.
	ratioFrom = 1 << 20
)

func (l Limits) orDefaults() Limits {
	if l.File <= 0 {
		l.File = defaultFile
	}
	if l.Total <= 0 {
		l.Total = defaultTotal
	}
	if l.Entries <= 0 {
		l.Entries = defaultEntries
	}
	if l.Ratio <= 0 {
		l.Ratio = defaultRatio
	}
	return l
}
