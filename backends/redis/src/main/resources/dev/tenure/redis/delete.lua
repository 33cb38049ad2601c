-- Deletes a record if it still has the expected version.
-- KEYS: the hash of its kind, the number of changes, the number of each record's last change. ARGV: its key, the expected version or '', the channel to notify.
-- Returns this server's clock in milliseconds, 1 if it is deleted and 0 if not, and the record as it stands.
-- The deletion is the last command: if any command fails, nothing was changed.
redis.call('HDEL', KEYS[1], '') -- changes nothing; a replica, or a primary that may not write, refuses it
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local found = redis.call('HGET', KEYS[1], ARGV[1])
if (found and string.match(found, '^%S+') or '') ~= ARGV[2] then
    return {now, 0, found}
end
if found then
    redis.call('PUBLISH', ARGV[3], ARGV[1])
    redis.call('ZREM', KEYS[3], ARGV[1])
    redis.call('HDEL', KEYS[1], ARGV[1])
end
return {now, 1, false}
