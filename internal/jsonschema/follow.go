package jsonschema

// follow gives the target of a subschema's reference. A dynamic one is static,
// and so can be followed, where only one schema of the closure bears its anchor.
func (c *closure) follow(r Ref) (Ref, bool) {
	targets := c.targets(r)
	if len(targets) == 0 {
		return Ref{}, false
	}
	return targets[0], true
}

// targets lists what the references of a subschema point to; there may be a
// $ref beside a $dynamicRef.
func (c *closure) targets(r Ref) []Ref {
	var list []Ref
	for _, key := range refKeywords {
		if at := r.get(key); at.Node != nil {
			if target, ok := c.followKeyword(at, key); ok {
				list = append(list, target)
			}
		}
	}
	return list
}

// followKeyword gives the target of one reference.
func (c *closure) followKeyword(at Ref, key string) (Ref, bool) {
	target, ok := c.links[at.place()]
	if ok && key != "$ref" {
		return c.static(key, target)
	}
	return target, ok
}

// static is where a dynamic reference leads if its first target doesn't depend
// on the way by which a validator came.
func (c *closure) static(key string, target Ref) (Ref, bool) {
	name := ""
	if key == "$dynamicRef" {
		if name = text(target.Node.Get("$dynamicAnchor")); name == "" {
			return target, true
		}
	} else if n := target.Node.Get("$recursiveAnchor"); n == nil || n.Text != "true" {
		return target, true
	}
	return target, len(c.dynamic[name]) == 1
}

// inPlace lists the schemas that judge the same value as this one does.
func (c *closure) inPlace(r Ref) []Ref {
	list := c.targets(r)
	children(r, c.of(r).draft, func(name string, child Ref) {
		if keywords[name].inPlace {
			list = append(list, child)
		}
	})
	return list
}

// findCycles complains of references that come back to themselves without
// having gone down into the value: a validator would never end.
func (c *closure) findCycles() {
	const open, done = 1, 2
	state := map[place]int{}
	var enter func(r Ref)
	enter = func(r Ref) {
		state[r.place()] = open
		for _, next := range c.inPlace(r) {
			switch state[next.place()] {
			case 0:
				enter(next)
			case open:
				c.problem(RefCycle, c.pos(r), "let the way round pass through a property or an element",
					"the references come back to %s without going down into the value: no validator can decide it", c.pos(next))
			}
		}
		state[r.place()] = done
	}
	for _, r := range c.reached {
		if state[r.place()] == 0 {
			enter(r)
		}
	}
}
