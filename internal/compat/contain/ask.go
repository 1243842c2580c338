package contain

// Ask decides a question.
func Ask(q Question) Answer {
	return Answer{Reason: Reason{Keyword: "$schema"}}
}
