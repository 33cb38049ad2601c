package dev.tenure.peers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;

/**
 * What all members of a group know. A caller sends it, over TLS only, to a member whose certificate it has checked.
 *
 * @param text empty where the group has none
 */
record GroupSecret(String text) {
    static final GroupSecret NONE = new GroupSecret("");
    private static final int BYTES_MIN = 16;
    private static final int BYTES_MAX = 1024;

    static GroupSecret in(String file) {
        GroupSecret secret;
        try {
            secret = new GroupSecret(Files.readString(Path.of(file)).strip());
        } catch (IOException unreadable) {
            throw Trouble.refused("the secret file " + file + " cannot be read");
        }
        int bytes = secret.bytes().length;
        if (bytes < BYTES_MIN || bytes > BYTES_MAX) {
            throw Trouble.refused("the secret file " + file + " cannot be used: it holds " + bytes + " bytes, and a"
                    + " secret has " + BYTES_MIN + " (fewer can be guessed) to " + BYTES_MAX
                    + ", as from: openssl rand -hex 32");
        }
        return secret;
    }

    boolean isNone() {
        return text.isEmpty();
    }

    /** Takes the same time wherever the two differ. */
    boolean matches(GroupSecret other) {
        return MessageDigest.isEqual(bytes(), other.bytes());
    }

    private byte[] bytes() {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return isNone() ? "no secret" : "***";
    }
}
