package wire

import "unicode/utf8"

// ByteOffset converts an offset in code points, as the Jupyter protocol counts since version 5.2, into a byte offset.
// Offsets beyond the text, or negative ones, are taken as its end.
func ByteOffset(text string, points int) int {
	if points < 0 {
		return len(text)
	}
	for i := range text {
		if points == 0 {
			return i
		}
		points--
	}
	return len(text)
}

// PointOffset converts a byte offset into an offset in code points. Offsets outside of the text are taken as its nearest edge.
func PointOffset(text string, bytes int) int {
	return utf8.RuneCountInString(text[:min(max(bytes, 0), len(text))])
}

// SplitRunes cuts b before an incomplete UTF-8 sequence at its end, so that a character that arrives in two pieces
// is not shown as two broken ones. Bytes that cannot begin a character stay in whole.
func SplitRunes(b []byte) (whole, rest []byte) {
	for back := 1; back <= min(utf8.UTFMax-1, len(b)); back++ {
		i := len(b) - back
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return b[:i], b[i:]
			}
			break
		}
	}
	return b, nil
}
