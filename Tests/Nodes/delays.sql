-- Delays the commits of a database by a random time, so that they end in another order than they began.
--
-- PostgreSQL gives a transaction its number when it first writes, and runs a deferred constraint trigger at its commit.
-- The trigger sleeps once for each transaction that changes the table `delayed`, while the transaction holds its locks.
-- The time is from 0 to `most` seconds, short times more often; it follows from the transaction's number and `seed`.
-- The table `delays.commits` keeps the numbers, so that the run can count the commits that a transaction with a higher
-- number has overtaken.

CREATE SCHEMA delays;
CREATE UNLOGGED TABLE delays.commits (number xid8 PRIMARY KEY);
CREATE TABLE delays.setting AS SELECT :most::float8 AS most, :seed::bigint AS seed;

CREATE FUNCTION delays.pause() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    number bigint := pg_current_xact_id()::text::bigint;
BEGIN
    IF current_setting('delays.last', true) IS DISTINCT FROM number::text THEN
        PERFORM set_config('delays.last', number::text, true);
        INSERT INTO delays.commits VALUES (pg_current_xact_id());
        PERFORM pg_sleep(most * power((hashint8(number # (seed << 32)) & 65535) / 65536.0, 2)) FROM delays.setting;
    END IF;
    RETURN NULL;
END
$$;

CREATE CONSTRAINT TRIGGER delay AFTER INSERT OR UPDATE OR DELETE ON :delayed
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION delays.pause();
