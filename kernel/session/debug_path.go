package session

import (
	"fmt"
	"os"
	"path/filepath"
)

// debugPrefix begins the paths by which debuggers know the sources of this process's cells. Nothing is stored there.
func debugPrefix() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("godp_%d", os.Getpid())) + string(filepath.Separator)
}
