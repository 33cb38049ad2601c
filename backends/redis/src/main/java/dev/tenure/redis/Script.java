package dev.tenure.redis;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/** One operation, as a file beside the classes. A server that was just promoted does not know it, and is sent all of it. */
record Script(String text, String digest) {
    static Script named(String name) {
        try (InputStream file = Script.class.getResourceAsStream(name + ".lua")) {
            if (file == null) {
                throw new IllegalStateException(name + ".lua is missing among the classes");
            }
            byte[] text = file.readAllBytes();
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text);
            return new Script(new String(text, StandardCharsets.UTF_8), HexFormat.of().formatHex(digest));
        } catch (IOException | GeneralSecurityException failure) {
            throw new IllegalStateException(failure);
        }
    }

    @SuppressWarnings("unchecked")
    List<Object> run(Jedis server, List<String> keys, List<String> arguments) {
        try {
            return (List<Object>) server.evalsha(digest, keys, arguments);
        } catch (JedisNoScriptException unknown) {
            return (List<Object>) server.eval(text, keys, arguments);
        }
    }
}
