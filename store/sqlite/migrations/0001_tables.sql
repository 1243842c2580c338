-- Times are microseconds since 1970. Seq orders events of one lane: an event is
-- inserted while its transaction holds the write lock.

-- what was published: remembered longer than its payload, so that a key is not
-- published twice and a version is not claimed twice. One row holds it all,
-- because every row and every index more makes a producer wait. Sequences are
-- not drawn twice: the newest row is never dropped.
CREATE TABLE evc_event (
  seq           INTEGER PRIMARY KEY,
  id            BLOB NOT NULL,             -- unique: see evc_id
  key           BLOB NOT NULL,
  event         TEXT NOT NULL,             -- OrderPaid.v1
  revision      TEXT NOT NULL,
  topic         TEXT NOT NULL,
  lane_type     TEXT NOT NULL,
  lane_id       TEXT NOT NULL,
  version       INTEGER NOT NULL,
  claim         TEXT,                      -- the event's name in the first one of that name that has this version of its lane, else NULL
  body          BLOB NOT NULL,
  shard         INTEGER NOT NULL,
  appended_at   INTEGER NOT NULL,
  source        TEXT NOT NULL,
  partition_key TEXT NOT NULL,
  time          INTEGER NOT NULL,
  content_type  TEXT NOT NULL,
  headers       TEXT NOT NULL,             -- a JSON object, or empty
  payload       BLOB                       -- kept for audit and replay, then NULL
) STRICT;
-- Every event is in it, so that the version before one is found; only one may
-- claim a version.
CREATE UNIQUE INDEX evc_event_version ON evc_event (lane_type, lane_id, version, claim);
-- Where an event is, by its id. Ids are random, and each that goes into a table
-- by id changes a page of its own: so the ids of a transaction go into one row of
-- evc_recent_id, and move to evc_id later, in their order, several to a page.
CREATE TABLE evc_id (id BLOB PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE evc_recent_id (first INTEGER PRIMARY KEY, ids BLOB NOT NULL) STRICT; -- of the events from this one on, in their order
CREATE TABLE evc_sweep (
  seq    INTEGER NOT NULL,                 -- the payloads up to this one are dropped
  moving INTEGER NOT NULL,                 -- rows of evc_recent_id up to this one are being moved, 0 for none
  moved  BLOB NOT NULL                     -- the last id of them that is
) STRICT;
INSERT INTO evc_sweep VALUES (0, 0, x'');
CREATE VIEW evc_log AS SELECT seq, id, source, partition_key, time, content_type, headers, payload FROM evc_event WHERE payload IS NOT NULL;

-- what waits to be sent: rows leave when they are
CREATE TABLE evc_outbox (seq INTEGER PRIMARY KEY, shard INTEGER NOT NULL) STRICT;

-- when they were: one row a batch, so that marking costs next to nothing
CREATE TABLE evc_sent (id INTEGER PRIMARY KEY, owner TEXT NOT NULL, published_at INTEGER NOT NULL, seqs TEXT NOT NULL) STRICT; -- a JSON list

-- lanes whose head the broker refused
CREATE TABLE evc_hold (
  topic TEXT NOT NULL, lane_type TEXT NOT NULL, lane_id TEXT NOT NULL,
  attempts INTEGER NOT NULL, until INTEGER NOT NULL, error TEXT NOT NULL,
  PRIMARY KEY (topic, lane_type, lane_id)
) STRICT, WITHOUT ROWID;

-- who relays: the row of a relay is its lease, and taking it away fences it
CREATE TABLE evc_relay (owner TEXT PRIMARY KEY, until INTEGER NOT NULL, since INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE evc_shard (shard INTEGER PRIMARY KEY, owner TEXT, epoch INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO evc_shard (shard) WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 63) SELECT i FROM n;

CREATE TABLE evc_consumer (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, revision TEXT NOT NULL, build TEXT NOT NULL,
  joined_at INTEGER NOT NULL, paused INTEGER NOT NULL DEFAULT 0, paused_by TEXT NOT NULL DEFAULT '', paused_at INTEGER,
  newest  INTEGER NOT NULL DEFAULT 0,      -- the newest bucket it has seen
  horizon INTEGER NOT NULL DEFAULT 0,      -- keys of older buckets were forgotten
  moving  INTEGER NOT NULL DEFAULT 0,      -- rows of evc_recent up to this id move to evc_key; 0: none
  moved   BLOB NOT NULL DEFAULT x''        -- the last key of them that has moved
) STRICT;

-- one row a worker: what it has in flight, and what it has done
CREATE TABLE evc_member (
  consumer INTEGER NOT NULL, instance TEXT NOT NULL, revision TEXT NOT NULL, build TEXT NOT NULL, host TEXT NOT NULL,
  joined_at INTEGER NOT NULL, seen_at INTEGER NOT NULL,
  inflight BLOB, adopted INTEGER NOT NULL DEFAULT 0,
  handled INTEGER NOT NULL DEFAULT 0, duplicates INTEGER NOT NULL DEFAULT 0, stale INTEGER NOT NULL DEFAULT 0,
  parked INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0, quarantined INTEGER NOT NULL DEFAULT 0,
  slow TEXT NOT NULL DEFAULT '[]',
  PRIMARY KEY (consumer, instance)
) STRICT, WITHOUT ROWID;

-- dedupe: a key is known when either table has it. Those that came last are in
-- rows of one batch and bucket, sixteen bytes each, all of them done. They move
-- on to a row each, in about the order of arrival so that the oldest buckets lie
-- together; the row of a key that has another outcome is there from the start
CREATE TABLE evc_recent (
  id INTEGER PRIMARY KEY AUTOINCREMENT, consumer INTEGER NOT NULL, bucket INTEGER NOT NULL, keys BLOB NOT NULL
) STRICT;
CREATE INDEX evc_recent_consumer ON evc_recent (consumer);
CREATE TABLE evc_key (
  id INTEGER PRIMARY KEY AUTOINCREMENT, consumer INTEGER NOT NULL, key BLOB NOT NULL, bucket INTEGER NOT NULL, outcome TEXT NOT NULL,
  UNIQUE (key, consumer)                   -- what differs most comes first: SQLite compares the columns one by one
) STRICT;

-- for whoever looks: every key
CREATE VIEW evc_seen (consumer, key, bucket, outcome) AS
  WITH RECURSIVE cut (consumer, bucket, keys, at) AS (
    SELECT consumer, bucket, keys, 1 FROM evc_recent
    UNION ALL SELECT consumer, bucket, keys, at + 16 FROM cut WHERE at + 16 < length(keys))
  SELECT consumer, key, bucket, outcome FROM evc_key
  UNION ALL SELECT consumer, substr(keys, at, 16), bucket, 'done' FROM cut
    WHERE NOT EXISTS (SELECT 1 FROM evc_key k WHERE k.consumer = cut.consumer AND k.key = substr(cut.keys, cut.at, 16));

-- the newest version of a lane, or of what a topic has of it
CREATE TABLE evc_mark (
  consumer INTEGER NOT NULL, lane_type TEXT NOT NULL, lane_id TEXT NOT NULL, topic TEXT NOT NULL,
  version INTEGER NOT NULL, event TEXT NOT NULL, key BLOB NOT NULL,
  PRIMARY KEY (lane_id, lane_type, topic, consumer)
) STRICT, WITHOUT ROWID;

-- events that failed, or that were in flight when a process ended
CREATE TABLE evc_attempt (
  consumer INTEGER NOT NULL, key BLOB NOT NULL, count INTEGER NOT NULL,
  open INTEGER NOT NULL,                   -- the last attempt has not come to an end
  first_at INTEGER NOT NULL, last_at INTEGER NOT NULL, error TEXT NOT NULL, build TEXT NOT NULL,
  PRIMARY KEY (consumer, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE evc_block (
  consumer INTEGER NOT NULL, lane_type TEXT NOT NULL, lane_id TEXT NOT NULL,
  why TEXT NOT NULL, since INTEGER NOT NULL, wake_at INTEGER, -- no time: until a person decides
  held_by TEXT,                            -- the member that drains it
  PRIMARY KEY (consumer, lane_type, lane_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX evc_block_wake ON evc_block (consumer, wake_at) WHERE wake_at IS NOT NULL;

CREATE TABLE evc_parked (
  arrival INTEGER PRIMARY KEY AUTOINCREMENT, consumer INTEGER NOT NULL, lane_type TEXT NOT NULL, lane_id TEXT NOT NULL,
  key BLOB NOT NULL, version INTEGER NOT NULL, envelope TEXT NOT NULL, parked_at INTEGER NOT NULL,
  case_id INTEGER,                         -- the quarantined event that is handled again
  payload BLOB NOT NULL,                   -- last: to get at what stands behind it SQLite goes through all its pages
  UNIQUE (consumer, key),
  FOREIGN KEY (consumer, lane_type, lane_id) REFERENCES evc_block (consumer, lane_type, lane_id)
) STRICT;
CREATE INDEX evc_parked_lane ON evc_parked (consumer, lane_type, lane_id, (case_id IS NULL), arrival); -- in the order in which a lane is drained
CREATE INDEX evc_parked_version ON evc_parked (consumer, lane_type, lane_id, version, (case_id IS NULL), arrival); -- and where every step is needed

CREATE TABLE evc_quarantine (
  id INTEGER PRIMARY KEY AUTOINCREMENT, consumer INTEGER NOT NULL, key BLOB NOT NULL,
  lane_type TEXT NOT NULL, lane_id TEXT NOT NULL, version INTEGER NOT NULL, event TEXT NOT NULL,
  holds INTEGER NOT NULL,                  -- its lane waits for it
  topic TEXT NOT NULL,                     -- whose mark passes it when it is discarded
  envelope TEXT NOT NULL, payload_sha256 BLOB NOT NULL,
  reason TEXT NOT NULL, errors TEXT NOT NULL, attempts INTEGER NOT NULL, first_at INTEGER NOT NULL, last_at INTEGER NOT NULL,
  build TEXT NOT NULL, host TEXT NOT NULL, owner TEXT NOT NULL, due_at INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'replaying', 'resolved', 'discarded')),
  resolved_by TEXT NOT NULL DEFAULT '', resolution TEXT NOT NULL DEFAULT '', resolved_at INTEGER,
  payload BLOB NOT NULL,
  CHECK (state IN ('open', 'replaying') OR (resolved_by <> '' AND resolution <> '')),
  UNIQUE (consumer, key)
) STRICT;
CREATE INDEX evc_quarantine_open ON evc_quarantine (due_at) WHERE state IN ('open', 'replaying');
CREATE INDEX evc_quarantine_lane ON evc_quarantine (consumer, lane_type, lane_id, version) WHERE holds AND state = 'open';

CREATE TABLE evc_effect (
  key BLOB PRIMARY KEY, name TEXT NOT NULL, consumer TEXT NOT NULL, event_key BLOB NOT NULL, request BLOB NOT NULL,
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'sent', 'confirmed', 'failed', 'unknown')),
  attempts INTEGER NOT NULL DEFAULT 0, held_by TEXT, next_at INTEGER, -- no time: settled, or until a person looks
  reference TEXT NOT NULL DEFAULT '', error TEXT NOT NULL DEFAULT '', created_at INTEGER NOT NULL, settled_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX evc_effect_due ON evc_effect (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX evc_effect_settled ON evc_effect (settled_at) WHERE settled_at IS NOT NULL;

CREATE TABLE evc_replay (
  id INTEGER PRIMARY KEY AUTOINCREMENT, consumer INTEGER NOT NULL, cases TEXT NOT NULL, requested_by TEXT NOT NULL CHECK (requested_by <> ''),
  reason TEXT NOT NULL CHECK (reason <> ''), apply INTEGER, plan TEXT NOT NULL, state TEXT NOT NULL, results TEXT NOT NULL DEFAULT '[]',
  requested_at INTEGER NOT NULL, held_by TEXT, held_until INTEGER NOT NULL DEFAULT 0, finished_at INTEGER
) STRICT;
CREATE TABLE evc_rehearsal (               -- what a dry run did with each case, as far as it has come
  replay INTEGER NOT NULL, case_id INTEGER NOT NULL, outcome TEXT NOT NULL, error TEXT NOT NULL,
  PRIMARY KEY (replay, case_id)
) STRICT, WITHOUT ROWID;

-- the store as a broker: topics that consumers read, and where each group is
CREATE TABLE evc_topic (
  pos INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, envelope TEXT NOT NULL, published_at INTEGER NOT NULL, payload BLOB NOT NULL
) STRICT;
CREATE INDEX evc_topic_read ON evc_topic (topic, pos);
CREATE TABLE evc_cursor (
  grp TEXT NOT NULL, topic TEXT NOT NULL, pos INTEGER NOT NULL, owner TEXT, until INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (grp, topic)
) STRICT, WITHOUT ROWID;
