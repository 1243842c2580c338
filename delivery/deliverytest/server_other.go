//go:build !unix

package deliverytest

import "syscall"

func unprivileged(string) (*syscall.SysProcAttr, error) { return nil, nil }
