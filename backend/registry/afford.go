package registry

// affordable bounds the work of a validation before it begins: a validator
// follows references wherever they lead, and a schema that refers to itself
// without going into its value would never end, nor could it be stopped.
func affordable(schema, value *tree) bool {
	b := &bill{refs: simplifier{root: schema}, known: map[pair]int{}, visits: maxVisits}
	cost := b.of(schema, value)
	return cost < tooMuch && b.visits > 0
}

const (
	maxVisits = 200_000 // pairs of schema and value looked at
	tooMuch   = 2_000_000
)

type pair struct{ schema, value *tree }

// bill adds up how many schemas a validator applies to how many values. A pair
// it is asked for again while it is still counting it is a circle.
type bill struct {
	refs   simplifier
	known  map[pair]int
	visits int
}

func (b *bill) of(schema, value *tree) int {
	if !schema.isObject() {
		return 1
	}
	at := pair{schema, value}
	if cost, ok := b.known[at]; ok {
		return cost
	}
	if b.visits--; b.visits <= 0 {
		return tooMuch
	}
	b.known[at] = tooMuch
	cost := 1
	add := func(n int) { cost = min(cost+n, tooMuch) }
	b.inPlace(schema, value, add)
	b.inside(schema, value, add)
	b.known[at] = cost
	return cost
}

// inPlace are the schemas applied to the same value.
func (b *bill) inPlace(schema, value *tree, add func(int)) {
	for i, key := range schema.keys {
		sub := schema.items[i]
		switch key {
		case "$ref", "$dynamicRef":
			if target := b.refs.lookup(sub.text); target != nil {
				add(b.of(target, value))
			}
		case "allOf", "anyOf", "oneOf":
			for _, item := range sub.items {
				add(b.of(item, value))
			}
		case "not", "if", "then", "else":
			add(b.of(sub, value))
		case "dependentSchemas", "dependencies":
			for _, item := range sub.items {
				add(b.of(item, value))
			}
		}
	}
}

// inside are the schemas applied to the parts of the value.
func (b *bill) inside(schema, value *tree, add func(int)) {
	for i, key := range schema.keys {
		sub := schema.items[i]
		switch {
		case key == "properties" && value.isObject():
			for j, name := range value.keys {
				if property := sub.get(name); property != nil {
					add(b.of(property, value.items[j]))
				}
			}
		case key == "patternProperties":
			for _, pattern := range sub.items {
				b.each(pattern, value, objectTree, add)
			}
		case key == "additionalProperties" || key == "unevaluatedProperties":
			b.each(sub, value, objectTree, add)
		case key == "prefixItems" || key == "items" && sub.isArray():
			for j, item := range sub.items {
				if value.isArray() && j < len(value.items) {
					add(b.of(item, value.items[j]))
				}
			}
		case key == "items" || key == "additionalItems" || key == "contains" || key == "unevaluatedItems":
			b.each(sub, value, arrayTree, add)
		}
	}
}

func (b *bill) each(schema, value *tree, kind treeKind, add func(int)) {
	if value.kind != kind {
		return
	}
	for _, item := range value.items {
		add(b.of(schema, item))
	}
}
