package dev.tenure.etcd.grpc;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes one message. What is empty or zero is left out, as the protocol has it. */
public final class MessageWriter {
    private byte[] bytes = new byte[64];
    private int size;

    public MessageWriter number(int field, long value) {
        return value == 0 ? this : numberEvenIfZero(field, value);
    }

    /** Where one of several fields is chosen, zero is a choice too. */
    public MessageWriter numberEvenIfZero(int field, long value) {
        varint(((long) field << 3) | Message.VARINT);
        varint(value);
        return this;
    }

    public MessageWriter flag(int field) {
        return numberEvenIfZero(field, 1);
    }

    public MessageWriter text(int field, String value) {
        return bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    /** One byte for each character. */
    public MessageWriter latin(int field, String value) {
        return bytes(field, value.getBytes(StandardCharsets.ISO_8859_1));
    }

    private MessageWriter bytes(int field, byte[] value) {
        return value.length == 0 ? this : message(field, Message.of(value));
    }

    public MessageWriter message(int field, Message value) {
        varint(((long) field << 3) | Message.BYTES);
        varint(value.size());
        room(value.size());
        value.copyTo(bytes, size);
        size += value.size();
        return this;
    }

    /** Nothing may be written after this. */
    public Message done() {
        return Message.of(bytes, size);
    }

    private void varint(long value) {
        room(10);
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes[size++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
    }

    private void room(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + more));
        }
    }
}
