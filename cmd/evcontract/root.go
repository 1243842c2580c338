package main

import (
	"github.com/spf13/cobra"
)

const rootHelp = `evcontract keeps event contracts: what an event says, who reads it, and what
happens when handling it fails.

Exit codes: 0 nothing at or above the threshold, 1 findings, 2 could not do it.
No command uses the network unless its name or a flag says so.`

// root is the command tree, in the order in which the help shows it.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "evcontract",
		Short:         "Event contracts: declare, lint, check, generate, deliver",
		Long:          rootHelp,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE:          subcommand,
	}
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(flagError)
	root.AddGroup(
		&cobra.Group{ID: "contracts", Title: "Contracts:"},
		&cobra.Group{ID: "running", Title: "The running system:"},
		&cobra.Group{ID: "rules", Title: "Rules and formats:"},
	)
	cobra.EnableCommandSorting = false
	group(root, "contracts", a.initCommand(), a.lintCommand(), a.checkCommand(), a.diffCommand(), a.deployedCommand(), a.waiveCommand(), a.rolloutCommand(), a.generateCommand(), a.vetCommand(), a.examplesCommand(), a.vendorCommand(), a.demoCommand())
	group(root, "running", a.relayCommand(), a.statusCommand(), a.pauseCommand(), a.resumeCommand(), a.quarantineCommand(), a.drillCommand())
	group(root, "rules", a.explainCommand(), a.rulesCommand(), a.schemaCommand(), a.versionCommand())
	root.SetHelpCommand(helpCommand())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	plainUsage(root)
	return root
}

func group(root *cobra.Command, id string, commands ...*cobra.Command) {
	for _, c := range commands {
		c.GroupID = id
		root.AddCommand(c)
	}
}
