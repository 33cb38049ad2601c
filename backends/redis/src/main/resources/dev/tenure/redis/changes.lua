-- Tells which records were written since an earlier answer.
-- KEYS: the hash of any kind, the number of changes, the number of each record's last change. ARGV: the earlier number or ''.
-- Returns the number of changes, 1 if it can be told what has changed and 0 if not, and the keys of what has changed.
redis.call('HDEL', KEYS[1], '') -- changes nothing; a replica, or a primary that may not write, refuses it
local count = redis.call('GET', KEYS[2]) or '0'
if ARGV[1] == '' or tonumber(count) < tonumber(ARGV[1]) then
    return {count, 0}
end
local reply = redis.call('ZRANGEBYSCORE', KEYS[3], '(' .. ARGV[1], '+inf')
table.insert(reply, 1, count)
table.insert(reply, 2, 1)
return reply
