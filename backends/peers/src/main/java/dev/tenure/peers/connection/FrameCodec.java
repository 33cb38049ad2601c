// SPDX-License-Identifier: Apache-2.0
package dev.tenure.peers.connection;

import dev.tenure.algorithms.bully.BullyMessage;
import dev.tenure.algorithms.quorum.LeaseMessage;
import dev.tenure.algorithms.quorum.QuorumMessage;
import dev.tenure.algorithms.raft.RaftMessage;
import dev.tenure.algorithms.ring.RingMessage;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.net.ProtocolException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Records on a connection, each in a frame: four bytes of length, then so many bytes. A length above the limit is garbage, and no memory
 * is taken for it. One thread reads and one writes.
 *
 * <p>The bytes are the components of the record in order, each as a text. Where an interface is declared, the name of the record stands
 * before it. Only the records listed here, and what their components are made of, are ever created from bytes.
 */
public final class FrameCodec {
    /** One message may carry a card of 8 KB. */
    static final int BYTES_MAX = 64 * 1024;

    private static final int TLS_ALERT = 0x1503;
    private static final int TLS_HANDSHAKE = 0x1603;

    private static final Map<String, Class<?>> RECORDS = Stream.of(
                    PeerMessage.class,
                    PeerMessage.Question.class,
                    PeerMessage.Answer.class,
                    Handshake.Opening.class,
                    RaftMessage.class,
                    LeaseMessage.class,
                    QuorumMessage.class,
                    BullyMessage.class,
                    RingMessage.class)
            .flatMap(family -> Stream.<Class<?>>of(family.getPermittedSubclasses()))
            .collect(Collectors.toMap(FrameCodec::name, Function.identity()));

    private final DataInputStream in;
    private final DataOutputStream out;

    FrameCodec(InputStream in, OutputStream out) {
        this.in = new DataInputStream(new BufferedInputStream(in));
        this.out = new DataOutputStream(new BufferedOutputStream(out));
    }

    <T> T read(Class<T> type, int bytesMax) throws IOException {
        int length = in.readInt();
        if (length >>> Short.SIZE == TLS_ALERT || length >>> Short.SIZE == TLS_HANDSHAKE) {
            throw new ProtocolException("one of the two speaks TLS and the other does not: name tls.ca, tls.cert and"
                    + " tls.key everywhere");
        }
        if (length < 1 || length > bytesMax) {
            throw new ProtocolException("a frame that is not of 1 to " + bytesMax + " bytes");
        }
        byte[] frame = in.readNBytes(length);
        if (frame.length < length) {
            throw new EOFException("the connection ended within a frame");
        }
        return decode(type, frame);
    }

    /** It may wait until {@link #flush}. */
    <T> void write(Class<T> type, T value) throws IOException {
        byte[] frame = encode(type, value);
        out.writeInt(frame.length);
        out.write(frame);
    }

    void flush() throws IOException {
        out.flush();
    }

    /** Without its package, which a process that has Tenure inside its own jar may have changed. */
    private static String name(Class<?> type) {
        return type.getName().substring(type.getName().lastIndexOf('.') + 1);
    }

    public static <T> byte[] encode(Class<T> type, T value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            write(out, type, value);
        } catch (IOException | ReflectiveOperationException broken) {
            throw new IllegalStateException("no bytes for " + value, broken);
        }
        return bytes.toByteArray();
    }

    public static <T> T decode(Class<T> type, byte[] frame) throws ProtocolException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(frame))) {
            return type.cast(read(in, type));
        } catch (IOException | ReflectiveOperationException | RuntimeException broken) {
            ProtocolException garbage = new ProtocolException(
                    "it speaks another protocol: it is no member, or of another release of Tenure");
            garbage.initCause(broken);
            throw garbage;
        }
    }

    private static void write(DataOutputStream out, Class<?> type, Object value)
            throws IOException, ReflectiveOperationException {
        if (value instanceof List<?> list) {
            out.writeInt(list.size());
            for (Object element : list.toArray()) {
                write(out, element.getClass(), element);
            }
        } else if (value instanceof Map<?, ?> map) {
            out.writeInt(map.size());
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                out.writeUTF(String.valueOf(entry.getKey()));
                out.writeUTF(String.valueOf(entry.getValue()));
            }
        } else if (value instanceof Record) {
            if (type.isInterface()) {
                out.writeUTF(name(value.getClass()));
            }
            for (RecordComponent component : value.getClass().getRecordComponents()) {
                write(out, component.getType(), component.getAccessor().invoke(value));
            }
        } else {
            out.writeUTF(value.toString());
        }
    }

    private static Object read(DataInputStream in, Type type) throws IOException, ReflectiveOperationException {
        if (type instanceof ParameterizedType many) {
            Type[] parts = many.getActualTypeArguments();
            List<Object> list = new ArrayList<>();
            Map<Object, Object> map = new HashMap<>();
            for (int left = in.readInt(); left > 0; left--) {
                if (parts.length == 1) {
                    list.add(read(in, parts[0]));
                } else {
                    map.put(read(in, parts[0]), read(in, parts[1]));
                }
            }
            return parts.length == 1 ? list : map;
        }
        String text = type instanceof Class<?> known && known.isRecord() ? "" : in.readUTF();
        if (type == String.class) {
            return text;
        } else if (type == long.class) {
            return Long.valueOf(text);
        } else if (type == int.class || type == Integer.class) {
            return Integer.valueOf(text);
        } else if (type == boolean.class) {
            return Boolean.valueOf(text);
        } else if (type instanceof Class<?> known && known.isEnum()) {
            return Stream.of(known.getEnumConstants())
                    .filter(constant -> constant.toString().equals(text))
                    .findFirst()
                    .orElseThrow();
        }
        Class<?> chosen = text.isEmpty()
                ? (Class<?>) type
                : Optional.ofNullable(RECORDS.get(text)).orElseThrow();
        List<Object> components = new ArrayList<>();
        for (RecordComponent component : chosen.getRecordComponents()) {
            components.add(read(in, component.getGenericType()));
        }
        return chosen.getDeclaredConstructors()[0].newInstance(components.toArray());
    }
}
