package loopback

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
)

// AddressError tells why an address cannot be served, with the next step.
type AddressError struct {
	Addr, Message, Hint string
	// Cause is what the system said, nil when it was not asked.
	Cause error
	// Usage tells that the address is none at all, on whatever machine.
	Usage bool
}

func (e *AddressError) Error() string { return "serve " + e.Addr + ": " + e.Message }

// Unwrap gives the system's error.
func (e *AddressError) Unwrap() error { return e.Cause }

// Listen takes host:port on a loopback address, or says why it cannot be had
// (*AddressError). Where other machines reach the address, unlock decides: its
// error, nil for none, is given back as it is. remote tells which it was.
func Listen(ctx context.Context, address string, unlock func() error) (listener net.Listener, bound netip.AddrPort, remote bool, err error) {
	addr, remote, err := check(address)
	if err == nil && remote {
		err = unlock()
	}
	if err != nil {
		return nil, netip.AddrPort{}, false, err
	}
	listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, netip.AddrPort{}, false, systemError(address, err)
	}
	bound, err = netip.ParseAddrPort(listener.Addr().String())
	if err != nil {
		return nil, netip.AddrPort{}, false, errors.Join(fmt.Errorf("read the listener's address: %w", err), listener.Close())
	}
	return listener, bound, remote, nil
}

// check decides whether an address is for this machine alone.
func check(address string) (addr string, remote bool, err error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", false, &AddressError{Addr: address, Message: "this is not host:port", Hint: "Write for example 127.0.0.1:0 (0 takes a free port).", Usage: true}
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", false, &AddressError{Addr: address, Message: "a port is a number from 0 to 65535", Hint: "Write for example 127.0.0.1:0 (0 takes a free port).", Usage: true}
	}
	if strings.EqualFold(host, "localhost") {
		host = "127.0.0.1"
	}
	ip, perr := netip.ParseAddr(host)
	if perr == nil && ip.IsLoopback() {
		return net.JoinHostPort(host, port), false, nil
	}
	return address, true, nil
}

// systemError says in words what the system said in a number.
func systemError(addr string, err error) error {
	e := &AddressError{Addr: addr, Message: err.Error(), Hint: "Choose another address, or 127.0.0.1:0 for a free port.", Cause: err}
	// Windows numbers it differently and syscall does not name that number there.
	const windowsInUse = syscall.Errno(10048)
	errno := syscall.Errno(0)
	if errors.As(err, &errno) {
		switch errno {
		case syscall.EADDRINUSE, windowsInUse:
			e.Message = "the port is in use by another program"
		case syscall.EACCES:
			e.Message = "this account may not take that port"
		case syscall.EADDRNOTAVAIL:
			e.Message = "this machine has no such address"
		}
	}
	return e
}
