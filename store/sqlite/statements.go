package sqlite

// statements are prepared once, when a store is opened: those that run once an
// event or once a batch.
var statements = []string{
	insertEvent, selectBody, insertLog, insertOutbox, insertEffect,
	holdLease, noteSent, deleteSent, dropHold, setHold,
	isPaused, isFull, setInflight, addAttempt, anyAttempt, attemptOf,
	horizonOf, insertSeen, outcomeOf, setOutcome, anyBlock, blockOf, markOf,
	newMark, setMark, setBlock, takeBlock, wakeBlock, dropBlock, park, resolveCase, unpark,
	setAttempt, dropAttempt, dropSuspect, firstAttempt, setCase, memberCounts, setMember, setNewest,
	holdCall, answerCall, insertTopic, claimCursor, moveCursor, renewCursors,
}
