-- The tables of the comparison of designs, and a follower of each.

CREATE SCHEMA designs;
CREATE TABLE designs.record (
    feed bigint NOT NULL, sequence bigint NOT NULL, number xid8 NOT NULL DEFAULT pg_current_xact_id(),
    content text NOT NULL);
CREATE INDEX ON designs.record (sequence);
CREATE INDEX ON designs.record (number, sequence);
CREATE INDEX ON designs.record (feed, sequence);
CREATE SEQUENCE designs.counter;
CREATE TABLE designs.feed (id bigint PRIMARY KEY, sequence bigint NOT NULL);
CREATE TABLE designs.place (feed bigint PRIMARY KEY, sequence bigint NOT NULL);
CREATE TABLE designs.outcome (rows_read bigint NOT NULL, is_ended boolean NOT NULL);

CREATE FUNCTION designs.empty(feeds bigint) RETURNS void LANGUAGE sql AS $$
    TRUNCATE designs.record, designs.feed, designs.place, designs.outcome;
    INSERT INTO designs.feed SELECT id, 0 FROM generate_series(1, feeds) AS id;
    INSERT INTO designs.place SELECT id, 0 FROM designs.feed;
    INSERT INTO designs.outcome VALUES (0, false);
$$;

-- Each step reads what is after the cursor, in a snapshot of its own, and counts the rows. No step reads a row again.
CREATE PROCEDURE designs.follow(design text) LANGUAGE plpgsql AS $$
DECLARE
    cursor_number xid8 := '0';
    cursor_sequence bigint := 0;
    found bigint;
    total bigint := 0;
    was_ended boolean;
BEGIN
    LOOP
        -- The last step begins after all transactions have ended, so it can read everything.
        SELECT is_ended AND pg_snapshot_xmin(pg_current_snapshot()) = pg_snapshot_xmax(pg_current_snapshot())
        INTO was_ended FROM designs.outcome;
        COMMIT;
        IF design = 'sequence' THEN
            SELECT count(*), coalesce(max(sequence), cursor_sequence) INTO found, cursor_sequence
            FROM designs.record WHERE sequence > cursor_sequence;
        ELSIF design = 'gate' THEN
            SELECT count(*), coalesce(max(sequence), cursor_sequence) INTO found, cursor_sequence
            FROM designs.record
            WHERE sequence > cursor_sequence AND number < pg_snapshot_xmin(pg_current_snapshot());
        ELSIF design = 'number' THEN
            WITH news AS (
                SELECT number, sequence FROM designs.record
                WHERE (number, sequence) > (cursor_number, cursor_sequence)
                    AND number < pg_snapshot_xmin(pg_current_snapshot())),
            last AS (SELECT number, sequence FROM news ORDER BY number DESC, sequence DESC LIMIT 1)
            SELECT (SELECT count(*) FROM news), coalesce((SELECT number FROM last), cursor_number),
                coalesce((SELECT sequence FROM last), cursor_sequence)
            INTO found, cursor_number, cursor_sequence;
        ELSE
            WITH news AS (
                SELECT place.feed, max(record.sequence) AS sequence, count(*) AS number
                FROM designs.place
                JOIN designs.feed ON feed.id = place.feed AND feed.sequence > place.sequence
                JOIN designs.record ON record.feed = place.feed AND record.sequence > place.sequence
                GROUP BY place.feed),
            moved AS (UPDATE designs.place SET sequence = news.sequence FROM news WHERE place.feed = news.feed)
            SELECT coalesce(sum(number), 0) INTO found FROM news;
        END IF;
        total := total + found;
        COMMIT;
        EXIT WHEN was_ended;
        PERFORM pg_sleep(0.001);
    END LOOP;
    UPDATE designs.outcome SET rows_read = total;
    COMMIT;
END
$$;
