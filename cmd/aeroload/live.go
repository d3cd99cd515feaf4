package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/aeroload/aeroload/cluster"
	"github.com/aeroload/aeroload/metrics"
	"github.com/aeroload/aeroload/progress"
	"github.com/aeroload/aeroload/report"
	"github.com/aeroload/aeroload/stage"
)

// live is what shows a run while it lasts.
type live struct {
	screen   *progress.Terminal // nil if standard error is not the program's own
	progress *progress.Progress // nil for none
	exporter *metrics.Exporter  // nil without metrics
	server   *metrics.Server    // likewise
}

// goLive starts to show the run of a plan that is about to begin.
func (s *settings) goLive(plan *stage.Plan, stderr io.Writer) (*live, error) {
	l := &live{}
	if s.metrics != "" {
		own, client := versions()
		l.exporter = metrics.NewExporter(metrics.Run{Plan: plan, Seed: s.defaults.Seed, Embedded: s.embedded, Aeroload: own, Client: client})
		server, err := metrics.Listen(s.metrics, l.exporter)
		if err != nil {
			return nil, &usageError{err}
		}
		l.server = server
		fmt.Fprintf(stderr, "Metrics are at %s\n", server.URL())
	}
	if screen, ok := stderr.(*progress.Terminal); ok {
		l.screen, l.progress = screen, progress.New(screen, plan, s.progress)
	}
	return l, nil
}

// observers are those that must be told of the run.
func (l *live) observers() report.Multi {
	var list report.Multi
	if l.progress != nil {
		list = append(list, l.progress)
	}
	if l.exporter != nil {
		list = append(list, l.exporter)
	}
	return list
}

// connected tells of the cluster, disconnecting that it is about to be closed.
func (l *live) connected(c *cluster.Cluster, nodes []cluster.Node) {
	if l.exporter != nil {
		l.exporter.Connected(c, nodes)
	}
}

func (l *live) disconnecting() {
	if l.exporter != nil {
		l.exporter.Disconnecting()
	}
}

// stopping tells that the run is about to end early.
func (l *live) stopping(why error) {
	l.progress.Stopping(why)
	if l.exporter != nil {
		l.exporter.Stopping()
	}
}

// hide takes the progress off the terminal, for the summary: the run is over.
func (l *live) hide() {
	_ = l.progress.Close()
	if l.exporter != nil {
		l.exporter.Finished()
	}
}

// linger serves the metrics for the last time, unless a signal has come since the end
// of the run.
func (l *live) linger(ctx context.Context, most time.Duration, stderr io.Writer) {
	if l.server == nil || most == 0 || ctx.Err() != nil {
		return
	}
	fmt.Fprintf(stderr, "The metrics are served until they are fetched, for %v at most; Ctrl-C ends that\n", most)
	switch {
	case l.server.Linger(ctx, most):
	case ctx.Err() == nil:
		fmt.Fprintf(stderr, "warning: nobody has fetched the metrics of the run's end\n")
	}
}

// abandon is called before the process ends at once.
func (l *live) abandon() {
	if l.progress != nil {
		l.screen.Abandon()
	}
}

// close ends all of it. An error of the server is none of the run.
func (l *live) close(stderr io.Writer) {
	l.hide()
	if l.server == nil {
		return
	}
	if err := l.server.Close(); err != nil {
		fmt.Fprintf(stderr, "warning: %v\n", err)
	}
}
