package dev.tenure.etcd.grpc;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads blocks of headers (RFC 7541). A server may refer to headers that it has sent before, so there is one reader for a
 * connection, and it reads every block.
 */
final class HeaderReader {
    private static final int TABLE_BYTES_MAX = 4096;
    private static final int ENTRY_BYTES = 32;
    /** Of the headers that HTTP/2 knows by number only the status concerns us; the others just have numbers. */
    private static final int STATIC_ENTRIES = 61;

    private static final int STATUS_FIRST = 8;
    private static final List<String> STATUSES = List.of("200", "204", "206", "304", "400", "404", "500");

    /** Newest first. */
    private final List<Header> table = new ArrayList<>();

    private int tableBytes;
    private int tableBytesMax = TABLE_BYTES_MAX;
    private byte[] block = new byte[0];
    private int at;

    private record Header(String name, String value) {
        int bytes() {
            return name.length() + value.length() + ENTRY_BYTES;
        }
    }

    /** @throws IllegalArgumentException if it is not a block of headers */
    Map<String, String> read(byte[] bytes) {
        block = bytes;
        at = 0;
        Map<String, String> headers = new LinkedHashMap<>();
        while (at < block.length) {
            int first = block[at] & 0xFF;
            if (first >= 0x80) {
                add(headers, header(number(7)));
            } else if (first >= 0x40) {
                Header remembered = literal(6);
                remember(remembered);
                add(headers, remembered);
            } else if (first >= 0x20) {
                resize(number(5));
            } else {
                add(headers, literal(4));
            }
        }
        return headers;
    }

    private static void add(Map<String, String> headers, Header header) {
        headers.put(header.name, header.value);
    }

    private Header literal(int prefixBits) {
        int name = number(prefixBits);
        return new Header(name == 0 ? text() : header(name).name, text());
    }

    private Header header(int number) {
        if (number < 1 || number > STATIC_ENTRIES + table.size()) {
            throw broken("it refers to a header that was never sent");
        }
        if (number > STATIC_ENTRIES) {
            return table.get(number - STATIC_ENTRIES - 1);
        }
        int status = number - STATUS_FIRST;
        return status >= 0 && status < STATUSES.size()
                ? new Header(":status", STATUSES.get(status))
                : new Header("#" + number, "");
    }

    private void remember(Header header) {
        table.add(0, header);
        tableBytes += header.bytes();
        forget();
    }

    private void resize(int bytes) {
        if (bytes > TABLE_BYTES_MAX) {
            throw broken("it wants more memory than it was offered");
        }
        tableBytesMax = bytes;
        forget();
    }

    private void forget() {
        while (tableBytes > tableBytesMax) {
            tableBytes -= table.remove(table.size() - 1).bytes();
        }
    }

    private String text() {
        boolean coded = next(at) >= 0x80;
        int length = number(7);
        if (length > block.length - at) {
            throw broken("it is cut off");
        }
        int from = at;
        at += length;
        return coded
                ? HuffmanCode.decode(block, from, at)
                : new String(block, from, length, StandardCharsets.ISO_8859_1);
    }

    /** A number that begins in the last bits of this byte. */
    private int number(int prefixBits) {
        int mask = (1 << prefixBits) - 1;
        int value = next(at++) & mask;
        if (value < mask) {
            return value;
        }
        for (int shift = 0; shift <= 21; shift += 7) {
            int more = next(at++);
            value += (more & 0x7F) << shift;
            if (more < 0x80) {
                return value;
            }
        }
        throw broken("a number is too long");
    }

    private int next(int position) {
        if (position >= block.length) {
            throw broken("it is cut off");
        }
        return block[position] & 0xFF;
    }

    private static IllegalArgumentException broken(String problem) {
        return new IllegalArgumentException("not a block of headers: " + problem);
    }
}
