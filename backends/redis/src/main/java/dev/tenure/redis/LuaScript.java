// SPDX-License-Identifier: Apache-2.0
package dev.tenure.redis;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/** One operation, as a file beside the classes. A server that was just promoted does not know it, and is sent all of it. */
record LuaScript(String text, String digest) {
    static LuaScript named(String name) {
        String text = text(name + ".lua");
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            return new LuaScript(text, HexFormat.of().formatHex(digest));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    static String text(String file) {
        try (InputStream in = LuaScript.class.getResourceAsStream(file)) {
            return new String(Objects.requireNonNull(in, file).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new IllegalStateException(file + " cannot be read", failure);
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
