// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.cluster;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The wall clock as one running server sees it, to be stepped while it runs; its monotonic clock goes on as it did.
 *
 * <p>libfaketime stands between a program and the C library, and a Go program asks neither for the time: it calls the function
 * that the kernel has mapped into every process (vDSO), by a pointer that it looked up when it started. So that pointer is
 * bent: to a few instructions in the unused end of the same mapping, which call the function and add the step to what it
 * says of the wall clock. x86-64 only.
 */
final class SteppedClock {
    private static final String FUNCTION = "__vdso_clock_gettime";
    private static final int POINTER_BYTES = 8;
    private static final int CODE_ALIGNMENT = 64;
    /** More than any variables of a program, and less than a heap. */
    private static final long VARIABLES_BYTES_MAX = 64L << 20;

    private static final int DYNAMIC_SEGMENT = 2;
    private static final int DYNAMIC_STRINGS = 5;
    private static final int DYNAMIC_SYMBOLS = 6;
    private static final int SYMBOL_BYTES = 24;

    private final Path memory;
    private final long step;

    private SteppedClock(Path memory, long step) {
        this.memory = memory;
        this.step = step;
    }

    /** For this process, whose clock stays as it is until it is moved. */
    static SteppedClock of(long pid) throws IOException {
        Path memory = Path.of("/proc/" + pid + "/mem");
        List<Mapping> mappings = mappings(pid);
        Mapping shared = mappings.stream()
                .filter(mapping -> mapping.name.equals("[vdso]"))
                .findFirst()
                .orElseThrow(() -> new IOException("process " + pid + " has no vDSO"));
        try (RandomAccessFile file = new RandomAccessFile(memory.toFile(), "rw")) {
            ByteBuffer image = read(file, shared);
            long function = shared.from + offsetOf(FUNCTION, image);
            List<Long> pointers = new ArrayList<>();
            for (Mapping mapping : mappings) {
                if (mapping.isOfVariables()) {
                    pointers.addAll(find(function, read(file, mapping), mapping.from));
                }
            }
            if (pointers.isEmpty()) {
                throw new IOException("process " + pid + " does not point to " + FUNCTION);
            }
            Code code = Code.calling(function);
            long place = shared.from + endOf(image);
            file.seek(place);
            file.write(bytesOf(code.bytes));
            for (long pointer : pointers) {
                file.seek(pointer);
                file.write(littleEndian(place));
            }
            return new SteppedClock(memory, place + code.stepAt);
        }
    }

    /** How far it goes before the machine's, from now on. */
    void move(Duration ahead) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(memory.toFile(), "rw")) {
            file.seek(step);
            file.write(littleEndian(ahead.toSeconds()));
        }
    }

    private record Mapping(long from, long to, String rights, String name) {
        boolean isOfVariables() {
            return rights.startsWith("rw") && !name.startsWith("[") && to - from <= VARIABLES_BYTES_MAX;
        }
    }

    private static List<Mapping> mappings(long pid) throws IOException {
        List<Mapping> mappings = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/maps"))) {
            String[] columns = line.split("\\s+", 6);
            String[] range = columns[0].split("-");
            mappings.add(new Mapping(
                    Long.parseUnsignedLong(range[0], 16),
                    Long.parseUnsignedLong(range[1], 16),
                    columns[1],
                    columns.length < 6 ? "" : columns[5]));
        }
        return mappings;
    }

    private static ByteBuffer read(RandomAccessFile file, Mapping mapping) throws IOException {
        byte[] bytes = new byte[Math.toIntExact(mapping.to - mapping.from)];
        file.seek(mapping.from);
        file.readFully(bytes);
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static List<Long> find(long wanted, ByteBuffer in, long from) {
        List<Long> found = new ArrayList<>();
        for (int at = 0; at + POINTER_BYTES <= in.capacity(); at += POINTER_BYTES) {
            if (in.getLong(at) == wanted) {
                found.add(from + at);
            }
        }
        return found;
    }

    /** In an image of the ELF format, whose addresses are its offsets. */
    private static long offsetOf(String function, ByteBuffer image) throws IOException {
        int symbols = Math.toIntExact(dynamic(DYNAMIC_SYMBOLS, image));
        int strings = Math.toIntExact(dynamic(DYNAMIC_STRINGS, image));
        for (int symbol = symbols; symbol + SYMBOL_BYTES <= strings; symbol += SYMBOL_BYTES) {
            if (text(strings + image.getInt(symbol), image).equals(function)) {
                return image.getLong(symbol + 8);
            }
        }
        throw new IOException("the vDSO has no " + function);
    }

    private static long dynamic(int tag, ByteBuffer image) throws IOException {
        int headers = Math.toIntExact(image.getLong(32));
        int headerBytes = image.getShort(54);
        int at = headers;
        while (image.getInt(at) != DYNAMIC_SEGMENT) {
            at += headerBytes;
        }
        for (int entry = Math.toIntExact(image.getLong(at + 8)); image.getLong(entry) != 0; entry += 16) {
            if (image.getLong(entry) == tag) {
                return image.getLong(entry + 8);
            }
        }
        throw new IOException("the vDSO has no entry " + tag);
    }

    private static String text(int at, ByteBuffer image) {
        StringBuilder text = new StringBuilder();
        for (int next = at; image.get(next) != 0; next++) {
            text.append((char) image.get(next));
        }
        return text.toString();
    }

    /** Behind the last byte that is used. */
    private static int endOf(ByteBuffer image) {
        int end = image.capacity();
        while (image.get(end - 1) == 0) {
            end--;
        }
        return (end + CODE_ALIGNMENT) / CODE_ALIGNMENT * CODE_ALIGNMENT;
    }

    private static byte[] littleEndian(long value) {
        return bytesOf(ByteBuffer.allocate(POINTER_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(value)
                .flip());
    }

    private static byte[] bytesOf(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    /** @param stepAt where among the bytes the step stands, in seconds */
    private record Code(ByteBuffer bytes, int stepAt) {
        private static final byte[] SAVE = {0x57, 0x56, 0x48, (byte) 0x83, (byte) 0xec, 8}; // push rdi, rsi; sub rsp, 8
        private static final byte[] LOAD_FUNCTION = {0x48, (byte) 0xb8}; // mov rax, …
        private static final byte[] CALL = {(byte) 0xff, (byte) 0xd0}; // call rax
        private static final byte[] RESTORE = {0x48, (byte) 0x83, (byte) 0xc4, 8, 0x5e, 0x5f
        }; // add rsp, 8; pop rsi, rdi
        private static final byte[] UNLESS_WALL = {(byte) 0x85, (byte) 0xff, 0x75, 13
        }; // test edi, edi; jne to the last
        private static final byte[] LOAD_STEP = {0x48, (byte) 0xb9}; // mov rcx, …
        private static final byte[] ADD = {0x48, 0x01, 0x0e}; // add [rsi], rcx
        private static final byte[] RETURN = {(byte) 0xc3};

        static Code calling(long function) {
            ByteBuffer code = ByteBuffer.allocate(CODE_ALIGNMENT).order(ByteOrder.LITTLE_ENDIAN);
            code.put(SAVE).put(LOAD_FUNCTION).putLong(function).put(CALL).put(RESTORE);
            code.put(UNLESS_WALL).put(LOAD_STEP);
            int stepAt = code.position();
            code.putLong(0).put(ADD).put(RETURN);
            return new Code(code.flip(), stepAt);
        }
    }
}
