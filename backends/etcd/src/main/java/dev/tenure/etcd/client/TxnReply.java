package dev.tenure.etcd.client;

import dev.tenure.etcd.client.proto.ResponseOp;
import dev.tenure.etcd.client.proto.TxnResponse;
import java.util.List;
import java.util.Optional;

/** What a transaction answered, or one inside it. */
public final class TxnReply {
    private final TxnResponse message;

    TxnReply(TxnResponse message) {
        this.message = message;
    }

    /** Did its conditions hold? */
    public boolean succeeded() {
        return message.getSucceeded();
    }

    /** When it was applied; not known of one inside another. */
    public EtcdClient.ClusterRevision clusterRevision() {
        return EtcdClient.ClusterRevision.of(message.getHeader());
    }

    public long revision() {
        return message.getHeader().getRevision();
    }

    public boolean isEmpty() {
        return message.getResponsesCount() == 0;
    }

    /** The answer to this operation. */
    public Part part(int index) {
        if (index >= message.getResponsesCount()) {
            throw new IllegalArgumentException("etcd answered fewer operations than it was sent");
        }
        return new Part(message.getResponses(index));
    }

    /** The answer to one operation. */
    public static final class Part {
        private final ResponseOp message;

        private Part(ResponseOp message) {
            this.message = message;
        }

        public List<KeyValue> all() {
            return KeyValue.all(message.getResponseRange().getKvsList());
        }

        public Optional<KeyValue> first() {
            return all().stream().findFirst();
        }

        /** What a put has replaced. */
        public Optional<KeyValue> replaced() {
            return message.getResponsePut().hasPrevKv()
                    ? Optional.of(KeyValue.of(message.getResponsePut().getPrevKv()))
                    : Optional.empty();
        }

        public TxnReply txn() {
            return new TxnReply(message.getResponseTxn());
        }
    }
}
