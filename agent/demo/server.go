package demo

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"time"

	"example.com/hone/tasks"
)

// Model is the name under which the scripted model is served.
const Model = "hone-demo"

// DefaultRate is about what a hosted reasoning model writes, in tokens a second.
const DefaultRate = 90

//go:embed scripts/*.md
var scripts embed.FS

// Options of a server.
type Options struct {
	Rate float64 // tokens per second; 0 or less: as fast as possible
}

// Server serves the scripted model until it is closed.
type Server struct {
	listener net.Listener
	http     *http.Server
	served   chan error
	unhook   func() bool
}

// Start serves the scripted model on a free port of 127.0.0.1 until ctx is done
// or Close is called.
func Start(ctx context.Context, o Options) (*Server, error) {
	m, err := newModel()
	if err != nil {
		return nil, err
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start demo model: %w", err)
	}
	s := &Server{
		listener: listener,
		served:   make(chan error, 1),
		http: &http.Server{
			Handler:           (&api{model: m, rate: o.Rate}).routes(),
			BaseContext:       func(net.Listener) context.Context { return ctx },
			ReadHeaderTimeout: 10 * time.Second,
		},
	}
	s.unhook = context.AfterFunc(ctx, func() { s.http.Close() })
	go func() { s.served <- s.http.Serve(listener) }()
	return s, nil
}

func newModel() (*model, error) {
	catalog, err := tasks.Builtin()
	if err != nil {
		return nil, fmt.Errorf("start demo model: %w", err)
	}
	folder, err := fs.Sub(scripts, "scripts")
	if err != nil {
		return nil, fmt.Errorf("start demo model: %w", err)
	}
	known, err := loadScripts(folder)
	if err != nil {
		return nil, err
	}
	return &model{tasks: catalog.All(), scripts: known, asked: map[[32]byte]int{}}, nil
}

// URL is the base URL that a client takes.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/v1" }

// Lane is the base URL of a lane: another model, in that its samples differ from
// those of other lanes. Lane 0 answers as URL does.
func (s *Server) Lane(n int) string {
	return fmt.Sprintf("http://%s/lanes/%d/v1", s.listener.Addr(), n)
}

// Close stops the server and breaks off the replies under way.
func (s *Server) Close() error {
	s.unhook()
	err := s.http.Close()
	if served := <-s.served; !errors.Is(served, http.ErrServerClosed) && err == nil {
		err = served
	}
	s.served <- http.ErrServerClosed // so that Close may be called again
	if err != nil {
		return fmt.Errorf("stop demo model: %w", err)
	}
	return nil
}
