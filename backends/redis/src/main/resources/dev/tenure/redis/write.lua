-- Writes a record if it still has the expected version.
-- KEYS: the hash of its kind, the number of changes, the number of each record's last change. ARGV: its key, the expected version or '', the new version, the value, its time to live in
-- milliseconds or 0, the channel to notify or '' if this is no change that others wait for.
-- Returns this server's clock in milliseconds, 1 if it was written and 0 if not, and the record as it stands.
-- The write is the last command: if any command fails, nothing was changed.
redis.call('HDEL', KEYS[1], '') -- changes nothing; a replica, or a primary that may not write, refuses it
local time = redis.call('TIME')
local millis = time[1] * 1000 + math.floor(time[2] / 1000)
local now = string.format('%.0f', millis)
local found = redis.call('HGET', KEYS[1], ARGV[1])
if (found and string.match(found, '^%S+') or '') ~= ARGV[2] then
    return {now, 0, found}
end
local ends = ARGV[5] == '0' and '0' or string.format('%.0f', millis + tonumber(ARGV[5]))
local record = ARGV[3] .. ' ' .. ends .. ' ' .. ARGV[4]
if ARGV[6] ~= '' then
    redis.call('PUBLISH', ARGV[6], ARGV[1])
    redis.call('ZADD', KEYS[3], redis.call('INCR', KEYS[2]), ARGV[1])
end
redis.call('HSET', KEYS[1], ARGV[1], record)
return {now, 1, record}
