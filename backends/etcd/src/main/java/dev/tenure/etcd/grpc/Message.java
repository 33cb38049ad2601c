package dev.tenure.etcd.grpc;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A protocol buffer, read where it lies: nothing is taken apart before it is asked for. A field that is missing is its zero
 * value: that is how the protocol writes zero, and what lets an older server answer a newer client.
 *
 * <p>Every method throws {@link IllegalArgumentException} where the bytes are not a message.
 */
public final class Message {
    public static final Message EMPTY = new Message(new byte[0], 0, 0);

    static final int VARINT = 0;
    static final int BYTES = 2;
    private static final int FIXED_64 = 1;
    private static final int FIXED_32 = 5;
    private static final int VARINT_BYTES_MAX = 10;
    private static final int NOT_FOUND = -1;

    private final byte[] bytes;
    private final int from;
    private final int to;

    private Message(byte[] bytes, int from, int to) {
        this.bytes = bytes;
        this.from = from;
        this.to = to;
    }

    /** The bytes are not copied, and must not change any more. */
    public static Message of(byte[] bytes) {
        return of(bytes, bytes.length);
    }

    static Message of(byte[] bytes, int size) {
        return new Message(bytes, 0, size);
    }

    public int size() {
        return to - from;
    }

    void copyTo(byte[] target, int at) {
        System.arraycopy(bytes, from, target, at, size());
    }

    public boolean has(int field) {
        return find(field, BYTES, from) != NOT_FOUND;
    }

    public long number(int field) {
        int at = find(field, VARINT, from);
        return at == NOT_FOUND ? 0 : varint(at);
    }

    public boolean flag(int field) {
        return number(field) != 0;
    }

    /** A message within this one; an empty one if it is missing. */
    public Message at(int field) {
        int at = find(field, BYTES, from);
        return at == NOT_FOUND ? EMPTY : inner(at);
    }

    public List<Message> list(int field) {
        List<Message> items = new ArrayList<>();
        int at = find(field, BYTES, from);
        while (at != NOT_FOUND) {
            Message item = inner(at);
            items.add(item);
            at = find(field, BYTES, item.to);
        }
        return items;
    }

    public String text(int field) {
        Message found = at(field);
        return new String(found.bytes, found.from, found.size(), StandardCharsets.UTF_8);
    }

    /** One character for each byte, for bytes that need not be text. */
    public String latin(int field) {
        Message found = at(field);
        return new String(found.bytes, found.from, found.size(), StandardCharsets.ISO_8859_1);
    }

    private Message inner(int at) {
        long length = varint(at);
        int begin = afterVarint(at);
        if (length < 0 || length > to - begin) {
            throw broken("a field is longer than its message");
        }
        return new Message(bytes, begin, begin + (int) length);
    }

    /** Where the value of the next field of this number and type begins. */
    private int find(int field, int type, int position) {
        int at = position;
        while (at < to) {
            long tag = varint(at);
            at = afterVarint(at);
            if (tag == (((long) field << 3) | type)) {
                return at;
            }
            at = after(at, (int) tag & 7);
        }
        return NOT_FOUND;
    }

    private int after(int at, int type) {
        return switch (type) {
            case VARINT -> afterVarint(at);
            case BYTES -> inner(at).to;
            case FIXED_64 -> within(at + Long.BYTES);
            case FIXED_32 -> within(at + Integer.BYTES);
            default -> throw broken("a field has no known type");
        };
    }

    private int within(int at) {
        if (at > to) {
            throw broken("it is cut off");
        }
        return at;
    }

    private long varint(int at) {
        long value = 0;
        for (int i = 0; i < VARINT_BYTES_MAX && at + i < to; i++) {
            byte next = bytes[at + i];
            value |= (next & 0x7FL) << (7 * i);
            if (next >= 0) {
                return value;
            }
        }
        throw broken("a number does not end");
    }

    private int afterVarint(int at) {
        int next = at;
        while (next < to && bytes[next] < 0) {
            next++;
        }
        return within(next + 1);
    }

    private static IllegalArgumentException broken(String problem) {
        return new IllegalArgumentException("not a message of this protocol: " + problem);
    }
}
