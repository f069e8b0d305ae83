// Package view is what people are shown: plain structs and closed enumerations
// that the commands print as JSON, and that the page receives.
//
// The JSON names are a contract (docs/json). A list is never null: constructors
// and the code that fills a view use empty slices.
package view
