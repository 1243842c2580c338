package codegen

// refuseFunction is what a reader that rejects the unknown asks of a message.
const refuseFunction = `
// refuse names the first thing in a message that a reader which rejects unknown
// fields or enum values doesn't take. It looks only where the reader reads:
// below the declared paths, everywhere if there are none.
func refuse(m protoreflect.Message, at string, fields, enums bool, declared ...string) error {
	if fields && len(m.GetUnknown()) > 0 {
		return fmt.Errorf("%s: a field that %s does not name", at, m.Descriptor().FullName())
	}
	var err error
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		path := strings.TrimPrefix(at+"."+string(f.Name()), ".")
		if !reads(path, declared) {
			return true
		}
		each(f, v, func(of protoreflect.FieldDescriptor, v protoreflect.Value) {
			switch {
			case err != nil:
			case of.Message() != nil:
				err = refuse(v.Message(), path, fields, enums, declared...)
			case enums && of.Enum() != nil && of.Enum().Values().ByNumber(v.Enum()) == nil:
				err = fmt.Errorf("%s: %d has no name in %s", path, v.Enum(), of.Enum().FullName())
			}
		})
		return err == nil
	})
	return err
}

// reads reports whether a path leads to what is declared, or lies below it.
func reads(path string, declared []string) bool {
	for _, d := range declared {
		if d == path || strings.HasPrefix(d, path+".") || strings.HasPrefix(path, d+".") {
			return true
		}
	}
	return len(declared) == 0
}

// each calls f for every value of a field.
func each(of protoreflect.FieldDescriptor, v protoreflect.Value, f func(protoreflect.FieldDescriptor, protoreflect.Value)) {
	switch {
	case of.IsMap():
		v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
			f(of.MapValue(), v)
			return true
		})
	case of.IsList():
		for i := range v.List().Len() {
			f(of, v.List().Get(i))
		}
	default:
		f(of, v)
	}
}
`

// refuser is the file with that function, nil where no consumer needs it.
func (g *generator) refuser() *file {
	for _, c := range g.consumers {
		for _, r := range c.reads {
			if r.view != nil && refuses(r.reading) {
				f := &file{imports: g.proto.imports()}
				f.WriteString(refuseFunction)
				return f
			}
		}
	}
	return nil
}
