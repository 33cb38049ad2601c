package dev.tenure.redis;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/** One operation, as a file beside the classes. A server that has just been promoted does not know it and is sent all of it. */
record Script(String text, String digest) {
    static final Script READ = named("read");
    static final Script LIST = named("list");
    static final Script WRITE = named("write");
    static final Script DELETE = named("delete");
    static final Script CHANGES = named("changes");

    static Script named(String name) {
        try (InputStream file = Script.class.getResourceAsStream("/dev/tenure/redis/" + name + ".lua")) {
            if (file == null) {
                throw new IllegalStateException(name + ".lua is missing among the classes");
            }
            byte[] bytes = file.readAllBytes();
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(bytes);
            return new Script(
                    new String(bytes, StandardCharsets.UTF_8), HexFormat.of().formatHex(digest));
        } catch (IOException | NoSuchAlgorithmException failure) {
            throw new IllegalStateException(failure);
        }
    }

    @SuppressWarnings("unchecked")
    List<Object> run(Jedis connection, List<String> keys, List<String> arguments) {
        try {
            return (List<Object>) connection.evalsha(digest, keys, arguments);
        } catch (JedisNoScriptException unknown) {
            return (List<Object>) connection.eval(text, keys, arguments);
        }
    }
}
