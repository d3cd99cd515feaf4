package embedded

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
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
)

// errProtocol is why a connection is closed on a client that breaks the
// protocol's framing.
var errProtocol = errors.New("protocol violation")

// A conn is a client's connection. One goroutine reads requests, carries them
// out and writes the replies in the same order. Its buffers are reused.
type conn struct {
	server *Server
	nc     net.Conn

	in        []byte // input; the bytes from r to w are not yet consumed
	r, w      int
	out       []byte // finished replies that aren't sent yet
	req       request
	edit      editor
	found     []indexed   // a partition's records, during a query
	batchExpr *expression // the filter of the batch being carried out, nil for none
	userAgent bool        // the client has introduced itself
}

// serve answers requests until the connection fails or is closed.
func (c *conn) serve() {
	defer func() { _ = c.nc.Close() }()
	for {
		kind, body, err := c.next()
		if err != nil {
			return
		}
		if err := c.handle(kind, body); err != nil {
			return
		}
		if len(c.out) >= flushSize {
			if err := c.flush(); err != nil {
				return
			}
		}
	}
}

// handle answers one message.
func (c *conn) handle(kind byte, body []byte) error {
	switch kind {
	case protoMessage:
		return c.message(body)
	case protoInfo:
		return c.info(body)
	case protoSecurity:
		c.security()
	case protoCompressed:
		c.reply(failed(codeEnterpriseOnly))
	default: // replication between clusters, which Community Edition doesn't take
		c.reply(failed(codeParameter))
	}
	return nil
}

// security answers any authentication command, as a server without security
// does: 16 bytes, the second of which is the result.
func (c *conn) security() {
	const size = 16
	start := len(c.out)
	c.out = append(c.out, make([]byte, protoHeaderSize+size)...)
	putProtoHeader(c.out[start:], protoSecurity, size)
	c.out[start+protoHeaderSize+1] = byte(codeSecurityNotSupp)
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
	head := binary.BigEndian.Uint64(c.in[c.r:])
	version, kind, size := byte(head>>56), byte(head>>48), head&protoSizeMask
	if version != protoVersion && !(version == 0 && kind == protoSecurity) {
		return 0, nil, fmt.Errorf("%w: version %d", errProtocol, version)
	}
	if kind < protoInfo || kind > protoXDR {
		return 0, nil, fmt.Errorf("%w: message type %d", errProtocol, kind)
	}
	if size > maxMessage {
		return 0, nil, fmt.Errorf("%w: message of %d bytes", errProtocol, size)
	}
	end := protoHeaderSize + int(size)
	if err := c.fill(end); err != nil {
		return 0, nil, err
	}
	body = c.in[c.r+protoHeaderSize : c.r+end : c.r+end]
	c.r += end
	return kind, body, nil
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
