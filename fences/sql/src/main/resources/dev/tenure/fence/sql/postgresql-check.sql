CREATE OR REPLACE FUNCTION ${schema}.tenure_fence_check() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
-- Lets a write pass if its transaction shows a term that is not older than the fence of the resource in the first argument.
-- The look without a lock only decides whether to raise: a share lock that became an exclusive one could deadlock.
-- The advisory lock comes before the row: a raise waits alone for it, and later writers wait behind the raise.
DECLARE
    wanted text := TG_ARGV[0];
    shown text := current_setting('tenure.fence_' || md5(wanted), true);
    own_token bigint;
    own_nonce text;
    own_election text;
    seen record;
    fences int := '${table}'::regclass::int;
    queue int := ('x' || left(md5(wanted), 8))::bit(32)::int;
BEGIN
    IF shown IS NULL OR shown !~ '^[1-9][0-9]{0,18}/[0-9a-f]{32}/.' THEN
        RAISE EXCEPTION 'the fence of % lets no % on % pass without a token', wanted, TG_OP, TG_TABLE_NAME
            USING ERRCODE = 'TF001',
                  HINT = 'Only the leader writes here: through FencedSql, or after tenure_present(resource, election, token, nonce) in the same transaction.';
    END IF;
    own_token := split_part(shown, '/', 1)::bigint;
    own_nonce := split_part(shown, '/', 2);
    own_election := split_part(shown, '/', 3);

    SELECT f.election, f.token INTO seen FROM ${table} f WHERE f.resource = wanted;
    IF seen.election <> own_election THEN
        RAISE EXCEPTION 'the fence of % is for election %; tokens of election % do not compare with its own',
            wanted, seen.election, own_election USING ERRCODE = 'TF001';
    END IF;
    IF seen.token < own_token THEN
        PERFORM pg_advisory_xact_lock(fences, queue);
        UPDATE ${table} f SET token = own_token, nonce = own_nonce, holder = session_user, raised = clock_timestamp()
            WHERE f.resource = wanted AND f.token < own_token;
    END IF;

    PERFORM pg_advisory_xact_lock_shared(fences, queue);
    SELECT f.token, f.nonce INTO seen FROM ${table} f WHERE f.resource = wanted FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the fence of % has no row in ${table}: install it again', wanted USING ERRCODE = 'TF001';
    END IF;
    IF seen.token <> own_token OR seen.nonce <> own_nonce THEN
        RAISE EXCEPTION 'the fence of % has seen token %, and this % on % shows token %',
            wanted, seen.token, TG_OP, TG_TABLE_NAME, own_token USING ERRCODE = 'TF001';
    END IF;

    IF TG_LEVEL = 'STATEMENT' THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    RETURN NEW;
END $$
