package dev.tenure.etcd.grpc;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The code in which servers shorten the texts of headers (RFC 7541, appendix B). It is canonical: ordered by length, then by
 * symbol, codes count up; so the lengths tell all of it.
 */
final class HuffmanCode {
    private static final int BITS_MAX = 30;
    private static final int END = 256;
    private static final int[] LENGTHS = {
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28,
        28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15,
        6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
        15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22,
        20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23,
        23, 24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22,
        22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26,
        27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27,
        26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30
    };
    /** All symbols in the order of their codes. */
    private static final int[] SYMBOLS = IntStream.rangeClosed(0, END)
            .boxed()
            .sorted((one, two) -> LENGTHS[one] != LENGTHS[two] ? LENGTHS[one] - LENGTHS[two] : one - two)
            .mapToInt(Integer::intValue)
            .toArray();

    private static final int[] CODES_OF_LENGTH = new int[BITS_MAX + 1];

    static {
        Arrays.stream(LENGTHS).forEach(length -> CODES_OF_LENGTH[length]++);
    }

    private HuffmanCode() {}

    /** @throws IllegalArgumentException if it is not in this code */
    static String decode(byte[] bytes, int from, int to) {
        byte[] text = new byte[2 * (to - from) + 1];
        int size = 0;
        int code = 0;
        int first = 0;
        int index = 0;
        int length = 0;
        for (int bit = from * 8; bit < to * 8; bit++) {
            code = (code << 1) | ((bytes[bit >> 3] >> (7 - (bit & 7))) & 1);
            first <<= 1;
            length++;
            int many = CODES_OF_LENGTH[length];
            if (code - first < many) {
                text[size++] = (byte) symbol(index + code - first);
                code = 0;
                first = 0;
                index = 0;
                length = 0;
            } else {
                index += many;
                first += many;
                if (length == BITS_MAX) {
                    throw new IllegalArgumentException("a header is not in HTTP/2's code");
                }
            }
        }
        return new String(text, 0, size, StandardCharsets.ISO_8859_1); // what is left over only fills the last byte
    }

    private static int symbol(int place) {
        if (SYMBOLS[place] == END) {
            throw new IllegalArgumentException("a header holds the end of HTTP/2's code");
        }
        return SYMBOLS[place];
    }
}
