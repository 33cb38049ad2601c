/** Starts real servers of Redis and Valkey: {@link dev.tenure.redis.servers.RedisServer} one, the others several that belong together. */
@NullMarked
package dev.tenure.redis.servers;

import org.jspecify.annotations.NullMarked;
