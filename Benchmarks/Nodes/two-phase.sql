-- The tables that a push of one item's edit reads and writes, with whole numbers as ids. `one_device` and `one_taken`
-- are the tables `device` and `taken` if they belong to the shard of the list.
CREATE TABLE account (id BIGINT PRIMARY KEY, kind TEXT NOT NULL);
CREATE TABLE device (
    account BIGINT NOT NULL, id BIGINT NOT NULL, last BIGINT NOT NULL, taken_at BIGINT, taken_day BIGINT,
    PRIMARY KEY (account, id)
);
CREATE TABLE taken (
    account BIGINT NOT NULL, device BIGINT NOT NULL, number BIGINT NOT NULL, hash TEXT NOT NULL, result TEXT NOT NULL,
    code TEXT, detail TEXT, PRIMARY KEY (account, device, number)
);
CREATE TABLE feed (
    id BIGINT PRIMARY KEY, kind TEXT NOT NULL, sequence BIGINT NOT NULL, digest BIGINT NOT NULL, live BIGINT NOT NULL,
    written_at BIGINT NOT NULL, horizon BIGINT NOT NULL, closed BIGINT NOT NULL, waiting BIGINT NOT NULL,
    bytes BIGINT NOT NULL
);
CREATE TABLE record (
    feed BIGINT NOT NULL, id BIGINT NOT NULL, collection TEXT NOT NULL, sequence BIGINT NOT NULL,
    modified BIGINT NOT NULL, fields TEXT NOT NULL, stamps TEXT NOT NULL, PRIMARY KEY (feed, id)
);
CREATE INDEX record_sequence ON record (feed, sequence);
CREATE TABLE tombstone (
    feed BIGINT NOT NULL, id BIGINT NOT NULL, collection TEXT NOT NULL, sequence BIGINT NOT NULL,
    modified BIGINT NOT NULL, PRIMARY KEY (feed, id)
);
CREATE TABLE access (account BIGINT NOT NULL, feed BIGINT NOT NULL, role TEXT NOT NULL, PRIMARY KEY (account, feed));
CREATE INDEX access_feed ON access (feed);
CREATE TABLE one_device (
    feed BIGINT NOT NULL, account BIGINT NOT NULL, id BIGINT NOT NULL, last BIGINT NOT NULL, taken_at BIGINT,
    taken_day BIGINT, PRIMARY KEY (feed, account, id)
);
CREATE TABLE one_taken (
    feed BIGINT NOT NULL, account BIGINT NOT NULL, device BIGINT NOT NULL, number BIGINT NOT NULL, hash TEXT NOT NULL,
    result TEXT NOT NULL, code TEXT, detail TEXT, PRIMARY KEY (feed, account, device, number)
);

-- The part of a push in the shard of the account, as one statement. It locks and numbers, and stores the outcome.
CREATE FUNCTION take(of_account BIGINT, at_time BIGINT) RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
    known BIGINT;
BEGIN
    SELECT last INTO known FROM device WHERE account = of_account AND id = of_account FOR UPDATE;
    PERFORM number FROM account LEFT JOIN taken ON taken.account = account.id AND taken.device = of_account
        AND taken.number >= known WHERE account.id = of_account;
    INSERT INTO taken (account, device, number, hash, result)
    VALUES (of_account, of_account, known + 1, 'TKItHp1nSzc_SojYdUGmXQ', 'applied');
    UPDATE device SET last = known + 1, taken_at = at_time WHERE account = of_account AND id = of_account;
    RETURN known + 1;
END $$;

-- The part in the shard of the list, as one statement.
CREATE FUNCTION edit(of_feed BIGINT, by_account BIGINT, of_item BIGINT, at_time BIGINT) RETURNS BIGINT
LANGUAGE plpgsql AS $$
DECLARE
    following BIGINT;
BEGIN
    PERFORM id FROM feed WHERE id = of_feed FOR UPDATE;
    SELECT sequence + 1 INTO following
    FROM feed LEFT JOIN access AS mine ON mine.account = by_account AND mine.feed = feed.id
        LEFT JOIN access AS owner ON owner.feed = feed.id AND owner.role = 'owner'
    WHERE feed.id = of_feed;
    PERFORM record.fields, tombstone.sequence
    FROM feed LEFT JOIN record ON record.feed = feed.id AND record.id = of_item
        LEFT JOIN tombstone ON tombstone.feed = feed.id AND tombstone.id = of_item
    WHERE feed.id = of_feed;
    UPDATE feed SET sequence = following, digest = following * 7919, written_at = at_time WHERE id = of_feed;
    INSERT INTO record (feed, id, collection, sequence, modified, fields, stamps)
    VALUES (
        of_feed, of_item, 'item', following, at_time, '{"position":"a0","title":"Oat milk"}',
        '{"":[1795755328133,3,1]}'
    )
    ON CONFLICT (feed, id) DO UPDATE SET sequence = excluded.sequence, modified = excluded.modified,
        fields = excluded.fields, stamps = excluded.stamps;
    RETURN following;
END $$;

-- The whole push, as one statement in the shard of the list. The row of the device is locked by what creates it.
CREATE FUNCTION push(of_feed BIGINT, by_account BIGINT, of_item BIGINT, at_time BIGINT) RETURNS BIGINT
LANGUAGE plpgsql AS $$
DECLARE
    known BIGINT;
    following BIGINT;
BEGIN
    INSERT INTO one_device AS known_device (feed, account, id, last, taken_at)
    VALUES (of_feed, by_account, by_account, 1, at_time)
    ON CONFLICT (feed, account, id) DO UPDATE SET last = known_device.last + 1, taken_at = excluded.taken_at
    RETURNING last INTO known;
    PERFORM number FROM one_taken
    WHERE feed = of_feed AND account = by_account AND device = by_account AND number >= known - 1;
    PERFORM id FROM feed WHERE id = of_feed FOR UPDATE;
    SELECT sequence + 1 INTO following
    FROM feed LEFT JOIN access AS mine ON mine.account = by_account AND mine.feed = feed.id
        LEFT JOIN access AS owner ON owner.feed = feed.id AND owner.role = 'owner'
    WHERE feed.id = of_feed;
    PERFORM record.fields, tombstone.sequence
    FROM feed LEFT JOIN record ON record.feed = feed.id AND record.id = of_item
        LEFT JOIN tombstone ON tombstone.feed = feed.id AND tombstone.id = of_item
    WHERE feed.id = of_feed;
    UPDATE feed SET sequence = following, digest = following * 7919, written_at = at_time WHERE id = of_feed;
    INSERT INTO record (feed, id, collection, sequence, modified, fields, stamps)
    VALUES (
        of_feed, of_item, 'item', following, at_time, '{"position":"a0","title":"Oat milk"}',
        '{"":[1795755328133,3,1]}'
    )
    ON CONFLICT (feed, id) DO UPDATE SET sequence = excluded.sequence, modified = excluded.modified,
        fields = excluded.fields, stamps = excluded.stamps;
    INSERT INTO one_taken (feed, account, device, number, hash, result)
    VALUES (of_feed, by_account, by_account, known, 'TKItHp1nSzc_SojYdUGmXQ', 'applied');
    RETURN known;
END $$;
