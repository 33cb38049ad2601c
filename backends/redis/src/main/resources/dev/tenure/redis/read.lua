-- Reads one record. KEYS: the hash of its kind. ARGV: its key.
-- Returns this server's clock in milliseconds, and the record as it is stored: version, end of its life or 0, value.
redis.call('HDEL', KEYS[1], '') -- changes nothing; a replica, or a primary that may not write, refuses it
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
return {now, redis.call('HGET', KEYS[1], ARGV[1])}
