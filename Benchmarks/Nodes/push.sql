-- One push of one new item, as a node runs it: who the session is, the push itself, and the answer.
--
-- pgbench sends each statement and waits for its result, and uses the results of the earlier statements where a node
-- does. `./bench nodes` compares the texts with those that a node runs in the same run, and stops if they differ. It
-- does not compare where transactions begin and end. A node also sends notices to the others, which the pushes of some
-- milliseconds share; they are not here. Nor is what few pushes do: the first of a device on a day stores the day, one
-- in a hundred deletes old outcomes, and one that fills another 64 KiB of a list updates the storage of its owner.
--
-- Each client has its own people and lists, unless all push to one list. Variables of the caller: `lists` (how many),
-- `clients`, `hot` (1 if all clients push to one list), `n` (the first number of this run), and the texts and times of
-- an item. numbers.sql has given the rows their numbers.

\set n :n + 1
\set own :client_id + :clients * random(0, :lists / :clients - 1)
\set person 1 + CASE WHEN :hot = 1 THEN :lists + :client_id ELSE :own END
\set account 2000000000000000 + :person
\set list 3000000000000000 + CASE WHEN :hot = 1 THEN :lists + 1 ELSE :person END
\set device 4000000000000000 + :person
\set session 5000000000000000 + :person
\set record 6000000000000000 + :client_id * 1000000000000 + :n
\set revision 1000000000 + :n * :clients + :client_id

BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SELECT session.account, account.kind, session.created, session.used
FROM session LEFT JOIN account ON account.id = session.account WHERE token_hash = :session;
ROLLBACK;

BEGIN ISOLATION LEVEL READ COMMITTED;
SELECT 1 FROM device WHERE account = :account AND id = :device FOR UPDATE OF device;
-- The number is higher than any that was taken. A node has the last one that the device knows, and also reads its row.
SELECT device.last, taken.number, taken.hash, taken.result, taken.code, taken.detail, device.taken_day
FROM account LEFT JOIN device ON device.account = account.id AND device.id = :device
    LEFT JOIN taken ON taken.account = device.account AND taken.device = device.id
        AND taken.number >= :most
WHERE account.id = :account
\gset device_
SELECT 1 FROM feed WHERE id = :list FOR UPDATE OF feed;
-- A record can have a feed of its own, so its id is looked for too. A node sends an array, which pgbench cannot.
WITH wanted(id) AS (SELECT * FROM unnest((SELECT ARRAY[:list::bytea, :record::bytea]))
    LIMIT (SELECT CAST(NULL AS BIGINT)))
SELECT feed.id, feed.kind, feed.sequence, feed.digest, feed.live, feed.written_at, feed.horizon, feed.closed,
    feed.waiting, feed.bytes, feed.revision, feed.horizon_revision, mine.role, owner.account, storage.blocks
FROM wanted CROSS JOIN feed
    LEFT JOIN access AS mine ON mine.account = :account AND mine.feed = feed.id
    LEFT JOIN access AS owner ON owner.feed = feed.id AND owner.role = 'owner'
    LEFT JOIN storage ON storage.account = owner.account
WHERE feed.id = wanted.id
\gset feed_
WITH wanted(feed, id) AS (VALUES (:list::bytea, :record::bytea))
SELECT wanted.feed, wanted.id, COALESCE(record.collection, tombstone.collection),
    COALESCE(record.sequence, tombstone.sequence), COALESCE(record.modified, tombstone.modified), record.fields,
    record.stamps
FROM wanted LEFT JOIN record ON record.feed = wanted.feed AND record.id = wanted.id
    LEFT JOIN tombstone ON tombstone.feed = wanted.feed
        AND tombstone.id = CASE WHEN record.feed IS NULL THEN wanted.id END
WHERE COALESCE(record.feed, tombstone.feed) IS NOT NULL;
SELECT number + CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT) FROM revision WHERE name = 'feeds';
\set sequence :feed_sequence + 1
\set live :feed_live + 1
\set bytes :feed_bytes + 140
\set deleted 0
INSERT INTO feed (id, kind, sequence, digest, live, written_at, horizon, closed, waiting, bytes, revision,
    horizon_revision)
VALUES (:list, :feed_kind, :sequence, :feed_digest, :live, :now, :feed_horizon, :feed_closed, :feed_waiting, :bytes,
    :revision, :feed_horizon_revision)
ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, sequence = excluded.sequence, digest = excluded.digest,
    live = excluded.live, written_at = excluded.written_at, horizon = excluded.horizon, closed = excluded.closed,
    waiting = excluded.waiting, bytes = excluded.bytes, revision = excluded.revision,
    horizon_revision = excluded.horizon_revision;
INSERT INTO record (feed, id, collection, sequence, modified, revision, fields, stamps, deleted)
VALUES (:list, :record, :collection, :sequence, :now, :revision, :fields, :stamps, :deleted)
ON CONFLICT (feed, id) DO UPDATE SET collection = excluded.collection, sequence = excluded.sequence,
    modified = excluded.modified, revision = excluded.revision, fields = excluded.fields, stamps = excluded.stamps,
    deleted = excluded.deleted;
\set number :device_last + 1
INSERT INTO taken (account, device, number, hash, result, code, detail)
VALUES (:account, :device, :number, :hash, :applied, :device_code, :device_detail);
UPDATE device SET last = :number, taken_at = :now WHERE account = :account AND id = :device;
COMMIT;

-- The device of a hot list has not read what the others have pushed since its last push.
\set known CASE WHEN :hot = 1 AND :known > 0 THEN :known ELSE :feed_sequence END
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    (SELECT value FROM meta WHERE name = 'epoch'),
    (SELECT number FROM revision WHERE name = 'feeds'),
    (SELECT MAX(revision) FROM lost_access WHERE lost_access.account = account.id),
    NULL, NULL, NULL
FROM account
WHERE account.id = :account
UNION ALL SELECT feed.id, feed.kind, feed.sequence, feed.digest, feed.live, feed.written_at, feed.horizon, feed.closed,
    feed.waiting, feed.bytes, feed.revision, feed.horizon_revision, access.revision,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM access CROSS JOIN feed WHERE access.account = :account AND feed.id = access.feed;
WITH wanted(feed, id) AS (VALUES (:list::bytea, :record::bytea))
SELECT wanted.feed, wanted.id, COALESCE(record.collection, tombstone.collection),
    COALESCE(record.sequence, tombstone.sequence), COALESCE(record.modified, tombstone.modified), record.fields
FROM wanted CROSS JOIN access LEFT JOIN record ON record.feed = access.feed AND record.id = wanted.id
    LEFT JOIN tombstone ON tombstone.feed = access.feed
        AND tombstone.id = CASE WHEN record.feed IS NULL THEN wanted.id END
WHERE access.account = :account AND access.feed = wanted.feed;
-- What others have pushed to the list. If they have not, a node leaves this out, because it has read its own record.
\if :hot
SELECT record.feed, record.id, record.collection, record.sequence, record.modified, record.fields FROM record
WHERE record.feed = :list AND record.sequence > :known
UNION ALL SELECT tombstone.feed, tombstone.id, tombstone.collection, tombstone.sequence, tombstone.modified, NULL
FROM tombstone
WHERE tombstone.feed = :list AND tombstone.sequence > :known ORDER BY sequence LIMIT :page;
\endif
ROLLBACK;
\set known :sequence
