package embedded

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"unsafe"
)

// Event loops serve connections on Linux if they are asked for. A goroutine of its
// own costs a connection a failed read, a park and a wakeup through the runtime's
// poller for each request. A loop gets the connections that have input in bundles,
// reads once from each, answers what can be answered at once, and writes once. What
// may take long or has to wait is left to a goroutine (loopmove_linux.go).

const (
	// loopEvents is how many connections with input a loop asks for at once.
	loopEvents = 128

	// loopInput is the size in bytes of the input buffer that a loop lends to the
	// connection it serves.
	loopInput = 64 << 10

	// loopPolls is how often a loop looks for input before it sleeps. Together they
	// take about 10 µs, which is less than to fall asleep and be woken.
	loopPolls = 40
)

// A loop serves connections to one server on one goroutine.
type loop struct {
	server  *Server // that the connections are to
	epoll   int
	wake    int     // an eventfd that is readable once the loop is to stop
	in      []byte  // lent to the connection that is being served
	replied []*conn // of the bundle, with replies to send

	mu    sync.Mutex // guards what follows
	conns []*conn    // by file descriptor
}

// startLoops starts the loops of a server that begins to listen. There are none if
// connections may wait for other things than requests.
func (s *Server) startLoops() error {
	if s.cfg.TLS != nil || s.cfg.IdleTimeout != 0 {
		return nil
	}
	var loops []*loop
	for range s.cfg.EventLoops {
		l, err := newLoop(s)
		if err != nil {
			for _, l := range loops {
				l.close()
			}
			return err
		}
		loops = append(loops, l)
	}
	s.busy.Add(len(loops))
	for _, l := range loops {
		go l.run()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loops = loops
	return nil
}

func newLoop(s *Server) (*loop, error) {
	epoll, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	wake, _, errno := syscall.RawSyscall(syscall.SYS_EVENTFD2, 0, syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if errno != 0 {
		return nil, errors.Join(os.NewSyscallError("eventfd2", errno), syscall.Close(epoll))
	}
	l := &loop{server: s, epoll: epoll, wake: int(wake), in: make([]byte, loopInput)}
	if err := l.watch(l.wake); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// close frees the loop's own descriptors.
func (l *loop) close() {
	_ = syscall.Close(l.wake)
	_ = syscall.Close(l.epoll)
}

// stop makes the loop close its connections and end.
func (l *loop) stop() { _, _ = syscall.Write(l.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0}) }

// watch makes the loop wait for input of a descriptor.
func (l *loop) watch(fd int) error {
	event := syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)}
	return os.NewSyscallError("epoll_ctl", syscall.EpollCtl(l.epoll, syscall.EPOLL_CTL_ADD, fd, &event))
}

// run serves connections until the loop is to stop.
func (l *loop) run() {
	defer l.server.busy.Done()
	var events [loopEvents]syscall.EpollEvent
	for {
		for i := range l.wait(&events) {
			fd := int(events[i].Fd)
			if fd == l.wake {
				l.end()
				return
			}
			if c := l.conn(fd); c != nil {
				l.serve(c)
			}
		}
		l.reply()
	}
}

// end closes what the loop has. Nothing is added to it any more.
func (l *loop) end() {
	l.mu.Lock()
	conns := l.conns
	l.mu.Unlock()
	for _, c := range conns {
		if c != nil {
			_ = syscall.Close(c.fd)
			l.server.forget(c)
		}
	}
	l.close()
}

// wait returns how many descriptors are ready, at least one.
func (l *loop) wait(events *[loopEvents]syscall.EpollEvent) int {
	for range loopPolls {
		if n := l.poll(events); n > 0 {
			return n
		}
	}
	for {
		if n, err := syscall.EpollWait(l.epoll, events[:], -1); err == nil && n > 0 {
			return n
		}
	}
}

// poll returns how many descriptors are ready, without waiting.
func (l *loop) poll(events *[loopEvents]syscall.EpollEvent) int {
	n, _, errno := syscall.RawSyscall6(syscall.SYS_EPOLL_PWAIT, uintptr(l.epoll), uintptr(unsafe.Pointer(events)), loopEvents, 0, 0, 0)
	if errno != 0 {
		return 0
	}
	return int(n)
}

// conn returns the connection with this descriptor, nil if the loop has none.
func (l *loop) conn(fd int) *conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	if fd < len(l.conns) {
		return l.conns[fd]
	}
	return nil
}

// serve answers the requests of a connection that has input. A connection only
// keeps an input buffer of its own while it has sent a part of a message.
func (l *loop) serve(c *conn) {
	if c.in == nil {
		c.in = l.in
	}
	err := c.turn()
	if err != nil {
		l.drop(c, err)
		return
	}
	if c.r == c.w {
		c.in, c.r, c.w = nil, 0, 0
	} else if len(c.in) == loopInput {
		c.takeInput()
	}
	if len(c.out) > 0 {
		l.replied = append(l.replied, c)
	}
}

// reply sends the replies of a bundle. To send them one after the other lets
// clients that share a poller get them together.
func (l *loop) reply() {
	for _, c := range l.replied {
		if err := c.send(); err != nil {
			l.drop(c, err)
		} else if cap(c.out) > inputSize {
			c.out = nil
		}
	}
	clear(l.replied)
	l.replied = l.replied[:0]
}

// drop parts with a connection: it needs a goroutine to go on, or has ended.
func (l *loop) drop(c *conn, err error) {
	l.remove(c)
	if errors.Is(err, errSlow) {
		c.takeInput()
		l.release(c)
		return
	}
	_ = syscall.Close(c.fd)
	l.server.forget(c)
}

// takeInput moves the unconsumed input into a buffer of the connection's own.
func (c *conn) takeInput() {
	own := make([]byte, max(inputSize, c.w-c.r))
	c.r, c.w, c.in = 0, copy(own, c.in[c.r:c.w]), own
}

// turn reads what has arrived and answers the messages that are complete. It returns
// errSlow if the connection needs a goroutine to go on.
func (c *conn) turn() error {
	if c.w == len(c.in) {
		return errSlow // a message that is longer than the buffer
	}
	n, _, errno := syscall.RawSyscall(syscall.SYS_READ, uintptr(c.fd), uintptr(unsafe.Pointer(&c.in[c.w])), uintptr(len(c.in)-c.w))
	switch {
	case errno == syscall.EAGAIN || errno == syscall.EINTR:
		return nil
	case errno != 0:
		return errno
	case n == 0:
		return io.EOF
	}
	c.w += int(n)
	for c.w-c.r >= protoHeaderSize {
		kind, end, err := c.header()
		if err != nil {
			return errors.Join(err, c.send())
		}
		if c.w-c.r < end {
			break
		}
		if err := c.handle(kind, c.in[c.r+protoHeaderSize:c.r+end:c.r+end]); err != nil {
			return err
		}
		c.r += end
		if len(c.out) >= flushSize {
			if err := c.send(); err != nil {
				return err
			}
		}
	}
	return nil
}

// send writes the finished replies, without waiting. It returns errSlow if some of
// them have to wait for the client.
func (c *conn) send() error {
	if len(c.out) == 0 {
		return nil
	}
	n, _, errno := syscall.RawSyscall(syscall.SYS_WRITE, uintptr(c.fd), uintptr(unsafe.Pointer(&c.out[0])), uintptr(len(c.out)))
	switch {
	case errno == syscall.EAGAIN || errno == syscall.EINTR:
		return errSlow
	case errno != 0:
		return errno
	case int(n) < len(c.out):
		c.out = c.out[:copy(c.out, c.out[n:])]
		return errSlow
	}
	c.out = c.out[:0]
	return nil
}
