package metrics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Path is where the metrics are.
const Path = "/metrics"

// The limits of the server, which answers one program every few seconds.
const (
	headerTimeout = 5 * time.Second
	readTimeout   = 10 * time.Second
	answerTimeout = 10 * time.Second // of the collection
	writeTimeout  = 30 * time.Second
	idleTimeout   = 2 * time.Minute // above the usual scrape interval, to keep connections
	maxHeader     = 16 << 10        // bytes
	maxAtOnce     = 8               // requests
	goodbye       = 300 * time.Millisecond
)

// Server serves the metrics of a run over HTTP.
type Server struct {
	http     *http.Server
	listener net.Listener
	served   chan error
	fetched  chan struct{} // receives something after a fetch of what the run came to
	once     sync.Once
	closed   error
}

// Listen serves the exporter's metrics, and those of the Go runtime and the process, at
// an address as package internal/listen returns it, until [Server.Close]. The error
// says that the address cannot be had.
func Listen(address string, e *Exporter) (*Server, error) {
	registry := prometheus.NewRegistry()
	for _, c := range []prometheus.Collector{e, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})} {
		if err := registry.Register(c); err != nil {
			return nil, fmt.Errorf("metrics: %w", err)
		}
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	s := &Server{listener: listener, served: make(chan error, 1), fetched: make(chan struct{}, 1)}
	handler := promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorHandling:       promhttp.ContinueOnError,
		EnableOpenMetrics:   true,
		MaxRequestsInFlight: maxAtOnce,
		Timeout:             answerTimeout,
	})
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Path, func(w http.ResponseWriter, r *http.Request) { // and HEAD
		last := e.over()
		handler.ServeHTTP(w, r)
		if last && r.Method == http.MethodGet {
			select {
			case s.fetched <- struct{}{}:
			default:
			}
		}
	})
	s.http = &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          log.New(io.Discard, "", 0), // of what peers do wrong
	}
	go func() { s.served <- s.http.Serve(listener) }()
	return s, nil
}

// URL is where the metrics are.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + Path }

// Linger waits until the metrics have been fetched since the exporter was told that the
// run is over, or the time is up or ctx is done. It tells whether they were fetched.
func (s *Server) Linger(ctx context.Context, most time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	select {
	case <-s.fetched:
		return true
	case <-ctx.Done():
		return false
	}
}

// Close ends the server. What is just being answered is waited for, for a moment. The
// error is the first one of serving.
func (s *Server) Close() error {
	s.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), goodbye)
		defer cancel()
		if s.http.Shutdown(ctx) != nil {
			_ = s.http.Close() // cuts off who does not read its answer
		}
		if err := <-s.served; !errors.Is(err, http.ErrServerClosed) {
			s.closed = fmt.Errorf("metrics: %w", err)
		}
	})
	return s.closed
}
