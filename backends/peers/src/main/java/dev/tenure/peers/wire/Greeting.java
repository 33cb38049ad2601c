package dev.tenure.peers.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * How two sides come to know each other, in four frames:
 *
 * <pre>
 * caller    Hello, with a nonce          ->
 *                                        <-  Hello, with a nonce          called
 *           proof over both greetings    ->
 *                                        <-  proof over both greetings
 * </pre>
 *
 * <p>Each proof is a seal under the secret over both greetings and the side that makes it. So an old one is of no use (the nonces differ),
 * and one side's proof cannot be handed back to it. Who does not know the secret gets no proof to try guesses on: the caller proves first.
 * The keys of the line are made from the same greetings. Instead of any frame a refusal may come, with a sentence for people; it proves
 * nothing, and nothing but the sentence is made of it.
 */
public final class Greeting {
    private static final byte SAID = 1;
    private static final byte REFUSED = 2;
    private static final int SENTENCE_CHARS_MAX = 300;

    private final InputStream in;
    private final OutputStream out;
    private final Secret secret;

    public Greeting(InputStream in, OutputStream out, Secret secret) {
        this.in = in;
        this.out = out;
        this.secret = secret;
    }

    /** Looks at a greeting. */
    @FunctionalInterface
    public interface Judge {
        void judge(Hello theirs) throws Refused;
    }

    /** @param theirs what the other side has said, and proved */
    public record Known(Hello theirs, Channel channel) {}

    public Known call(Hello mine, Judge judge) throws IOException {
        say(mine.encoded());
        byte[] answer = hear();
        Hello theirs = Hello.decoded(answer);
        judge(judge, mine, theirs);
        byte[] both = both(mine.encoded(), answer);
        say(secret.sealed("caller", both));
        requireProof(hear(), secret.sealed("called", both));
        return new Known(theirs, channel(both, "to the called", "to the caller"));
    }

    /**
     * @param greet looks at the greeting, and makes the answer
     * @param admit looks again, when it is proved
     */
    public Known answer(Hello mine, Judge greet, Judge admit) throws IOException {
        byte[] heard = hear();
        Hello theirs;
        try {
            theirs = Hello.decoded(heard);
            judge(greet, mine, theirs);
        } catch (Refused refusal) {
            throw refuse(refusal);
        }
        Hello answer = new Hello(
                mine.group(), mine.from(), theirs.from(), mine.instance(), mine.base(), mine.secret(), mine.nonce());
        say(answer.encoded());
        byte[] both = both(heard, answer.encoded());
        try {
            requireProof(hear(), secret.sealed("caller", both));
            admit.judge(theirs);
        } catch (Refused refusal) {
            throw refuse(refusal);
        }
        say(secret.sealed("called", both));
        return new Known(theirs, channel(both, "to the caller", "to the called"));
    }

    private static void judge(Judge judge, Hello mine, Hello theirs) throws Refused {
        if (mine.secret() != theirs.secret()) {
            throw new Refused(
                    "one of the two has a secret and the other has none: name the same secret.file everywhere");
        }
        judge.judge(theirs);
    }

    private static void requireProof(byte[] proof, byte[] expected) throws Refused {
        if (!Secret.same(proof, expected)) {
            throw new Refused("the two do not know the same secret: compare what secret.file names on both machines");
        }
    }

    private Channel channel(byte[] both, String outgoing, String incoming) {
        return new Channel(in, out, new Seal(secret.derived(outgoing, both)), new Seal(secret.derived(incoming, both)));
    }

    private static byte[] both(byte[] caller, byte[] called) {
        byte[] both = Arrays.copyOf(caller, caller.length + called.length);
        System.arraycopy(called, 0, both, caller.length, called.length);
        return both;
    }

    private void say(byte[] content) throws IOException {
        frame(SAID, content);
    }

    private Refused refuse(Refused refusal) throws IOException {
        frame(REFUSED, String.valueOf(refusal.getMessage()).getBytes(StandardCharsets.UTF_8));
        return refusal;
    }

    private void frame(byte kind, byte[] content) throws IOException {
        byte[] frame = new byte[content.length + 1];
        frame[0] = kind;
        System.arraycopy(content, 0, frame, 1, content.length);
        Frames.write(out, frame);
    }

    private byte[] hear() throws IOException {
        byte[] frame = Frames.read(in, Frames.GREETING_BYTES_MAX);
        byte[] content = Arrays.copyOfRange(frame, 1, frame.length);
        if (frame[0] == REFUSED) {
            throw new Refused(printable(new String(content, StandardCharsets.UTF_8)));
        }
        if (frame[0] != SAID) {
            throw new Garbled("a greeting of an unknown kind");
        }
        return content;
    }

    /** Nobody has proved that this comes from a member: it must not be able to draw on a terminal. */
    private static String printable(String sentence) {
        StringBuilder shown = new StringBuilder();
        sentence.codePoints()
                .limit(SENTENCE_CHARS_MAX)
                .forEach(c -> shown.append(c >= ' ' && c <= '~' ? (char) c : '?'));
        return shown.toString();
    }
}
