// Package suggest finds the known word that a mistyped one was probably meant
// to be.
package suggest

import (
	"slices"
	"strings"

	"github.com/xrash/smetrics"
)

// Nearest returns the element of known that is closest to word, or "" when
// none is close: at most a third of the word's length, rounded up, may differ.
// Case counts for nothing, so "ru" is at distance zero from "RU". Of several
// words at the same distance the first wins.
func Nearest(word string, known []string) string {
	const maxLen = 64 // nothing known is longer, and the distance costs len*len
	if word == "" || len(word) > maxLen {
		return ""
	}
	lower := strings.ToLower(word)
	best, bestDistance := "", (len(word)+2)/3+1
	for _, k := range known {
		d := smetrics.WagnerFischer(lower, strings.ToLower(k), 1, 1, 1)
		if d == 2 && sameLetters(lower, strings.ToLower(k)) {
			d = 1 // two letters that changed places are one slip
		}
		// A word that shares nothing with what was typed is no suggestion,
		// however short both are.
		if d < bestDistance && d < len(k) {
			best, bestDistance = k, d
		}
	}
	return best
}

// sameLetters tells whether both words have the same bytes in some order.
func sameLetters(a, b string) bool {
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// DidYouMean returns `; did you mean "x"?` for the nearest known word, or ""
// when none is close. It is meant to be appended to an error message.
func DidYouMean(word string, known []string) string {
	if n := Nearest(word, known); n != "" {
		return `; did you mean "` + n + `"?`
	}
	return ""
}
