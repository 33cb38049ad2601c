package dev.tenure.zookeeper.wire;

import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;

/** Carries a dialog with the server, word by word, until both are content or one is not. */
final class Proof implements Reply<byte[]> {
    private final SaslDialog dialog;
    private final Consumer<Ask<?>> send;
    private final Runnable believed;
    private final Runnable notBelieved;

    Proof(SaslDialog dialog, Consumer<Ask<?>> send, Runnable believed, Runnable notBelieved) {
        this.dialog = dialog;
        this.send = send;
        this.believed = believed;
        this.notBelieved = notBelieved;
    }

    void begin() throws IOException {
        say(dialog.opening());
    }

    private void say(byte[] token) {
        send.accept(Ask.of(OpType.SASL, out -> out.data(token), RecordReader::data, this));
    }

    @Override
    public void answered(byte[] challenge) {
        Optional<byte[]> next;
        try {
            next = dialog.next(challenge);
        } catch (IOException notTheServer) {
            notBelieved.run();
            return;
        }
        next.ifPresentOrElse(this::say, believed);
    }

    @Override
    public void refused(Code code) {
        notBelieved.run();
    }
}
