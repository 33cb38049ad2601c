-- Lists records. KEYS: the hash of their kind. ARGV: the prefix of their keys.
-- Returns this server's clock in milliseconds, then key and record in turn.
redis.call('HDEL', KEYS[1], '') -- changes nothing; a replica, or a primary that may not write, refuses it
local time = redis.call('TIME')
local found = {string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))}
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
    if string.sub(all[i], 1, #ARGV[1]) == ARGV[1] then
        found[#found + 1] = all[i]
        found[#found + 1] = all[i + 1]
    end
end
return found
