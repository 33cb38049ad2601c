package dev.tenure.peers.wire;

import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Two ends of a line in memory. */
final class Pair implements AutoCloseable {
    private static final int PIPE_BYTES = 1 << 20;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final PipedInputStream toCaller = new PipedInputStream(PIPE_BYTES);
    private final PipedInputStream toCalled = new PipedInputStream(PIPE_BYTES);
    private final PipedOutputStream fromCaller;
    private final PipedOutputStream fromCalled;

    Pair() {
        try {
            fromCaller = new PipedOutputStream(toCalled);
            fromCalled = new PipedOutputStream(toCaller);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    static Hello hello(String from, String to, boolean secret) {
        byte[] random = new byte[Hello.NONCE_DIGITS / 2];
        new SecureRandom().nextBytes(random);
        String nonce = java.util.HexFormat.of().formatHex(random);
        return new Hello("group", from, to, 7, 0, secret, nonce);
    }

    Future<Greeting.Known> call(Secret secret) {
        return threads.submit(
                () -> new Greeting(toCaller, fromCaller, secret).call(hello("a", "b", !secret.isNone()), theirs -> {}));
    }

    Future<Greeting.Known> answer(Secret secret) {
        return threads.submit(() -> new Greeting(toCalled, fromCalled, secret)
                .answer(hello("b", "", !secret.isNone()), theirs -> {}, theirs -> {}));
    }

    /** The caller's end, for those who do not keep to the rules. */
    Raw raw() {
        return new Raw(toCaller, fromCaller);
    }

    Raw rawCalled() {
        return new Raw(toCalled, fromCalled);
    }

    /** Frames by hand. */
    record Raw(PipedInputStream in, PipedOutputStream out) {
        void say(byte[] content) throws IOException {
            byte[] frame = new byte[content.length + 1];
            frame[0] = 1;
            System.arraycopy(content, 0, frame, 1, content.length);
            Frames.write(out, frame);
        }

        void refuse(String sentence) {
            try {
                byte[] text = sentence.getBytes(StandardCharsets.UTF_8);
                byte[] frame = new byte[text.length + 1];
                frame[0] = 2;
                System.arraycopy(text, 0, frame, 1, text.length);
                Frames.write(out, frame);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        byte[] hear() throws IOException {
            byte[] frame = Frames.read(in, Frames.GREETING_BYTES_MAX);
            if (frame[0] == 2) {
                throw new Refused(new String(frame, 1, frame.length - 1, StandardCharsets.UTF_8));
            }
            return Arrays.copyOfRange(frame, 1, frame.length);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
