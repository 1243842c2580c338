package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/evcontract/evcontract/internal/source"
)

// plainUsage makes every command say in one way what it takes, and every word
// that is no command an error with a suggestion.
func plainUsage(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		plainUsage(c)
	}
	if cmd.HasSubCommands() {
		if cmd.RunE == nil || cmd.HasParent() {
			cmd.Args, cmd.RunE = cobra.ArbitraryArgs, subcommand
		}
		return
	}
	takes := cmd.Args
	if takes == nil {
		return
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := takes(cmd, args)
		if err == nil || !ofCobra(err) {
			return err
		}
		return fmt.Errorf("want %s: got %s", strings.TrimSuffix(cmd.UseLine(), " [flags]"), counted(args))
	}
}

// ofCobra tells cobra's own words from those of a command that explains itself.
func ofCobra(err error) bool {
	text := err.Error()
	return strings.HasPrefix(text, "accepts ") || strings.HasPrefix(text, "requires at least ") || strings.HasPrefix(text, "unknown command ")
}

func counted(args []string) string {
	switch len(args) {
	case 0:
		return "no argument"
	case 1:
		return fmt.Sprintf("%q", args[0])
	}
	return fmt.Sprintf("%d arguments, the last is %q", len(args), args[len(args)-1])
}

// subcommand shows the help of a command that only has others below it, or says
// which of them was meant.
func subcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	path := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name())
	name := strings.TrimSpace(path + " " + args[0])
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	if near := source.Suggest(args[0], names); near != "" {
		return fmt.Errorf("there is no command %q: did you mean %q?", name, strings.TrimSpace(path+" "+near))
	}
	return fmt.Errorf("there is no command %q: see %s --help", name, cmd.CommandPath())
}

// helpCommand shows the help of a command, and knows when there is none.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show the help of a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			target, rest, err := cmd.Root().Find(args)
			if err != nil || target == nil {
				return subcommand(cmd.Root(), args)
			}
			if len(rest) > 0 && target.HasSubCommands() {
				return subcommand(target, rest)
			}
			return target.Help()
		},
	}
}

// flagError names the flag that was meant, or what a flag wants.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var empty *pflag.ValueRequiredError
	var wrong *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		return fmt.Errorf("there is no flag -%s: see %s --help", unknown.GetSpecifiedName(), cmd.CommandPath())
	case errors.As(err, &unknown):
		return unknownFlag(cmd, unknown.GetSpecifiedName())
	case errors.As(err, &empty):
		return fmt.Errorf("--%s wants %s", empty.GetFlag().Name, wanted(empty.GetFlag()))
	case errors.As(err, &wrong):
		return wrongValue(wrong)
	}
	return fmt.Errorf("%w: see %s --help", err, cmd.CommandPath())
}

// wanted is what its help says of a flag's value.
func wanted(f *pflag.Flag) string {
	name, usage := pflag.UnquoteUsage(f)
	if name != strings.ToUpper(name) { // the name of a type
		name = "a value"
	}
	return name + ": " + usage
}

func unknownFlag(cmd *cobra.Command, word string) error {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := source.Suggest(word, names); near != "" {
		return fmt.Errorf("there is no flag --%s: did you mean --%s?", word, near)
	}
	return fmt.Errorf("there is no flag --%s: see %s --help", word, cmd.CommandPath())
}

// wrongValue says what a flag wants, where its type tells it better than an
// error of package strconv.
func wrongValue(err *pflag.InvalidValueError) error {
	wants := map[string]string{
		"bool": "nothing, true or false", "int": "a whole number", "uint64": "a whole number, from 0",
		"float64": "a number", "duration": "a duration like 90s or 15m",
	}
	f := err.GetFlag()
	if want := wants[f.Value.Type()]; want != "" {
		return fmt.Errorf("--%s %s: want %s", f.Name, err.GetValue(), want)
	}
	return fmt.Errorf("--%s %s: %w", f.Name, err.GetValue(), err.Unwrap())
}
