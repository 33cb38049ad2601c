/**
 * Elections in Redis or Valkey. Read {@link dev.tenure.redis.RedisStore} first: each of its calls is one script of the folder beside
 * it. {@link dev.tenure.redis.RedisConnections} finds the primary.
 */
@NullMarked
package dev.tenure.redis;

import org.jspecify.annotations.NullMarked;
