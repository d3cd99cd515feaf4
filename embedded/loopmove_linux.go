package embedded

import (
	"net"
	"os"
	"slices"
	"syscall"
)

// A connection moves from a loop to a goroutine when it makes a request that the
// loop can't answer at once, and back when it has made quickRequests others in
// turn. Its descriptor is in the runtime's poller only while it has a goroutine:
// otherwise each request would wake that poller for nothing.

// adopt moves a connection from the calling goroutine to a loop. It reports false
// if the connection stays: there are no loops, or the server is closing.
func (s *Server) adopt(c *conn) bool {
	nc, ok := c.nc.(*net.TCPConn)
	if !ok {
		return false
	}
	s.mu.Lock()
	if len(s.loops) == 0 {
		s.mu.Unlock()
		return false
	}
	l := s.loops[c.serial%uint64(len(s.loops))]
	fd, err := duplicate(nc)
	if err == nil {
		c.nc, c.fd, c.inline = nil, fd, true
		if err = l.add(c); err != nil {
			c.nc, c.inline = nc, false
			_ = syscall.Close(fd)
		}
	}
	s.mu.Unlock()
	if err != nil {
		return false
	}
	_ = nc.Close()
	return true
}

// duplicate returns a descriptor for a connection that is not in the runtime's
// poller.
func duplicate(nc *net.TCPConn) (int, error) {
	raw, err := nc.SyscallConn()
	if err != nil {
		return 0, err
	}
	fd, errno := uintptr(0), syscall.Errno(0)
	if err := raw.Control(func(from uintptr) {
		fd, _, errno = syscall.Syscall(syscall.SYS_FCNTL, from, syscall.F_DUPFD_CLOEXEC, 0)
	}); err != nil {
		return 0, err
	}
	if errno != 0 {
		return 0, os.NewSyscallError("fcntl", errno)
	}
	return int(fd), nil
}

// add makes a connection the loop's. The loop may serve it before add returns.
func (l *loop) add(c *conn) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if missing := c.fd + 1 - len(l.conns); missing > 0 {
		l.conns = slices.Concat(l.conns, make([]*conn, missing))
	}
	l.conns[c.fd] = c
	if err := l.watch(c.fd); err != nil {
		l.conns[c.fd] = nil
		return err
	}
	return nil
}

// remove makes a connection no longer the loop's.
func (l *loop) remove(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns[c.fd] = nil
	// Closing alone isn't enough: the connection may go on with another descriptor.
	_ = syscall.EpollCtl(l.epoll, syscall.EPOLL_CTL_DEL, c.fd, nil)
}

// release gives a connection, which has been removed, a goroutine.
func (l *loop) release(c *conn) {
	s := l.server
	file := os.NewFile(uintptr(c.fd), "connection")
	nc, err := net.FileConn(file)
	_ = file.Close()
	if err != nil {
		s.forget(c)
		return
	}
	s.mu.Lock()
	if s.ln == nil {
		s.mu.Unlock()
		_ = nc.Close()
		s.forget(c)
		return
	}
	c.nc, c.inline = nc, false
	s.busy.Add(1)
	s.mu.Unlock()
	go s.serve(c)
}
