CREATE OR REPLACE FUNCTION tenure_present(
    resource VARCHAR(100) CHARACTER SET ascii, election VARCHAR(600) CHARACTER SET ascii,
    token BIGINT, nonce CHAR(32) CHARACTER SET ascii) RETURNS INT
READS SQL DATA SQL SECURITY DEFINER COMMENT '${mark}'
BEGIN
    -- Variables live as long as the session, and so would a token in a pool. It is shown together with how many transactions
    -- the session has begun, ended and prepared by SET: after any of these it no longer counts. The election is encoded.
    SELECT CONCAT_WS('|', resource, election, token, nonce, SUM(VARIABLE_VALUE)) INTO @tenure_fence
        FROM information_schema.SESSION_STATUS
        WHERE VARIABLE_NAME IN ('COM_BEGIN', 'COM_COMMIT', 'COM_ROLLBACK', 'COM_SET_OPTION');
    RETURN 1;
END
