CREATE OR REPLACE PROCEDURE tenure_fence_check(IN wanted VARCHAR(100) CHARACTER SET ascii)
MODIFIES SQL DATA SQL SECURITY DEFINER COMMENT '${mark}'
BEGIN
    -- Lets a row pass if its transaction shows a term that is not older than the fence of this resource.
    DECLARE shown VARCHAR(1000) CHARACTER SET ascii DEFAULT COALESCE(@tenure_fence, '');
    DECLARE own_election VARCHAR(600) CHARACTER SET ascii DEFAULT SUBSTRING_INDEX(SUBSTRING_INDEX(shown, '|', 2), '|', -1);
    DECLARE own_token BIGINT DEFAULT IF(shown = '', 0, CAST(SUBSTRING_INDEX(SUBSTRING_INDEX(shown, '|', 3), '|', -1) AS INT));
    DECLARE own_nonce VARCHAR(32) CHARACTER SET ascii DEFAULT SUBSTRING_INDEX(SUBSTRING_INDEX(shown, '|', 4), '|', -1);
    DECLARE own_count BIGINT DEFAULT IF(shown = '', -1, CAST(SUBSTRING_INDEX(shown, '|', -1) AS INT));
    DECLARE now_count BIGINT DEFAULT ${count};
    DECLARE seen_election VARCHAR(600) CHARACTER SET ascii DEFAULT NULL;
    DECLARE seen_token BIGINT DEFAULT NULL;
    DECLARE seen_nonce VARCHAR(32) CHARACTER SET ascii DEFAULT NULL;
    DECLARE told VARCHAR(128) DEFAULT '';

    -- Outside a transaction: the server has rolled back by itself, after a deadlock, and each statement commits alone.
    IF @@in_transaction = 0 OR SUBSTRING_INDEX(shown, '|', 1) <> wanted OR own_count <> now_count OR own_token < 1 THEN
        SELECT LEFT(CONCAT('the fence of ', wanted, ' lets no write pass without a token'), 128) INTO told;
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = told, MYSQL_ERRNO = 31990;
    END IF;

    SELECT f.election, f.token INTO seen_election, seen_token FROM ${table} f WHERE f.resource = wanted;
    IF seen_election <> own_election THEN
        SELECT LEFT(CONCAT('the fence of ', wanted, ' is for election ', seen_election, ', not ', own_election), 128) INTO told;
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = told, MYSQL_ERRNO = 31991;
    END IF;
    IF seen_token < own_token THEN
        UPDATE ${table} f SET f.token = own_token, f.nonce = own_nonce, f.holder = USER(), f.raised = UTC_TIMESTAMP(3)
            WHERE f.resource = wanted AND f.token < own_token;
    END IF;

    SELECT NULL, NULL INTO seen_token, seen_nonce;
    SELECT f.token, f.nonce INTO seen_token, seen_nonce FROM ${table} f WHERE f.resource = wanted LOCK IN SHARE MODE;
    IF seen_token IS NULL THEN
        SELECT LEFT(CONCAT('the fence of ', wanted, ' has no row: install it again'), 128) INTO told;
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = told, MYSQL_ERRNO = 31990;
    END IF;
    IF seen_token <> own_token OR seen_nonce <> own_nonce THEN
        SELECT LEFT(CONCAT('the fence of ', wanted, ' has seen token ', seen_token), 128) INTO told;
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = told, MYSQL_ERRNO = 31991;
    END IF;
END
