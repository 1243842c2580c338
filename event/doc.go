// Package event is the seam between generated code and the delivery runtime:
// identities, the envelope, the transaction and the handler. It is all that
// generated code imports, and it imports the standard library only.
//
// A producer makes a Draft and appends it to the outbox inside the business
// transaction (Tx). A relay turns the row into a Message and sends it. An inbox
// asks the route of a Consumer for the Identity of each message, drops what the
// consumer has seen before, and calls the handler inside one transaction.
//
// Delivery is at least once; what is promised is one business effect per Key.
package event
