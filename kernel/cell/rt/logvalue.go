package rt

import (
	"fmt"
	"log/slog"
	"reflect"
)

var sigLogValue = sig[func() slog.Value]()

// LogValue makes package slog log the value as one of its declared type: by its own LogValue method where it has one,
// else so that handlers find the methods they ask for and no others.
func (b Box) LogValue() slog.Value {
	x := valOf(b)
	if x.hasMethod("LogValue", sigLogValue) {
		return x.call("LogValue")[0].Interface().(slog.Value)
	}
	asText := x.hasMethod("MarshalText", sigMarshal)
	asError := x.hasMethod("Error", sigString) && !x.hasMethod("MarshalJSON", sigMarshal)
	l := logged{b}
	switch {
	case asText && asError:
		return slog.AnyValue(loggedErrorText{loggedError{l}})
	case asText:
		return slog.AnyValue(loggedText{loggedJSON{l}})
	case asError:
		return slog.AnyValue(loggedError{l})
	case x.kind() == reflect.Slice && x.elemKind() == reflect.Uint8 && !x.hasMethod("MarshalJSON", sigMarshal):
		return slog.AnyValue(append([]byte(nil), x.v.Bytes()...))
	}
	return slog.AnyValue(loggedJSON{l})
}

// logged is a Box whose LogValue has been asked for already; the types around it have the methods that the text and
// JSON handlers of package slog look for.
type logged struct{ b Box }

func (l logged) Dynamic() Dynamic              { return l.b }
func (l logged) Format(f fmt.State, verb rune) { l.b.Format(f, verb) }

func (l logged) text() ([]byte, error) {
	r := valOf(l.b).call("MarshalText")
	err, _ := r[1].Interface().(error)
	return r[0].Bytes(), err
}

type (
	loggedJSON      struct{ logged }
	loggedText      struct{ loggedJSON }
	loggedError     struct{ logged }
	loggedErrorText struct{ loggedError }
)

func (l loggedJSON) MarshalJSON() ([]byte, error)      { return l.b.MarshalJSON() }
func (l loggedText) MarshalText() ([]byte, error)      { return l.text() }
func (l loggedErrorText) MarshalText() ([]byte, error) { return l.text() }

// Error is the value's own, except that a nil pointer whose method does not expect one is written as handlers do.
func (l loggedError) Error() (s string) {
	x := valOf(l.b)
	defer func() {
		if x.kind() == reflect.Pointer && x.isNil() && recover() != nil {
			s = "<nil>"
		}
	}()
	return x.call("Error")[0].String()
}
