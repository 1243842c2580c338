package contain

import (
	"math/big"
)

// maxMultiples bounds how many lattice points are tried one by one.
const maxMultiples = 5000

// numbers is an interval, a lattice, and what they must avoid.
type numbers struct {
	lo, hi         *big.Rat
	loExcl, hiExcl bool
	step           *big.Rat   // nil: any number
	avoid          []*big.Rat // steps that must not divide
	except         []lit      // negated enums
	deps           uint64
}

func isMultiple(v, m *big.Rat) bool {
	if m.Sign() == 0 {
		return v.Sign() == 0
	}
	return new(big.Rat).Quo(v, m).IsInt()
}

func solveNumber(lits []lit) outcome {
	var p numbers
	for _, l := range lits {
		p.add(l)
	}
	if p.lo != nil && p.hi != nil {
		if c := p.lo.Cmp(p.hi); c > 0 || c == 0 && (p.loExcl || p.hiExcl) {
			return conflict(p.deps)
		}
	}
	if p.step != nil && p.step.Sign() != 0 {
		return p.onLattice()
	}
	return p.anywhere()
}

func (p *numbers) add(l lit) {
	p.deps |= l.deps
	r := l.n.rat
	switch {
	case l.n.kind == kEnum:
		p.except = append(p.except, l)
	case l.n.kind == kMultiple && l.neg:
		p.avoid = append(p.avoid, r)
	case l.n.kind == kMultiple && p.step == nil:
		p.step = r
	case l.n.kind == kMultiple:
		p.step = lcm(p.step, r)
	case (l.n.kind == kLower) != l.neg:
		p.raise(r, l.n.excl != l.neg)
	default:
		p.lower(r, l.n.excl != l.neg)
	}
}

func (p *numbers) raise(r *big.Rat, excl bool) {
	if p.lo != nil {
		if c := r.Cmp(p.lo); c < 0 || c == 0 && !excl {
			return
		}
	}
	p.lo, p.loExcl = r, excl
}

func (p *numbers) lower(r *big.Rat, excl bool) {
	if p.hi != nil {
		if c := r.Cmp(p.hi); c > 0 || c == 0 && !excl {
			return
		}
	}
	p.hi, p.hiExcl = r, excl
}

// lcm of two rationals in lowest terms: lcm of numerators over gcd of denominators.
func lcm(a, b *big.Rat) *big.Rat {
	g := new(big.Int).GCD(nil, nil, a.Num(), b.Num())
	if g.Sign() == 0 {
		return a
	}
	n := new(big.Int).Mul(a.Num(), new(big.Int).Quo(b.Num(), g))
	d := new(big.Int).GCD(nil, nil, a.Denom(), b.Denom())
	return new(big.Rat).SetFrac(n.Abs(n), d)
}

func (p *numbers) fits(v *big.Rat) bool {
	if p.lo != nil {
		if c := v.Cmp(p.lo); c < 0 || c == 0 && p.loExcl {
			return false
		}
	}
	if p.hi != nil {
		if c := v.Cmp(p.hi); c > 0 || c == 0 && p.hiExcl {
			return false
		}
	}
	if p.step != nil && !isMultiple(v, p.step) {
		return false
	}
	for _, a := range p.avoid {
		if isMultiple(v, a) {
			return false
		}
	}
	for _, l := range p.except {
		if l.n.values.has(numberOf(v)) {
			return false
		}
	}
	return true
}

func (p *numbers) exceptions() int {
	n := 0
	for _, l := range p.except {
		n += len(l.n.values.list)
	}
	return n
}

// onLattice walks the multiples of step from the end nearest to zero.
func (p *numbers) onLattice() outcome {
	for _, a := range p.avoid {
		if isMultiple(p.step, a) {
			return conflict(p.deps)
		}
	}
	k, up := p.firstMultiple()
	dir := big.NewInt(1)
	if !up {
		dir.Neg(dir)
	}
	limit := p.period()*(p.exceptions()+1) + 2
	v := new(big.Rat)
	for i := 0; i < min(limit, maxMultiples); i++ {
		v.Mul(new(big.Rat).SetInt(k), p.step)
		if up && p.hi != nil && v.Cmp(p.hi) > 0 || !up && p.lo != nil && v.Cmp(p.lo) < 0 {
			return conflict(p.deps)
		}
		if p.fits(v) {
			return found(numberOf(v))
		}
		k.Add(k, dir)
	}
	if limit <= maxMultiples { // every residue came up more often than there are exceptions
		return conflict(p.deps)
	}
	return spent("multiples")
}

// period is the number of steps after which the avoided lattices repeat.
func (p *numbers) period() int {
	if len(p.avoid) == 0 {
		return 1
	}
	all := p.step
	for _, a := range p.avoid {
		all = lcm(all, a)
	}
	q := new(big.Rat).Quo(all, p.step)
	if !q.IsInt() || !q.Num().IsInt64() || q.Num().Int64() > maxMultiples {
		return maxMultiples + 1
	}
	return int(q.Num().Int64())
}

// firstMultiple is the factor to start from, and the direction to walk in.
func (p *numbers) firstMultiple() (*big.Int, bool) {
	switch {
	case p.lo != nil && (p.lo.Sign() > 0 || p.hi != nil):
		return roundUp(new(big.Rat).Quo(p.lo, p.step)), true
	case p.hi != nil && p.lo == nil:
		return roundDown(new(big.Rat).Quo(p.hi, p.step)), false
	}
	return new(big.Int), true
}

func roundDown(r *big.Rat) *big.Int {
	return new(big.Int).Div(r.Num(), r.Denom())
}

func roundUp(r *big.Rat) *big.Int {
	n := new(big.Int).Neg(r.Num())
	n.Div(n, r.Denom())
	return n.Neg(n)
}

// anywhere tries decimals of growing precision; an interval of some length holds
// infinitely many, and the avoided lattices leave most of them free.
func (p *numbers) anywhere() outcome {
	if p.step != nil { // multiple of zero: only zero
		if v := new(big.Rat); p.fits(v) {
			return found(numberOf(v))
		}
		return conflict(p.deps)
	}
	if p.lo != nil && p.hi != nil && p.lo.Cmp(p.hi) == 0 {
		if p.fits(p.lo) {
			return found(numberOf(p.lo))
		}
		return conflict(p.deps)
	}
	tries := p.exceptions() + 12
	scale := big.NewInt(1)
	for digits := 0; digits < 60+p.digits(); digits++ {
		for i := 0; i < tries; i++ {
			if v := p.candidate(scale, int64(i)); p.fits(v) {
				return found(numberOf(v))
			}
		}
		scale.Mul(scale, big.NewInt(10))
		if digits == 20 { // as many as it takes to fall between the bounds
			scale.Exp(big.NewInt(10), big.NewInt(int64(p.digits())), nil)
		}
	}
	return spent("digits")
}

// digits is about how many decimals a number between the bounds needs.
func (p *numbers) digits() int {
	if p.lo == nil || p.hi == nil {
		return 20
	}
	width := new(big.Rat).Sub(p.hi, p.lo)
	return max(20, (width.Denom().BitLen()-width.Num().BitLen())*3/10)
}

func (p *numbers) candidate(scale *big.Int, i int64) *big.Rat {
	s := new(big.Rat).SetInt(scale)
	var k *big.Int
	switch {
	case p.lo != nil && (p.lo.Sign() > 0 || p.hi != nil):
		k = roundUp(new(big.Rat).Mul(p.lo, s))
		k.Add(k, big.NewInt(i))
	case p.hi != nil && p.lo == nil && p.hi.Sign() <= 0:
		k = roundDown(new(big.Rat).Mul(p.hi, s))
		k.Sub(k, big.NewInt(i))
	default:
		k = big.NewInt(i)
		if p.lo == nil && p.hi != nil {
			k.Neg(k)
		}
	}
	return new(big.Rat).Quo(new(big.Rat).SetInt(k), s)
}
