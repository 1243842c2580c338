package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/evcontract/evcontract/internal/compat/contain"
	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/jsonschema"
	"github.com/evcontract/evcontract/internal/load"
	"github.com/evcontract/evcontract/internal/source"
)

// examplesOptions is the command line of examples.
type examplesOptions struct {
	invalid bool
	count   int
	seed    uint64
	limit   limit
}

func (a *app) examplesCommand() *cobra.Command {
	var o examplesOptions
	cmd := &cobra.Command{
		Use:   "examples EVENT [PATH]",
		Short: "Print events that a contract accepts, or near misses that it refuses",
		Long: `examples makes events up from a JSON Schema, one a line; each was put to the
validator. The same seed gives the same events. With --invalid it prints near
misses: each breaks one thing, which is said on standard error.`,
		Example: `  evcontract examples OrderPaid.v1
  evcontract examples OrderPaid.v1 --invalid -n 20
  evcontract examples order.json order.json`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.count < 1 || o.count > 10_000 {
				return fmt.Errorf("-n %d: want 1 to 10000", o.count)
			}
			return a.examples(cmd.Context(), args, o)
		},
	}
	o.limit.bind(cmd)
	cmd.Flags().BoolVar(&o.invalid, "invalid", false, "near misses instead of events")
	cmd.Flags().IntVarP(&o.count, "number", "n", 5, "how many at most")
	cmd.Flags().Uint64Var(&o.seed, "seed", 1, "what the choice begins with")
	return cmd
}

func (a *app) examples(ctx context.Context, args []string, o examplesOptions) error {
	samples, err := within(ctx, o.limit, func(ctx context.Context) ([]contain.Sample, error) {
		j, err := a.open(ctx, args[1:], load.Options{})
		if err != nil {
			return nil, err
		}
		schema, err := generable(j.set, args[0])
		if err != nil {
			return nil, err
		}
		return contain.Generate(schema, o.seed, o.count), nil
	})
	if err != nil {
		return err
	}
	for _, s := range samples {
		if (s.Refusal != nil) != o.invalid {
			continue
		}
		if _, err := fmt.Fprintf(a.out, "%s\n", s.Instance); err != nil {
			return err
		}
		if s.Refusal != nil {
			fmt.Fprintln(a.err, plain(cmp.Or(s.Refusal.Instance, "the event")+": "+s.Refusal.Message))
		}
	}
	return nil
}

// generable finds the schema of an event that events can be made up from.
func generable(set *contract.Set, name string) (*contain.Schema, error) {
	var names []string
	for _, e := range set.Events {
		names = append(names, e.Name.Value.String())
		if e.Name.Value.String() != name {
			continue
		}
		s, ok := e.Schema.(*jsonschema.Schema)
		switch {
		case e.Schema == nil:
			return nil, fmt.Errorf("%s: the schema could not be read: see evcontract lint", name)
		case !ok:
			return nil, fmt.Errorf("%s is a Protobuf event: examples are made up from JSON Schemas only", name)
		case s.Compiled() == nil:
			return nil, fmt.Errorf("%s: the schema cannot be used as a whole: see evcontract lint", name)
		}
		return s.Compiled(), nil
	}
	if near := source.Suggest(name, names); near != "" {
		return nil, fmt.Errorf("there is no event %q in %s: did you mean %q?", name, set.Tree.Name, near)
	}
	const most = 12
	slices.Sort(names)
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("there is no event %q in %s, which declares none", name, set.Tree.Name)
	case len(names) > most:
		names = append(names[:most], "…")
	}
	return nil, fmt.Errorf("there is no event %q in %s: it has %s", name, set.Tree.Name, strings.Join(names, ", "))
}
