package dev.tenure.etcd.grpc;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writes a block of headers in the plainest way that HTTP/2 has: every name and value in full, nothing remembered. */
public final class HeaderWriter {
    private static final int LITERAL = 0x00;
    private static final int PREFIX_MAX = 0x7F;

    private final ByteArrayOutputStream block = new ByteArrayOutputStream(256);

    /** @param name in lower case */
    public HeaderWriter add(String name, String value) {
        block.write(LITERAL);
        text(name);
        text(value);
        return this;
    }

    public byte[] block() {
        return block.toByteArray();
    }

    private void text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        length(bytes.length);
        block.write(bytes, 0, bytes.length);
    }

    private void length(int length) {
        if (length < PREFIX_MAX) {
            block.write(length);
            return;
        }
        block.write(PREFIX_MAX);
        int rest = length - PREFIX_MAX;
        while (rest > 0x7F) {
            block.write((rest & 0x7F) | 0x80);
            rest >>>= 7;
        }
        block.write(rest);
    }
}
