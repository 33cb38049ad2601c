CREATE OR REPLACE FUNCTION ${schema}.tenure_present(resource text, election text, token bigint, nonce text) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
-- Shows a term to the triggers, until the transaction ends. The election is spelt as Tenure's stores spell it.
    SELECT set_config(
        'tenure.fence_' || md5(resource),
        token || '/' || nonce || '/' || (
            SELECT string_agg(
                CASE WHEN b BETWEEN 97 AND 122 OR b BETWEEN 48 AND 57 OR b IN (95, 45) OR (b = 46 AND i > 0) THEN chr(b)
                     ELSE '%' || lpad(to_hex(b), 2, '0') END, '' ORDER BY i)
            FROM (SELECT i, get_byte(convert_to(election, 'UTF8'), i) AS b
                  FROM generate_series(0, octet_length(convert_to(election, 'UTF8')) - 1) AS i) AS bytes),
        true)
$$
