package rt

import (
	"fmt"
	"reflect"
	"sync"
	"testing"
)

// TestConcurrentUse prints, encodes, compares and walks errors in many goroutines while methods are declared.
func TestConcurrentUse(t *testing.T) {
	boxes := []any{mir.box(tMixed{A: 1, b: "x"}), mir.box(&tErr{1}), mir.box(tStr{2}), mir.box(jEmbed{}), mir.box([]tPStr{{1}}), mir.box(tEmbedOne{tStr{1}, 2})}
	extra := &Type{Kind: reflect.Int, Name: "main.Extra", Rep: reflect.TypeFor[int]()}
	str := mir.of(reflect.TypeFor[func() string]())
	want := make([]string, len(boxes))
	for i, b := range boxes {
		want[i] = fmt.Sprint(Sprintf("%v %+v %T", b, b, b), Show(b))
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 50 {
				k := (g + i) % len(boxes)
				if got := fmt.Sprint(Sprintf("%v %+v %T", boxes[k], boxes[k], boxes[k]), Show(boxes[k])); got != want[k] {
					t.Errorf("got %s, want %s", got, want[k])
				}
				Marshal(boxes[k])
				DeepEqual(boxes[k], boxes[(k+1)%len(boxes)])
				As(wrapError("w", mirrorError(&tErr{i})), Box{T: pointerTo(mir.of(reflect.TypeFor[*tErr]())), V: reflect.New(mir.of(reflect.TypeFor[*tErr]()).Rep).Interface()})
				TypeOfValue(boxes[k]).NumMethod()
				if i%10 == 0 {
					extra.Declare(&Method{Name: "String", Type: str, Fn: reflect.ValueOf(func(x int) string { return fmt.Sprint("extra ", x) })})
				}
				if s := Sprint(Box{extra, i}); s != fmt.Sprint("extra ", i) && s != fmt.Sprint(i) {
					t.Error(s)
				}
			}
		}()
	}
	wg.Wait()
}
