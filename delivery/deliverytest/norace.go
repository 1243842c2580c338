//go:build !race

package deliverytest

const slow = 1
