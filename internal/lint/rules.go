package lint

// Rules lists every rule, in the order in which a manifest is written.
var Rules = []*Rule{
	// What an event is.
	eventName, eventDuplicate, ownerMissing, producerMissing, summaryMissing,
	topicMissing, topicName, schemaUndeclared, schemaUnused, versionMismatch, encodingMismatch,

	// What identifies it.
	identityIncomplete, identityFieldUnknown, identityFieldOptional, identityFieldList,
	eventIDType, aggregateVersionType, occurredAtType, keyType,
	idempotencyKeyClock, idempotencyKeyEventID,
	partitionKeyAggregate, partitionKeyMixed, headerName,
	piiUnknown, piiInKey, renamedUnknown,
	exampleRefused, exampleAccepted, exampleMissing,
	deprecatedUndated, sunsetPassed,

	// Who reads it, and how.
	consumerName, consumerDuplicate, readingDuplicate, readsNothing, upcastTarget, audienceUnread,
	eventUnknown, fieldUnknown, rejectOpen, eventRetired, eventDeprecated,
	orderEffects, orderTopics, quarantineDeadline, retryUnbounded, retryTooLong, rememberTooShort,

	// What its schema says, in JSON Schema, in both formats, in Protobuf.
	refDangling, refRemote, refCycle, recursionEndless, idDuplicate, schemaInvalid, keyDuplicate,
	draftMissing, draftUnknown, keywordDraft, enumEmpty,
	unsatisfiable, objectClosed, requiredUndeclared, formatUnknown, patternDialect,
	integerUnsafe, numberMoney, countHuge,
	enumUnspecified, enumAlias, fieldRequired, anyUndeclared, importUnstable, importUnused,

	// What the workspace says of findings.
	waiverIncomplete, waiverExpired, lintSettingUnknown,
}
