package registry

import "math"

// Mode words of `tools.tool_search.enabled` and `.listing`.
const (
	ModeAuto = "auto"
	ModeOn   = "on"
	ModeOff  = "off"
)

// Options are `tools.tool_search` (reference hermes-agent 1.2). The zero value
// means the defaults; any other is taken as it is, moved into its range.
type Options struct {
	// Mode: auto and on defer every tool behind the bridge tools, off offers
	// each tool itself.
	Mode string
	// ThresholdPercent is the share of the context window the listing may
	// take, 0 to 100.
	ThresholdPercent float64
	// ContextTokens is the size of the window, 0 when it is not known: the
	// listing is then bounded by ListingMaxTokens alone.
	ContextTokens int
	DefaultLimit  int // hits of one query when it sets no limit, 1 to MaxLimit
	MaxLimit      int // 1 to 50
	// Listing: off leaves the listing out of the description of tool_search.
	Listing          string
	ListingMaxTokens int // 200 to 60,000
	// Hosted says that there are tools behind a gateway, which only the bridge
	// tools reach.
	Hosted bool
}

// DefaultOptions are the values of a file that says nothing.
func DefaultOptions() Options {
	return Options{Mode: ModeAuto, ThresholdPercent: 5, DefaultLimit: 5, MaxLimit: 25, Listing: ModeAuto, ListingMaxTokens: 4000}
}

func (o Options) normal() Options {
	if o == (Options{Hosted: o.Hosted}) {
		normal := DefaultOptions()
		normal.Hosted = o.Hosted
		return normal
	}
	o.MaxLimit = min(max(o.MaxLimit, 1), 50)
	o.DefaultLimit = min(max(o.DefaultLimit, 1), o.MaxLimit)
	o.ListingMaxTokens = min(max(o.ListingMaxTokens, 200), 60000)
	if !(o.ThresholdPercent >= 0) {
		o.ThresholdPercent = 0
	}
	o.ThresholdPercent = min(o.ThresholdPercent, 100)
	return o
}

// budget is what the listing may take, in tokens.
func (o Options) budget() int {
	if o.Listing == ModeOff {
		return 0
	}
	if o.ContextTokens <= 0 {
		return o.ListingMaxTokens
	}
	share := math.Floor(float64(o.ContextTokens) * o.ThresholdPercent / 100)
	return min(o.ListingMaxTokens, int(share))
}

// tokens estimates a text: four characters are one.
func tokens(characters int) int { return (characters + 3) / 4 }
