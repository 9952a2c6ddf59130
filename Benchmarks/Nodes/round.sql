-- One round with nothing new, as a node runs it: who the session is, and how far the account's feeds are.
--
-- push.sql describes the variables.

\set person 1 + :client_id + :clients * random(0, :lists / :clients - 1)
\set account 2000000000000000 + :person
\set device 4000000000000000 + :person
\set session 5000000000000000 + :person

BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SELECT session.account, account.kind, session.created, session.used
FROM session LEFT JOIN account ON account.id = session.account WHERE token_hash = :session;
ROLLBACK;

BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    (SELECT value FROM meta WHERE name = 'epoch'),
    (SELECT number FROM revision WHERE name = 'feeds'),
    (SELECT MAX(revision) FROM lost_access WHERE lost_access.account = account.id),
    device.last, (SELECT hash FROM taken WHERE taken.account = device.account
        AND taken.device = device.id AND taken.number = device.last),
    (SELECT hash FROM taken WHERE taken.account = device.account AND taken.device = device.id
        AND taken.number = :first)
FROM account LEFT JOIN device ON device.account = account.id AND device.id = :device
WHERE account.id = :account
UNION ALL SELECT feed.id, feed.kind, feed.sequence, feed.digest, feed.live, feed.written_at, feed.horizon, feed.closed,
    feed.waiting, feed.bytes, feed.revision, feed.horizon_revision, access.revision,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM access CROSS JOIN feed WHERE access.account = :account AND feed.id = access.feed;
ROLLBACK;
