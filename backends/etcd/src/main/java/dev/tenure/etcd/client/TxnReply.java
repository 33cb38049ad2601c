package dev.tenure.etcd.client;

import dev.tenure.etcd.client.proto.PutResponse;
import dev.tenure.etcd.client.proto.ResponseOp;
import dev.tenure.etcd.client.proto.TxnResponse;
import java.util.List;
import java.util.Optional;

/** What a transaction answered, or one inside it. Its operations are counted from 0. */
public record TxnReply(TxnResponse message) {
    /** Did its conditions hold? */
    public boolean succeeded() {
        return message.getSucceeded();
    }

    /** At which it was applied; not known of one inside another. */
    public long revision() {
        return message.getHeader().getRevision();
    }

    /** How many operations it has answered. */
    public int size() {
        return message.getResponsesCount();
    }

    private ResponseOp part(int index) {
        if (index < 0 || index >= size()) {
            throw new IllegalArgumentException("etcd answered fewer operations than it was sent");
        }
        return message.getResponses(index);
    }

    public List<KeyValue> all(int index) {
        return KeyValue.all(part(index).getResponseRange().getKvsList());
    }

    public Optional<KeyValue> first(int index) {
        return all(index).stream().findFirst();
    }

    /** What a put has replaced. */
    public Optional<KeyValue> replaced(int index) {
        PutResponse put = part(index).getResponsePut();
        return put.hasPrevKv() ? Optional.of(KeyValue.of(put.getPrevKv())) : Optional.empty();
    }

    /** The answer to a transaction inside. */
    public TxnReply txn(int index) {
        return new TxnReply(part(index).getResponseTxn());
    }
}
