package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

func (a *app) pauseCommand() *cobra.Command {
	return a.pausing("pause CONSUMER", "Stop the handling of a consumer without losing a place",
		`pause tells every inbox of a consumer, wherever it runs, to handle nothing more.
They notice within a second; a batch that is under way is finished. Events wait
at the broker and in the database, and nothing is lost: resume goes on where it
stopped. Pause first when something is wrong; never delete a queue.`, true)
}

func (a *app) resumeCommand() *cobra.Command {
	return a.pausing("resume CONSUMER", "Let a paused consumer go on where it stopped",
		`resume ends a pause: every inbox of the consumer goes on within a second, with
the event that it would have handled next.`, false)
}

func (a *app) pausing(use, short, long string, paused bool) *cobra.Command {
	var store storeFlag
	var by string
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Args: oneConsumer,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.pause(cmd.Context(), &store, args[0], paused, or(by, person(), "unknown"))
		},
	}
	store.bind(cmd)
	cmd.Flags().StringVar(&by, "by", "", "who does it; else the user of this process")
	return cmd
}

func oneConsumer(cmd *cobra.Command, args []string) error {
	if len(args) != 1 || args[0] == "" {
		return fmt.Errorf("want one consumer: %s\nevcontract status lists them", cmd.UseLine())
	}
	return nil
}

func (a *app) pause(ctx context.Context, store *storeFlag, consumer string, paused bool, by string) (err error) {
	db, err := store.attach(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	changed, err := db.Pause(ctx, consumer, paused, by)
	if err != nil {
		return known(ctx, db, consumer, err)
	}
	switch {
	case paused && changed:
		fmt.Fprintf(a.out, "%s is paused: its inboxes stop within a second and keep their place\nto go on: evcontract resume %s\n", consumer, consumer)
	case paused:
		fmt.Fprintf(a.out, "%s was paused already: nothing was changed\n", consumer)
	case changed:
		fmt.Fprintf(a.out, "%s goes on where it stopped\n", consumer)
	default:
		fmt.Fprintf(a.out, "%s was not paused: nothing was changed\n", consumer)
	}
	return nil
}
