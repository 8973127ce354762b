package dp

import (
	"fmt"
	"strings"
)

// BudgetReport shows every ledger of this process that is still in use, as Markdown: the text behind a notebook's budget command.
func BudgetReport() string {
	var s strings.Builder
	n := 0
	for _, l := range Ledgers() {
		n++
		rows := ""
		if l.book.n > 0 {
			rows = fmt.Sprintf(" (data set of %s)", plural(l.book.n, "row"))
		}
		fmt.Fprintf(&s, "**Ledger %d**%s\n\n%s\n", n, rows, l.Markdown())
	}
	if n == 0 {
		return "No ledger is in use. Make one with `dp.NewLedger(eps, delta)` and pass it to trainers as `Ledger:`.\n"
	}
	return s.String()
}
