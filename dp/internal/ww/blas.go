package ww

// mulBlock computes s[i·m+c] = ⟨u_i, w_c⟩ for rows i < n of u (n×q) and c < m of w (m×q), two rows by four columns at a time
// so that eight sums live in registers.
func mulBlock(u []float64, n, q int, w []float64, m int, s []float64) {
	i := 0
	for ; i+2 <= n; i += 2 {
		a, b := u[i*q:(i+1)*q], u[(i+1)*q:(i+2)*q]
		c := 0
		for ; c+4 <= m; c += 4 {
			w0, w1, w2, w3 := w[c*q:(c+1)*q], w[(c+1)*q:(c+2)*q], w[(c+2)*q:(c+3)*q], w[(c+3)*q:(c+4)*q]
			s00, s01, s02, s03, s10, s11, s12, s13 := dot2x4(a, b, w0, w1, w2, w3)
			s[i*m+c], s[i*m+c+1], s[i*m+c+2], s[i*m+c+3] = s00, s01, s02, s03
			s[(i+1)*m+c], s[(i+1)*m+c+1], s[(i+1)*m+c+2], s[(i+1)*m+c+3] = s10, s11, s12, s13
		}
		for ; c < m; c++ {
			s[i*m+c], s[(i+1)*m+c] = dot2(a, b, w[c*q:(c+1)*q])
		}
	}
	if i < n {
		a := u[i*q : (i+1)*q]
		for c := 0; c < m; c++ {
			s[i*m+c] = dot(a, w[c*q:(c+1)*q])
		}
	}
}

func dot2x4(a, b, w0, w1, w2, w3 []float64) (s00, s01, s02, s03, s10, s11, s12, s13 float64) {
	n := len(a)
	b, w0, w1, w2, w3 = b[:n], w0[:n], w1[:n], w2[:n], w3[:n]
	for k := range a {
		x, y := a[k], b[k]
		v := w0[k]
		s00 += x * v
		s10 += y * v
		v = w1[k]
		s01 += x * v
		s11 += y * v
		v = w2[k]
		s02 += x * v
		s12 += y * v
		v = w3[k]
		s03 += x * v
		s13 += y * v
	}
	return
}

func dot2(a, b, w []float64) (s, t float64) {
	b, w = b[:len(a)], w[:len(a)]
	var s1, t1 float64
	k := 0
	for ; k+2 <= len(a); k += 2 {
		s += a[k] * w[k]
		t += b[k] * w[k]
		s1 += a[k+1] * w[k+1]
		t1 += b[k+1] * w[k+1]
	}
	for ; k < len(a); k++ {
		s += a[k] * w[k]
		t += b[k] * w[k]
	}
	return s + s1, t + t1
}

func dot(a, w []float64) float64 {
	w = w[:len(a)]
	var s0, s1, s2, s3 float64
	k := 0
	for ; k+4 <= len(a); k += 4 {
		s0 += a[k] * w[k]
		s1 += a[k+1] * w[k+1]
		s2 += a[k+2] * w[k+2]
		s3 += a[k+3] * w[k+3]
	}
	for ; k < len(a); k++ {
		s0 += a[k] * w[k]
	}
	return (s0 + s1) + (s2 + s3)
}

// addBlock adds Σ_i v_ic u_i to g_c for all c, four rows and two columns at a time.
func addBlock(g, u []float64, n, q int, v []float64, m int) {
	i := 0
	for ; i+4 <= n; i += 4 {
		u0, u1, u2, u3 := u[i*q:(i+1)*q], u[(i+1)*q:(i+2)*q], u[(i+2)*q:(i+3)*q], u[(i+3)*q:(i+4)*q]
		for c := 0; c < m; c++ {
			a0, a1, a2, a3 := v[i*m+c], v[(i+1)*m+c], v[(i+2)*m+c], v[(i+3)*m+c]
			if a0 == 0 && a1 == 0 && a2 == 0 && a3 == 0 {
				continue
			}
			gc := g[c*q : (c+1)*q]
			if c+1 < m {
				b0, b1, b2, b3 := v[i*m+c+1], v[(i+1)*m+c+1], v[(i+2)*m+c+1], v[(i+3)*m+c+1]
				axpy4x2(gc, g[(c+1)*q:(c+2)*q], u0, u1, u2, u3, a0, a1, a2, a3, b0, b1, b2, b3)
				c++
				continue
			}
			axpy4(gc, u0, u1, u2, u3, a0, a1, a2, a3)
		}
	}
	for ; i < n; i++ {
		ui := u[i*q : (i+1)*q]
		for c := 0; c < m; c++ {
			if a := v[i*m+c]; a != 0 {
				gc := g[c*q : (c+1)*q]
				gc = gc[:len(ui)]
				for k, x := range ui {
					gc[k] += a * x
				}
			}
		}
	}
}

func axpy4(g, u0, u1, u2, u3 []float64, a0, a1, a2, a3 float64) {
	n := len(g)
	u0, u1, u2, u3 = u0[:n], u1[:n], u2[:n], u3[:n]
	for k := range g {
		g[k] += (a0*u0[k] + a1*u1[k]) + (a2*u2[k] + a3*u3[k])
	}
}

func axpy4x2(g, h, u0, u1, u2, u3 []float64, a0, a1, a2, a3, b0, b1, b2, b3 float64) {
	n := len(g)
	h, u0, u1, u2, u3 = h[:n], u0[:n], u1[:n], u2[:n], u3[:n]
	for k := range g {
		w, x, y, z := u0[k], u1[k], u2[k], u3[k]
		g[k] += (a0*w + a1*x) + (a2*y + a3*z)
		h[k] += (b0*w + b1*x) + (b2*y + b3*z)
	}
}
