//go:build race

package deliverytest

// slow is how much slower the race detector makes everything; drills do less.
const slow = 3
