package source

import "strings"

// longWord is how long a word may be that somebody could have mistyped.
const longWord = 64

// Suggest gives the candidate that a mistyped word is nearest to, "" where none
// is near. Letters left out, added, changed or exchanged count one each; case,
// and - for _, count nothing. Of several equally near the first is given.
func Suggest(word string, candidates []string) string {
	best, bestAt := "", slips(word)+1
	for _, c := range candidates {
		if len(word) > longWord || len(c) > longWord {
			continue
		}
		if d := distance(folded(word), folded(c)); d < bestAt {
			best, bestAt = c, d
		}
	}
	return best
}

// slips is how many slips a word of this length is forgiven.
func slips(word string) int {
	switch n := len([]rune(word)); {
	case n <= 2:
		return 0
	case n <= 4:
		return 1
	case n <= 8:
		return 2
	default:
		return 3
	}
}

func folded(word string) []rune {
	return []rune(strings.ReplaceAll(strings.ToLower(word), "-", "_"))
}

// distance is the optimal string alignment distance of two words.
func distance(a, b []rune) int {
	var before []int
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
