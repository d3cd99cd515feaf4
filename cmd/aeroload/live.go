package main

import (
	"io"

	"github.com/aeroload/aeroload/cluster"
	"github.com/aeroload/aeroload/progress"
	"github.com/aeroload/aeroload/report"
	"github.com/aeroload/aeroload/stage"
)

// live is what shows a run while it lasts.
type live struct {
	screen   *progress.Terminal // nil if standard error is not the program's own
	progress *progress.Progress // nil for none
}

// goLive starts to show the run of a plan that is about to begin.
func (s *settings) goLive(plan *stage.Plan, stderr io.Writer) (*live, error) {
	l := &live{}
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
	return list
}

// connected tells of the cluster.
func (l *live) connected(c *cluster.Cluster, nodes []cluster.Node) {}

// stopping tells that the run is about to end early.
func (l *live) stopping(why error) { l.progress.Stopping(why) }

// hide takes the progress off the terminal, for the summary.
func (l *live) hide() { _ = l.progress.Close() }

// abandon is called before the process ends at once.
func (l *live) abandon() {
	if l.progress != nil {
		l.screen.Abandon()
	}
}

// close ends all of it.
func (l *live) close() { l.hide() }
