package dp

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Published aggregates of the two data sets (marginal shares, means, quartiles; counts below 11 are suppressed): what a
// stand-in may be made of.

//go:embed facts/adult.json
var adultFacts []byte

//go:embed facts/kdd.json
var kddFacts []byte

// AdultStandIn draws n synthetic rows with the columns of AdultSchema: labels at the published rate, and every column drawn
// on its own given the label, from published aggregates only. It is for trying things where the real file is absent; its
// accuracies are not Adult's. A nil src means a secure one. It panics if n < 1.
func AdultStandIn(n int, src *Source) *Data {
	d, err := adultStandIn(n, AdultSchema(), orSecure(src))
	if err != nil {
		panic(err)
	}
	return d
}

type adultColumn struct {
	Name       string
	Type       string
	Categories []struct {
		Value    string
		Share    float64
		Positive *float64 `json:"positive_share"`
	}
	MeanPos  float64   `json:"mean_pos"`
	MeanNeg  float64   `json:"mean_neg"`
	SDPos    float64   `json:"sd_pos"`
	SDNeg    float64   `json:"sd_neg"`
	ZeroPos  float64   `json:"share_zero_pos"`
	ZeroNeg  float64   `json:"share_zero_neg"`
	Quartile []float64 `json:"nonzero_quartiles"`
}

func adultStandIn(n int, s Schema, src *Source) (*Data, error) {
	if n < 1 {
		return nil, badArg("AdultStandIn", "n", n, "must be at least 1")
	}
	var facts struct {
		Rate    float64 `json:"positive_share_complete"`
		Columns []adultColumn
	}
	if err := json.Unmarshal(adultFacts, &facts); err != nil {
		return nil, err
	}
	var text strings.Builder
	for range n {
		pos := src.Float64() < facts.Rate
		for _, c := range facts.Columns {
			text.WriteString(c.draw(pos, facts.Rate, src))
			text.WriteByte(',')
		}
		text.WriteString(map[bool]string{true: ">50K\n", false: "<=50K\n"}[pos])
	}
	return s.Read(strings.NewReader(text.String()))
}

// draw samples a field given the label.
func (c adultColumn) draw(pos bool, rate float64, src *Source) string {
	if c.Type == "categorical" {
		total := 0.0
		p := make([]float64, len(c.Categories))
		for i, k := range c.Categories {
			q := rate
			if k.Positive != nil {
				q = *k.Positive
			}
			if !pos {
				q = 1 - q
			}
			p[i] = k.Share * q
			total += p[i]
		}
		u := src.Float64() * total
		for i, k := range c.Categories {
			if u -= p[i]; u < 0 {
				return k.Value
			}
		}
		return c.Categories[0].Value
	}
	mean, sd, zero := c.MeanNeg, c.SDNeg, c.ZeroNeg
	if pos {
		mean, sd, zero = c.MeanPos, c.SDPos, c.ZeroPos
	}
	if len(c.Quartile) == 3 {
		if src.Float64() < zero {
			return "0"
		}
		q := c.Quartile
		mean, sd = q[1], (q[2]-q[0])/1.35
	}
	return strconv.Itoa(int(math.Max(0, math.Round(mean+sd*src.Norm()))))
}

// KDDStandIn draws n synthetic rows with the 119 coordinates of KDDSchema and the task "normal against attacks", every column
// on its own given the class, from published aggregates only: sparse rows of the real shape. See AdultStandIn.
func KDDStandIn(n int, src *Source) *Data {
	if n < 1 {
		panic(badArg("KDDStandIn", "n", n, "must be at least 1"))
	}
	src = orSecure(src)
	var facts struct {
		Columns []struct {
			Name    string
			Nonzero float64 `json:"share_nonzero"`
			Normal  float64 `json:"mean_scaled_normal"`
			Attack  float64 `json:"mean_scaled_attack"`
		}
	}
	if err := json.Unmarshal(kddFacts, &facts); err != nil {
		panic(err)
	}
	s, err := KDDSchema(KDDNormal)
	if err != nil {
		panic(err)
	}
	b, err := s.builder()
	if err != nil {
		panic(err)
	}
	mean := map[string][2]float64{}
	for _, c := range facts.Columns {
		mean[c.Name] = [2]float64{c.Attack, c.Normal}
	}
	for range n {
		class := 0
		if src.Float64() < 0.197 {
			class = 1
		}
		b.cols, b.vals = b.cols[:0], b.vals[:0]
		for k, c := range s.Columns {
			if len(c.Levels) == 0 {
				if src.Float64() < mean[c.Name][class] {
					b.cols, b.vals = append(b.cols, int32(b.offset[k])), append(b.vals, 0.25+0.75*src.Float64())
				}
				continue
			}
			u := src.Float64()
			for i, l := range c.Levels {
				if u -= mean[c.Name+"="+l][class]; u < 0 || i == len(c.Levels)-1 {
					b.cols, b.vals = append(b.cols, int32(b.offset[k]+i)), append(b.vals, 1)
					break
				}
			}
		}
		b.cols, b.vals = append(b.cols, int32(s.Dim()-1)), append(b.vals, 1)
		b.scale()
		b.idx, b.val = append(b.idx, b.cols...), append(b.val, b.vals...)
		b.start = append(b.start, len(b.val))
		b.y = append(b.y, float64(2*class-1))
	}
	d, err := b.data()
	if err != nil {
		panic(fmt.Sprint("dp: KDDStandIn: ", err))
	}
	return d
}
