package dev.tenure.cli.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * What the supervisor tells its guardian (the protocol stands at the top of {@code guardian.pl}).
 *
 * <p>A guardian that cannot be told the end of the term is not one. When an order cannot be delivered, the guardian
 * is killed; the kernel then kills the child, and the reader of its reports sees the end and sweeps up the rest.
 * Callers need no error path of their own.
 */
final class Orders {

    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    /** The supervisor keeps a ninth of the grace between SIGKILL and the end of the term: half of that, for the sweep. */
    private static final int SILENCES_PER_GRACE = 18;

    private final ControlSocket socket;
    private final GuardianClock clock;
    private final Process guardian;
    private final Duration grace;

    Orders(ControlSocket socket, GuardianClock clock, Process guardian, Duration grace) {
        this.socket = socket;
        this.clock = clock;
        this.guardian = guardian;
        this.grace = grace;
    }

    /** The orders that do not depend on the term, sent ahead so that the start itself is short. */
    static String preparing(List<byte[]> command, Duration grace) {
        StringBuilder lines = new StringBuilder();
        command.forEach(word -> lines.append("arg ").append(encoded(word)).append('\n'));
        return lines.append("grace ").append(grace.toMillis()).append("e-3\n").toString();
    }

    void start(Map<String, String> environment, long validUntilNanos) {
        StringBuilder lines = new StringBuilder();
        environment.forEach((name, value) -> lines.append("env ")
                .append(encoded(name.getBytes(StandardCharsets.UTF_8)))
                .append(' ')
                .append(encoded(value.getBytes(StandardCharsets.UTF_8)))
                .append('\n'));
        send(() -> lines + "start " + window(validUntilNanos));
    }

    void deadline(long validUntilNanos) {
        send(() -> "deadline " + window(validUntilNanos));
    }

    void signal(int number) {
        send(() -> "signal " + number);
    }

    void stop(Duration stopGrace) {
        send(() -> "stop " + clock.secondsAt(System.nanoTime() + stopGrace.toNanos()));
    }

    void end() {
        try {
            socket.endOrders();
        } catch (IOException unreachable) {
            guardian.destroyForcibly();
        }
    }

    /** How long after SIGKILL was due a guardian may leave open whether it was sent. */
    long silenceNanosMax() {
        return grace.toNanos() / SILENCES_PER_GRACE;
    }

    void killGuardian() {
        guardian.destroyForcibly();
    }

    private String window(long validUntilNanos) throws IOException {
        return clock.secondsAt(validUntilNanos - grace.toNanos()) + ' ' + clock.secondsAt(validUntilNanos);
    }

    private void send(Order order) {
        try {
            socket.send(order.line() + '\n');
        } catch (IOException unreachable) {
            guardian.destroyForcibly();
        }
    }

    @FunctionalInterface
    private interface Order {
        String line() throws IOException;
    }

    /**
     * Percent-encoding of everything but letters, digits and a few marks, so that any bytes make one word of one
     * line.
     */
    static String encoded(byte[] bytes) {
        StringBuilder word = new StringBuilder(bytes.length + 16);
        for (byte b : bytes) {
            boolean plain = (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '-' && b <= '9') || b == '_';
            if (plain) {
                word.append((char) b);
            } else {
                word.append('%').append(HEX.toHexDigits(b));
            }
        }
        return word.toString();
    }
}
