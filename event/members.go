package event

import (
	"bytes"
	"encoding/json"
)

// Member is a member of an object that its contract doesn't name, as it came.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Keep passes the value of the member at hand and gives the member.
func (s *Scanner) Keep() Member {
	name := string(s.Name())
	return Member{name, bytes.Clone(s.Raw())}
}

// fewMembers is how many names are compared with each other.
const fewMembers = 16

// Apart refuses the object that was just passed if two of some members of it have
// one name. Not even a reader that is only tried may overlook it.
func (s *Scanner) Apart(members []Member) {
	seen := map[string]bool(nil)
	if len(members) > fewMembers {
		seen = make(map[string]bool, len(members))
	}
	for i := range members {
		again := seen[members[i].Name]
		if seen != nil {
			seen[members[i].Name] = true
		} else {
			again = hasMember(members[:i], members[i].Name)
		}
		if again && s.err == nil {
			path := appendName([]byte(s.path()), []byte(members[i].Name))
			s.refuse(&Offence{Path: string(path), Msg: "the member stands there twice", final: true})
		}
	}
}

func hasMember(members []Member, name string) bool {
	for i := range members {
		if members[i].Name == name {
			return true
		}
	}
	return false
}

// AppendMembers writes members in their order, each after a comma. A value that is
// no JSON, or a name that stands there twice, is left for the decoder to refuse.
func AppendMembers(b []byte, members []Member) []byte {
	for i := range members {
		b = append(AppendJSON(append(b, ','), members[i].Name), ':')
		b = AppendRaw(b, members[i].Value)
	}
	return b
}
