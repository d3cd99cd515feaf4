package embedded

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"time"
)

const (
	// inputSize is the size in bytes of an idle connection's input buffer.
	inputSize = 16 << 10

	// flushSize is the number of bytes of finished replies after which they are
	// sent although more requests are waiting.
	flushSize = 64 << 10

	// keepSize is the size in bytes up to which a connection keeps a buffer that
	// a large message has made grow.
	keepSize = 256 << 10

	// lockTries is how often a loop tries to lock a partition that another
	// goroutine has, in case it is for a moment only.
	lockTries = 100
)

// errProtocol is why a connection is closed on a client that breaks the
// protocol's framing.
var errProtocol = errors.New("protocol violation")

// errSlow is why a loop can't answer a request or send a reply: it would keep the
// loop from other connections.
var errSlow = errors.New("not at once")

// errQuick is why a goroutine stops serving a connection that a loop could serve.
var errQuick = errors.New("quick requests only")

// quickRequests is after how many requests in turn that a loop could have answered
// a connection goes back to one.
const quickRequests = 64

// A conn is a client's connection. One goroutine at a time, a loop's or its own,
// reads requests, carries them out and writes the replies in the same order. Its
// buffers are reused.
type conn struct {
	server  *Server         // that has the data
	node    *Server         // that the connection is to, nil if it is the same; see at
	nc      net.Conn        // nil while a loop serves the connection
	fd      int             // of a loop's connection
	inline  bool            // a loop serves the connection, so nothing may take long
	quick   int             // requests in turn that a loop could have answered
	blocked bool            // the request being answered needs a lock that a loop won't wait for
	peer    net.Addr        // the client
	serial  uint64          // counts the node's connections, from 1
	quit    <-chan struct{} // closed when the node closes its connections

	in        []byte // input; the bytes from r to w are not yet consumed
	r, w      int
	out       []byte // finished replies that aren't sent yet
	req       request
	edit      editor
	fresh     record      // metadata of a record that is being written
	found     []indexed   // a partition's records, during a query
	batchExpr *expression // the filter of the batch being carried out, nil for none
	userAgent bool        // the client has introduced itself
	struck    bool        // the message being handled has been looked at for faults
	account   *account    // that has logged in, nil for none
	held      *[]byte     // collects replies instead of sending them, for a fault
}

// at returns the server that the connection is to: in a cluster, one of several
// that share their data.
func (c *conn) at() *Server {
	if c.node != nil {
		return c.node
	}
	return c.server
}

// serve answers requests until the connection fails or is closed, or has made quick
// requests for a while and no further one.
func (c *conn) serve() error {
	for c.quick = 0; ; c.quick++ {
		if c.quick >= quickRequests && c.r == c.w {
			if err := c.flush(); err != nil {
				return err
			}
			return errQuick
		}
		kind, body, err := c.next()
		if err != nil {
			return err
		}
		if err := c.handle(kind, body); err != nil {
			return err
		}
		if len(c.out) >= flushSize {
			if err := c.flush(); err != nil {
				return err
			}
		}
	}
}

// slow notes that a request isn't for a loop, and reports whether it has come to
// one nevertheless. It must not have had any effect.
func (c *conn) slow() bool {
	c.quick = 0
	return c.inline
}

// lock locks a partition. It reports false, and the partition isn't locked, if a
// loop would have to wait for that.
func (c *conn) lock(p *partition) bool {
	if !c.inline {
		p.mu.Lock()
		return true
	}
	for range lockTries {
		if p.mu.TryLock() {
			return true
		}
	}
	c.blocked = true
	return false
}

// handle answers one message. It returns errSlow, without any effect, if it is not
// one for the loop that serves the connection.
func (c *conn) handle(kind byte, body []byte) error {
	set := c.at().faults.Load()
	if (kind != protoMessage || set != nil) && c.slow() {
		return errSlow
	}
	if set != nil && !c.struck && kind != protoCompressed {
		return c.faulty(set, kind, body)
	}
	if c.server.security != nil && kind != protoSecurity && !c.authenticated() {
		c.refuseStranger(kind, body)
		return nil
	}
	switch kind {
	case protoMessage:
		return c.message(body)
	case protoInfo:
		return c.info(body)
	case protoSecurity:
		if c.server.security != nil {
			c.admin(body)
		} else {
			c.security()
		}
	case protoCompressed:
		c.reply(failed(codeEnterpriseOnly))
	default: // replication between clusters, which Community Edition doesn't take
		c.reply(failed(codeParameter))
	}
	return nil
}

// security answers any authentication command, as a server without security
// does.
func (c *conn) security() {
	c.adminReply(codeSecurityNotSupp, 0)
}

// next reads a message. The body is good until the next call. Replies are sent
// before it waits for input.
func (c *conn) next() (kind byte, body []byte, err error) {
	if c.r == c.w {
		c.r, c.w = 0, 0
		if len(c.in) > keepSize {
			c.in = nil
		}
	}
	if err := c.fill(protoHeaderSize); err != nil {
		return 0, nil, err
	}
	kind, end, err := c.header()
	if err != nil {
		return 0, nil, err
	}
	if err := c.fill(end); err != nil {
		return 0, nil, err
	}
	body = c.in[c.r+protoHeaderSize : c.r+end : c.r+end]
	c.r += end
	return kind, body, nil
}

// header reads the header of the next message, which must be there: its type, and
// its length with the header.
func (c *conn) header() (kind byte, length int, err error) {
	head := binary.BigEndian.Uint64(c.in[c.r:])
	version, size := byte(head>>56), head&protoSizeMask
	kind = byte(head >> 48)
	if version != protoVersion && !(version == 0 && kind == protoSecurity) {
		return 0, 0, fmt.Errorf("%w: version %d", errProtocol, version)
	}
	if kind < protoInfo || kind > protoXDR {
		return 0, 0, fmt.Errorf("%w: message type %d", errProtocol, kind)
	}
	if size > maxMessage {
		return 0, 0, fmt.Errorf("%w: message of %d bytes", errProtocol, size)
	}
	return kind, protoHeaderSize + int(size), nil
}

// fill reads until n unconsumed bytes are there. The buffer only grows as data
// arrives, so that a client can't reserve memory by announcing a large message.
func (c *conn) fill(n int) error {
	for c.w-c.r < n {
		if err := c.flush(); err != nil {
			return err
		}
		if c.r > 0 && c.r+n > len(c.in) {
			copy(c.in, c.in[c.r:c.w])
			c.r, c.w = 0, c.w-c.r
		}
		if c.w == len(c.in) {
			bigger := make([]byte, max(inputSize, min(2*len(c.in), n)))
			copy(bigger, c.in[:c.w])
			c.in = bigger
		}
		if idle := c.at().cfg.IdleTimeout; idle > 0 {
			if err := c.nc.SetReadDeadline(time.Now().Add(idle)); err != nil {
				return err
			}
		}
		got, err := c.nc.Read(c.in[c.w:])
		c.w += got
		if err != nil && c.w-c.r < n {
			return err
		}
	}
	return nil
}

// flush sends the finished replies.
func (c *conn) flush() error {
	if c.held != nil {
		c.hold()
	}
	if len(c.out) == 0 {
		return nil
	}
	_, err := c.nc.Write(c.out)
	c.out = c.out[:0]
	if cap(c.out) > keepSize {
		c.out = nil
	}
	return err
}
