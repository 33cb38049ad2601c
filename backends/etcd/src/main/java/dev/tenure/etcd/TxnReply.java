package dev.tenure.etcd;

import dev.tenure.etcd.grpc.Message;
import java.util.List;
import java.util.Optional;

/** What a transaction answered, or one inside it. */
final class TxnReply {
    private final Message message;
    private final List<Part> parts;

    TxnReply(Message message) {
        this.message = message;
        this.parts = message.list(3).stream().map(Part::new).toList();
    }

    /** Did its conditions hold? */
    boolean succeeded() {
        return message.flag(2);
    }

    /** At which it was applied; not known of one inside another. */
    Moment moment() {
        return Moment.of(message);
    }

    long revision() {
        return moment().revision();
    }

    boolean isEmpty() {
        return parts.isEmpty();
    }

    /** The answer to this operation. */
    Part part(int index) {
        if (index >= parts.size()) {
            throw new IllegalArgumentException("etcd answered fewer operations than it was sent");
        }
        return parts.get(index);
    }

    /** The answer to one operation. */
    record Part(Message message) {
        List<KeyValue> all() {
            return KeyValue.inRange(message.at(1));
        }

        Optional<KeyValue> first() {
            return all().stream().findFirst();
        }

        /** What a put has replaced. */
        Optional<KeyValue> replaced() {
            Message put = message.at(2);
            return put.has(2) ? Optional.of(KeyValue.of(put.at(2))) : Optional.empty();
        }

        TxnReply txn() {
            return new TxnReply(message.at(4));
        }
    }
}
