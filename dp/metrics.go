package dp

// predictions are the labels m gives to the rows of d.
func predictions(m Classifier, d *Data) []float64 {
	if lm, ok := m.(*Model); ok {
		s := lm.scores(d)
		for i, v := range s {
			s[i] = sign(v)
		}
		return s
	}
	out := make([]float64, d.Len())
	row := make([]float64, d.Dim())
	for i := range out {
		out[i] = m.Predict(d.x.Row(i, row))
	}
	return out
}

// ErrorRate is the share of rows of d that m labels wrongly, between 0 and 1. On private rows it is itself a release with
// sensitivity 1/n and needs its own noise.
func ErrorRate(m Classifier, d *Data) float64 {
	wrong := 0
	for i, p := range predictions(m, d) {
		if p != d.Label(i) {
			wrong++
		}
	}
	return float64(wrong) / float64(d.Len())
}
