package dev.tenure.peers;

import dev.tenure.algorithms.Message;
import dev.tenure.algorithms.bully.BullyMessage;
import dev.tenure.algorithms.quorum.QuorumMessage;
import dev.tenure.algorithms.raft.RaftMessage;
import dev.tenure.algorithms.ring.RingMessage;
import dev.tenure.peers.PeerMessage.Answer;
import dev.tenure.peers.PeerMessage.Question;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.net.ProtocolException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Records as bytes: their components in order. Where several records are possible, one byte before it says which. Only the records listed
 * here, and what their components are made of, are ever created from bytes. Whoever changes one of them raises {@link Handshake#VERSION}.
 */
final class FrameCodec {
    private static final Map<Class<?>, List<Class<?>>> CHOICES = Map.of(
            PeerMessage.class, records(PeerMessage.class),
            Question.class, records(Question.class),
            Answer.class, records(Answer.class),
            Message.class,
                    records(
                            RaftMessage.class,
                            LeaseMessage.class,
                            QuorumMessage.class,
                            BullyMessage.class,
                            RingMessage.Roll.class,
                            RingMessage.Bid.class,
                            RingMessage.Elected.class),
            Handshake.Opening.class, records(Handshake.Opening.class));

    private static final ClassValue<Shape> SHAPES = new ClassValue<>() {
        @Override
        protected Shape computeValue(Class<?> type) {
            return Shape.of(type);
        }
    };

    private FrameCodec() {}

    /** In the order of their names: what a sealed interface permits stands in an order that hangs on what other files mention. */
    private static List<Class<?>> records(Class<?>... families) {
        return Stream.of(families)
                .flatMap(family -> family.isRecord() ? Stream.of(family) : Stream.of(family.getPermittedSubclasses()))
                .sorted(Comparator.comparing(Class::getName))
                .toList();
    }

    private record Shape(List<RecordComponent> components, Constructor<?> constructor) {
        static Shape of(Class<?> type) {
            List<RecordComponent> components = List.of(type.getRecordComponents());
            Class<?>[] types = components.stream().map(RecordComponent::getType).toArray(Class<?>[]::new);
            try {
                return new Shape(components, type.getDeclaredConstructor(types));
            } catch (NoSuchMethodException impossible) {
                throw new IllegalStateException("every record has this constructor: " + type, impossible);
            }
        }
    }

    static byte[] write(PeerMessage message) {
        return write(PeerMessage.class, message);
    }

    static <T> byte[] write(Class<T> type, T value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            write(out, type, value);
        } catch (IOException impossible) {
            throw new UncheckedIOException("writing to memory", impossible);
        } catch (ReflectiveOperationException broken) {
            throw new IllegalStateException("no bytes for " + value, broken);
        }
        return bytes.toByteArray();
    }

    static List<PeerMessage> readAll(byte[] frame) throws ProtocolException {
        return readAll(PeerMessage.class, frame);
    }

    static <T> List<T> readAll(Class<T> type, byte[] frame) throws ProtocolException {
        List<T> values = new ArrayList<>();
        ByteArrayInputStream bytes = new ByteArrayInputStream(frame);
        DataInputStream in = new DataInputStream(bytes);
        try {
            while (bytes.available() > 0) {
                values.add(type.cast(read(in, type)));
            }
        } catch (IOException | ReflectiveOperationException | RuntimeException broken) {
            ProtocolException garbage = new ProtocolException("a frame that cannot be read");
            garbage.initCause(broken);
            throw garbage;
        }
        return values;
    }

    private static void write(DataOutputStream out, Class<?> type, Object value)
            throws IOException, ReflectiveOperationException {
        if (value instanceof Long number) {
            out.writeLong(number);
        } else if (value instanceof Integer number) {
            out.writeInt(number);
        } else if (value instanceof Boolean flag) {
            out.writeBoolean(flag);
        } else if (value instanceof String text) {
            out.writeUTF(text);
        } else if (value instanceof Enum<?> constant) {
            out.writeByte(constant.ordinal());
        } else if (value instanceof List<?> numbers) {
            out.writeShort(numbers.size());
            for (Object number : numbers.toArray()) {
                write(out, int.class, number);
            }
        } else if (value instanceof Map<?, ?> texts) {
            out.writeShort(texts.size());
            for (Map.Entry<?, ?> entry : texts.entrySet()) {
                write(out, String.class, entry.getKey());
                write(out, String.class, entry.getValue());
            }
        } else {
            if (CHOICES.containsKey(type)) {
                out.writeByte(CHOICES.get(type).indexOf(value.getClass()));
            }
            for (RecordComponent component : SHAPES.get(value.getClass()).components()) {
                write(out, component.getType(), component.getAccessor().invoke(value));
            }
        }
    }

    private static Object read(DataInputStream in, Class<?> type) throws IOException, ReflectiveOperationException {
        if (type == long.class) {
            return in.readLong();
        } else if (type == int.class) {
            return in.readInt();
        } else if (type == boolean.class) {
            return in.readBoolean();
        } else if (type == String.class) {
            return in.readUTF();
        } else if (type.isEnum()) {
            return type.getEnumConstants()[in.readUnsignedByte()];
        } else if (type == List.class) {
            List<Object> numbers = new ArrayList<>();
            for (int left = in.readUnsignedShort(); left > 0; left--) {
                numbers.add(in.readInt());
            }
            return numbers;
        } else if (type == Map.class) {
            Map<String, String> texts = new HashMap<>();
            for (int left = in.readUnsignedShort(); left > 0; left--) {
                texts.put(in.readUTF(), in.readUTF());
            }
            return texts;
        }
        Class<?> chosen = CHOICES.containsKey(type) ? CHOICES.get(type).get(in.readUnsignedByte()) : type;
        Shape shape = SHAPES.get(chosen);
        List<Object> components = new ArrayList<>();
        for (RecordComponent component : shape.components()) {
            components.add(read(in, component.getType()));
        }
        return shape.constructor().newInstance(components.toArray());
    }
}
