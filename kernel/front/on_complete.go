package front

import (
	"example.org/godp/kernel/wire"
	"example.org/godp/kernel/worker/protocol"
)

// codeAt is the content of complete_request and inspect_request.
type codeAt struct {
	Code      string `json:"code"`
	CursorPos *int   `json:"cursor_pos"`
	Detail    int    `json:"detail_level"`
}

// cursor is the cursor as a byte offset. Where it is missing it stands at the end.
func (c codeAt) cursor() int {
	if c.CursorPos == nil {
		return len(c.Code)
	}
	return wire.ByteOffset(c.Code, *c.CursorPos)
}

// typedMatch is an entry of _jupyter_types_experimental, from which JupyterLab takes its icons and signatures.
type typedMatch struct {
	Start     int    `json:"start"`
	End       int    `json:"end"`
	Text      string `json:"text"`
	Type      string `json:"type"`
	Signature string `json:"signature,omitempty"`
}

// onComplete answers with completions at the cursor.
func onComplete(f *front, r *request) {
	var c codeAt
	if !r.decode(&c) {
		return
	}
	id, cursor := f.cells.id(), c.cursor()
	f.ask(id, &protocol.Complete{ID: id, Code: c.Code, Cursor: cursor}, func(m protocol.Message, failure *protocol.Failure) {
		a, ok := m.(*protocol.CompleteReply)
		if !ok {
			a = &protocol.CompleteReply{Start: cursor, End: cursor}
		}
		start, end := wire.PointOffset(c.Code, a.Start), wire.PointOffset(c.Code, a.End)
		matches := make([]string, 0, len(a.Matches))
		typed := make([]typedMatch, 0, len(a.Matches))
		for _, m := range a.Matches {
			matches = append(matches, m.Text)
			typed = append(typed, typedMatch{start, end, m.Text, m.Type, m.Signature})
		}
		metadata := map[string]any{}
		if len(typed) > 0 {
			metadata["_jupyter_types_experimental"] = typed
		}
		r.reply(map[string]any{"status": "ok", "matches": matches, "cursor_start": start, "cursor_end": end, "metadata": metadata})
	})
}
