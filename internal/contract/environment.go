package contract

import "github.com/evcontract/evcontract/internal/source"

// Environment is a manifest such as environments/prod.yaml: which revisions run
// there. It has one key for each service, a producer or a consumer, by the name
// that manifests call it:
//
//	orders: v1.4.0                # a git ref of the service's repository
//	loyalty: [v1.2.0, v1.3.0]     # several run at once, during a canary
//	audit: {repo: finance, runs: v0.9.0}
type Environment struct {
	Name     string // as evcontract.yaml calls it: prod
	Pos      source.Pos
	Services []Service // in the order of the file
}

// Service is what runs of one producer or consumer.
type Service struct {
	Name source.At[string]
	Repo source.At[string]   // a key of the workspace's repos; empty: the one of the service's own name, else the workspace's own repository
	Runs []source.At[string] // git refs, at least one
}

// Service gives what runs of a service, nil where the environment does not say.
func (e *Environment) Service(name string) *Service {
	for i := range e.Services {
		if e.Services[i].Name.Value == name {
			return &e.Services[i]
		}
	}
	return nil
}

// DecodeNode reads the map of services.
func (e *Environment) DecodeNode(n *source.Node) []*source.Error {
	e.Pos = n.Pos
	if n.Kind != source.Map {
		return []*source.Error{source.Errorf(n.Pos, "want a line for each service, like orders: v1.4.0, this is %s", n.Kind)}
	}
	var problems []*source.Error
	for _, m := range n.Members {
		s := Service{Name: source.At[string]{Value: m.Key, Pos: m.Pos}}
		found := s.decode(m.Value)
		for i := range found {
			found[i].Msg = m.Key + ": " + found[i].Msg
		}
		problems = append(problems, found...)
		if len(s.Runs) > 0 {
			e.Services = append(e.Services, s)
		}
	}
	return problems
}

// decode reads a ref, a list of refs, or {repo: …, runs: …}.
func (s *Service) decode(n *source.Node) []*source.Error {
	if n.Kind != source.Map {
		return s.refs(n)
	}
	var long struct {
		Repo source.At[string] `yaml:"repo"`
		Runs *source.Node      `yaml:"runs"`
	}
	problems := source.Decode(n, &long)
	s.Repo = long.Repo
	if long.Runs == nil {
		return append(problems, source.Errorf(n.Pos, "runs: is missing: write {repo: REPO, runs: v1.2.0}"))
	}
	return append(problems, s.refs(long.Runs)...)
}

func (s *Service) refs(n *source.Node) []*source.Error {
	items := []*source.Node{n}
	if n.Kind == source.List {
		items = n.Items
	}
	if len(items) == 0 {
		return []*source.Error{source.Errorf(n.Pos, "an empty list: name what runs, or remove the service")}
	}
	var problems []*source.Error
	for _, item := range items {
		var ref source.At[string]
		problems = append(problems, source.Decode(item, &ref)...)
		switch {
		case item.Kind != source.String:
		case ref.Value == "":
			problems = append(problems, source.Errorf(item.Pos, "an empty ref: write v1.4.0"))
		default:
			s.Runs = append(s.Runs, ref)
		}
	}
	return problems
}
