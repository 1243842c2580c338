// Package deliverytest holds what stores, brokers and handlers are held to: a
// conformance suite for each, drills that break things on purpose, and a checker
// of invariants that reads the database and nothing else.
//
// A store's own test is
//
//	func TestStore(t *testing.T)  { deliverytest.Store(t, fresh) }
//	func TestDrills(t *testing.T) { deliverytest.Drills(t, fresh) }
//	func TestMain(m *testing.M)   { deliverytest.Main(m, open) }
//
// where fresh makes an empty database and open opens the one that a data source
// name tells. Drills start the test binary again as a child and kill it with
// SIGKILL; Main is what the child runs.
//
// A program runs the same drills without a test: AllDrills says which there are,
// and Drill.Run gives what each shows. It calls Child first thing in main.
//
// Every table of a store has the same name and columns in every database, so the
// checker's statements are the same as well.
package deliverytest
