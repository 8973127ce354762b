package dp

// exactSVM is the loss of the private SVM: additive noise around the two certified solutions.
func exactSVM(m PrivateSVMFinite, d0, d1 *Data) (*PrivacyLoss, error) {
	const where = "ExactLoss"
	s, err := m.plan(where, d0.Len(), d0.Dim(), d0.Radius())
	if err != nil {
		return nil, err
	}
	var w [2][]float64
	for k, d := range []*Data{d0, d1} {
		if err := checkPrivateSVM(where, d); err != nil {
			return nil, err
		}
		if w[k], err = s.minimiser(ambientContext(), where, d, m.Loss, Seed(1)); err != nil {
			return nil, err
		}
	}
	if s.kind == GammaNoise {
		return additiveLoss(w[0], w[1], "gamma", s.scale), nil
	}
	return additiveLoss(w[0], w[1], "laplace", s.scale), nil
}
