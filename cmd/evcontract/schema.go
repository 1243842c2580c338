package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/evcontract/evcontract/internal/contract"
	"github.com/evcontract/evcontract/internal/report"
)

func (a *app) schemaCommand() *cobra.Command {
	kinds := []string{"event", "consumer", "workspace", "report", "rollout"}
	return &cobra.Command{
		Use:       "schema event|consumer|workspace|report|rollout",
		Short:     "Print the JSON Schema of a manifest, for editors, or of a report, for programs",
		Example:   "  evcontract schema event > event.schema.json",
		Args:      cobra.ExactArgs(1),
		ValidArgs: kinds,
		RunE: func(_ *cobra.Command, args []string) error {
			data, known := contract.ManifestSchema(args[0])
			switch args[0] {
			case "report":
				data, known = report.Schema(), true
			case "rollout":
				data, known = report.RolloutSchema(), true
			}
			if !known {
				return fmt.Errorf("there is no schema %q: want event, consumer, workspace, report or rollout", args[0])
			}
			_, err := a.out.Write(data)
			return err
		},
	}
}
