package rt

// raw lists compiled functions and methods that look at their interface{} arguments by reflection and treat them by
// structure alone: they get the bare representation instead of a box.
var raw = map[string]bool{
	"sort.Slice": true, "sort.SliceStable": true, "sort.SliceIsSorted": true,
	"reflect.Swapper":      true,
	"encoding/binary.Read": true, "encoding/binary.Write": true, "encoding/binary.Size": true,
}

// RawFunction reports whether path.name ("Type.Method" for a method) gets bare representations.
func RawFunction(path, name string) bool { return raw[path+"."+name] }
