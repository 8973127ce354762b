package dp

import (
	"context"
	"sync/atomic"
)

var ambient atomic.Pointer[context.Context]

// SetContext sets the context that Train, Run and other methods without a context argument obey. A notebook kernel sets it
// to the context of the running cell, so that interrupting the cell stops the computation. A nil ctx restores
// context.Background.
func SetContext(ctx context.Context) {
	if ctx == nil {
		ambient.Store(nil)
		return
	}
	ambient.Store(&ctx)
}

// ambientContext is the context set by SetContext, or context.Background.
func ambientContext() context.Context {
	if p := ambient.Load(); p != nil {
		return *p
	}
	return context.Background()
}

type callSiteKey struct{}

// WithCallSite returns a context that knows where in a notebook the running computation stands: site names the cell and the
// line, such as "In[3]:2", whenever it is asked, in the goroutine that asks. Ledgers write it beside every charge that interpreted code
// asks for. A kernel gives such a context to [SetContext]; a compiled program needs none: its file and line are written.
func WithCallSite(ctx context.Context, site func() string) context.Context {
	return context.WithValue(ctx, callSiteKey{}, site)
}
