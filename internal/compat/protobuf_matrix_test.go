package compat

import (
	"fmt"
	"strings"
	"testing"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/rule"
)

// What readers were measured to do, writer's row, reader's column: = the same
// value, ~ the same text, # another value, U unset, P refused; several where it
// depends on the value.
const (
	binaryMatrix = `
w\r        int32 int64 uint32 uint64 sint32 sint64 bool enumOpen enumClosed fixed32 fixed64 sfixed32 sfixed64 float double string bytes message group
int32      =     =     #=     #=     #=     #=     #=   =        =          U       U       U        U        U     U      U      U     U       U
int64      #=    =     #=     #=     #=     #=     #=   #=       #=         U       U       U        U        U     U      U      U     U       U
uint32     #=    =     =      =      #=     #=     #=   #=       #=         U       U       U        U        U     U      U      U     U       U
uint64     #=    #=    #=     =      #=     #=     #=   #=       #=         U       U       U        U        U     U      U      U     U       U
sint32     #=    #=    #=     #=     =      =      #=   #=       #=         U       U       U        U        U     U      U      U     U       U
sint64     #=    #=    #=     #=     #=     =      #=   #=       #=         U       U       U        U        U     U      U      U     U       U
bool       =     =     =      =      #=     #=     =    =        =          U       U       U        U        U     U      U      U     U       U
enumOpen   =     =     =      =      #=     #=     #=   =        =          U       U       U        U        U     U      U      U     U       U
enumClosed =     =     =      =      #=     #=     #=   =        =          U       U       U        U        U     U      U      U     U       U
fixed32    U     U     U      U      U      U      U    U        U          =       U       #=       U        #=    U      U      U     U       U
fixed64    U     U     U      U      U      U      U    U        U          U       =       U        #=       U     #=     U      U     U       U
sfixed32   U     U     U      U      U      U      U    U        U          #=      U       =        U        #=    U      U      U     U       U
sfixed64   U     U     U      U      U      U      U    U        U          U       #=      U        =        U     #=     U      U     U       U
float      U     U     U      U      U      U      U    U        U          #=      U       #=       U        =     U      U      U     U       U
double     U     U     U      U      U      U      U    U        U          U       #=      U        #=       U     =      U      U     U       U
string     U     U     U      U      U      U      U    U        U          U       U       U        U        U     U      =      =     #P      U
bytes      U     U     U      U      U      U      U    U        U          U       U       U        U        U     U      =P     =     #P      U
message    U     U     U      U      U      U      U    U        U          U       U       U        U        U     U      #      #     =       U
group      U     U     U      U      U      U      U    U        U          U       U       U        U        U     U      U      U     U       =`

	jsonMatrix = `
w\r        int32 int64 uint32 uint64 sint32 sint64 bool enumOpen enumClosed fixed32 fixed64 sfixed32 sfixed64 float double string bytes message group
int32      =     =     =P     =P     =      =      P    =        =          =P      =P      =        =        #=    =      P      P     P       P
int64      =P    =     =P     =P     =P     =      P    P        P          =P      =P      =P       =        #=    #=     ~      #P    P       P
uint32     =P    =     =      =      =P     =      P    =P       =P         =       =       =P       =        #=    =      P      P     P       P
uint64     =P    =P    =P     =      =P     =P     P    P        P          =P      =       =P       =P       #=    =      ~      #P    P       P
sint32     =     =     =P     =P     =      =      P    =        =          =P      =P      =        =        #=    =      P      P     P       P
sint64     =P    =     =P     =P     =P     =      P    P        P          =P      =P      =P       =        #=    #=     ~      #P    P       P
bool       P     P     P      P      P      P      =    P        P          P       P       P        P        P     P      P      P     P       P
enumOpen   P     P     P      P      P      P      P    =        P          P       P       P        P        P     P      #      #     P       P
enumClosed P     P     P      P      P      P      P    P        =          P       P       P        P        P     P      #      #     P       P
fixed32    =P    =     =      =      =P     =      P    =P       =P         =       =       =P       =        #=    =      P      P     P       P
fixed64    =P    =P    =P     =      =P     =P     P    P        P          =P      =       =P       =P       #=    =      ~      #P    P       P
sfixed32   =     =     =P     =P     =      =      P    =        =          =P      =P      =        =        #=    =      P      P     P       P
sfixed64   =P    =     =P     =P     =P     =      P    P        P          =P      =P      =P       =        #=    #=     ~      #P    P       P
float      =P    =P    =P     =P     =P     =P     P    =P       =P         =P      =P      =P       =P       =     =      P~     #P    P       P
double     =P    =P    =P     =P     =P     =P     P    =P       =P         =P      =P      =P       =P       #=P   =      P      P     P       P
string     P~    P~    P~     P~     P~     P~     P    P        P          P~      P~      P~       P~       P~    P~     =      #=P   P       P
bytes      P     P     P      P      P      P      P    P        P          P       P       P        P        P     P      #=     =     P       P
message    P     P     P      P      P      P      P    P        P          P       P       P        P        P     P      P      P     =       =
group      P     P     P      P      P      P      P    P        P          P       P       P        P        P     P      P      P     =       =`
)

// beyondMatrix are cells that were measured with friendly values only: a closed
// enum was sent numbers that it declares, a double whole powers of two.
var beyondMatrix = map[string]bool{
	"int32 enumClosed": true, "sint32 enumClosed": true, "sfixed32 enumClosed": true,
	"uint64 double": true, "fixed64 double": true,
}

// ofKind writes a message with one field of a kind.
func ofKind(kind string) string {
	options := ""
	switch kind {
	case "enumOpen":
		kind = "O"
	case "enumClosed":
		kind = "C"
	case "message":
		kind = "S"
	case "group":
		kind, options = "S", " [features.message_encoding = DELIMITED]"
	}
	return fmt.Sprintf(`edition = "2023";
message M { %s f = 1%s; }
message S { int32 x = 1; string y = 2; }
enum O { O_ZERO = 0; O_ONE = 1; O_TWO = 2; }
enum C { option features.enum_type = CLOSED; C_ZERO = 0; C_ONE = 1; C_TWO = 2; }
`, kind, options)
}

func TestMatrixProtobuf(t *testing.T) {
	for encoding, matrix := range map[contract.Encoding]string{contract.Protobuf: binaryMatrix, contract.JSON: jsonMatrix} {
		lines := strings.Split(strings.TrimSpace(matrix), "\n")
		kinds := strings.Fields(lines[0])[1:]
		var sources []string
		for _, k := range kinds {
			sources = append(sources, ofKind(k))
		}
		events := protoEvents(t, "M", sources...)
		for w, line := range lines[1:] {
			for r, cell := range strings.Fields(line)[1:] {
				t.Run(fmt.Sprintf("%s/%s/%s", encoding, kinds[w], kinds[r]), func(t *testing.T) {
					matrixCell(t, events[w], events[r], encoding, cell, beyondMatrix[kinds[w]+" "+kinds[r]])
				})
			}
		}
	}
}

func matrixCell(t *testing.T, writer, reader *contract.Event, encoding contract.Encoding, cell string, beyond bool) {
	got := readProtobuf(Question{Reader: reader, Writer: writer, As: Assumptions{Encoding: encoding, UnknownFields: contract.Reject}})
	want := rule.Holds
	if strings.ContainsAny(cell, "#PU") || beyond {
		want = rule.Refuted
	}
	if got.Answer != want && !(beyond && got.Answer == rule.Holds) {
		t.Errorf("%s: got %s, want %s\n%s", cell, got.Answer, want, breakLines(got))
	}
	for _, b := range got.Breaks {
		if b.Severity == rule.Error && b.Witness == nil {
			t.Errorf("%s has no witness", b.Rule)
		}
	}
}
