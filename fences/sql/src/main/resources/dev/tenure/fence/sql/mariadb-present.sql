CREATE OR REPLACE FUNCTION tenure_present(
    resource VARCHAR(100) CHARACTER SET ascii, election VARCHAR(600) CHARACTER SET ascii,
    token BIGINT, nonce CHAR(32) CHARACTER SET ascii) RETURNS INT
READS SQL DATA SQL SECURITY DEFINER COMMENT '${mark}'
BEGIN
    -- Variables live as long as the session, and so would a token in a pool. It is shown together with a count of the session's
    -- statements that may end a transaction: after any of these it no longer counts. The election is encoded.
    DECLARE row_of_fence BIGINT DEFAULT NULL;

    -- Where autocommit is off, a transaction begins with the first read of a table.
    SELECT MAX(f.token) INTO row_of_fence FROM ${table} f WHERE f.resource = resource;
    IF @@in_transaction = 0 THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'tenure_present needs a transaction: begin one first', MYSQL_ERRNO = 31990;
    END IF;
    IF (SELECT VARIABLE_VALUE FROM information_schema.SESSION_STATUS WHERE VARIABLE_NAME = 'COM_XA_START') > 0 THEN
        SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = 31990,
            MESSAGE_TEXT = 'no token on a connection that has used XA: an XA PREPARE lets go of the fence before the commit';
    END IF;
    SELECT CONCAT_WS('|', resource, election, token, nonce, ${count}) INTO @tenure_fence;
    RETURN 1;
END
