package notebook

import "example.org/godp/kernel/worker/protocol"

// Printer shows what cells put out on a terminal, as Run does, without keeping it.
type Printer struct{ r *recorder }

// NewPrinter makes a Printer. label is what stands before the value of cell n, and picture what is printed for a picture instead of its
// text ("" for its text); each may be nil.
func NewPrinter(o Options, label func(n int) string, picture func(mime string, data []byte) string) *Printer {
	r := newRecorder(o)
	r.label, r.picture = label, picture
	r.begin(new(Cell), 0)
	return &Printer{r}
}

// Begin begins cell n.
func (p *Printer) Begin(n int) { p.r.begin(new(Cell), n); p.r.byID = map[string][]Output{} }

// Message shows a message of the worker.
func (p *Printer) Message(m protocol.Message) {
	p.r.message(m)
	if len(p.r.cell.Outputs) > 1 { // only what the next text may be joined to is of use
		p.r.cell.Outputs = p.r.cell.Outputs[len(p.r.cell.Outputs)-1:]
	}
	if o := p.r.cell.Outputs; len(o) == 1 && o[0]["output_type"] == "stream" {
		o[0]["text"] = ""
	}
}

// Fail shows the failure of the cell.
func (p *Printer) Fail(f *protocol.Failure) { p.r.fail(f) }

// End ends the cell.
func (p *Printer) End() { p.r.end() }
