-- Gives the rows of a copy of a node's database the numbers with which push.sql and round.sql compute them.
--
-- pgbench computes only whole numbers. So an id is a number of 16 digits, as text: as long as a UUID. The first digit
-- says what it is the id of. The people who are alone in a list are the first, and their lists have the same numbers.
-- Then come the people of the list that many are in. The hash of a session's token has 16 bytes instead of 32.

BEGIN;
CREATE TEMPORARY TABLE many AS
    SELECT access.feed FROM access JOIN feed ON feed.id = access.feed AND feed.kind = 'list'
    GROUP BY access.feed HAVING count(*) > 1;
CREATE TEMPORARY TABLE person AS
    SELECT access.account AS id, feed.id AS list, row_number() OVER (ORDER BY many.feed NULLS FIRST, feed.id) AS number
    FROM access JOIN feed ON feed.id = access.feed AND feed.kind = 'list' LEFT JOIN many ON many.feed = feed.id;
CREATE TEMPORARY TABLE list AS
    SELECT list AS id, min(number) AS number FROM person GROUP BY list;
CREATE FUNCTION pg_temp.numbered(kind bigint, number bigint) RETURNS bytea LANGUAGE sql IMMUTABLE AS
    $$ SELECT convert_to((kind * 1000000000000000 + number)::text, 'UTF8') $$;
UPDATE account SET id = pg_temp.numbered(2, person.number) FROM person WHERE account.id = person.id;
UPDATE session SET account = pg_temp.numbered(2, person.number), token_hash = pg_temp.numbered(5, person.number)
    FROM person WHERE session.account = person.id;
UPDATE device SET account = pg_temp.numbered(2, person.number), id = pg_temp.numbered(4, person.number)
    FROM person WHERE device.account = person.id;
UPDATE taken SET account = pg_temp.numbered(2, person.number), device = pg_temp.numbered(4, person.number)
    FROM person WHERE taken.account = person.id;
UPDATE storage SET account = pg_temp.numbered(2, person.number) FROM person WHERE storage.account = person.id;
UPDATE access SET account = pg_temp.numbered(2, person.number) FROM person WHERE access.account = person.id;
-- A person and a list have a feed with the same id.
CREATE TEMPORARY TABLE place AS
    SELECT id, pg_temp.numbered(2, number) AS number FROM person
    UNION ALL SELECT id, pg_temp.numbered(3, number) FROM list;
UPDATE access SET feed = place.number FROM place WHERE access.feed = place.id;
UPDATE record SET feed = place.number FROM place WHERE record.feed = place.id;
UPDATE feed SET id = place.number FROM place WHERE feed.id = place.id;
COMMIT;
VACUUM (FULL, ANALYZE);
