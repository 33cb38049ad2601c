// SPDX-License-Identifier: Apache-2.0
package dev.tenure.etcd.client;

import com.google.protobuf.ByteString;
import dev.tenure.etcd.client.proto.Compare;
import dev.tenure.etcd.client.proto.Compare.CompareResult;
import dev.tenure.etcd.client.proto.Compare.CompareTarget;
import dev.tenure.etcd.client.proto.DeleteRangeRequest;
import dev.tenure.etcd.client.proto.PutRequest;
import dev.tenure.etcd.client.proto.RangeRequest;
import dev.tenure.etcd.client.proto.RangeRequest.SortOrder;
import dev.tenure.etcd.client.proto.RangeRequest.SortTarget;
import dev.tenure.etcd.client.proto.RequestOp;
import dev.tenure.etcd.client.proto.ResponseOp;
import dev.tenure.etcd.client.proto.TxnRequest;
import dev.tenure.etcd.client.proto.TxnResponse;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** If all of this holds, do that, else the other: one atomic step of the store. It can stand inside another one. */
public final class Txn {
    private final TxnRequest.Builder message = TxnRequest.newBuilder();

    /** The key was created by the write of this revision; 0: there is no such key. */
    public Txn ifCreated(String key, long revision) {
        return ifCreation(CompareResult.EQUAL, KeyRange.one(key), revision);
    }

    public Txn ifModified(String key, long revision) {
        compare(KeyRange.one(key), CompareTarget.MOD).setModRevision(revision);
        return this;
    }

    public Txn ifValue(String key, String value) {
        compare(KeyRange.one(key), CompareTarget.VALUE).setValue(ByteString.copyFromUtf8(value));
        return this;
    }

    /** There is a key in this range. */
    public Txn ifAny(KeyRange range) {
        return ifCreation(CompareResult.NOT_EQUAL, range, 0);
    }

    /** Every key in this range was created at this revision or later. */
    public Txn ifNoneBefore(KeyRange range, long revision) {
        return ifCreation(CompareResult.GREATER, range, revision - 1);
    }

    private Txn ifCreation(CompareResult result, KeyRange range, long revision) {
        compare(range, CompareTarget.CREATE).setResult(result).setCreateRevision(revision);
        return this;
    }

    /** Equal, if nothing else is said. */
    private Compare.Builder compare(KeyRange range, CompareTarget target) {
        return message.addCompareBuilder()
                .setTarget(target)
                .setKey(KeyRange.bytes(range.from()))
                .setRangeEnd(KeyRange.bytes(range.to()));
    }

    public Txn then(Operation... operations) {
        Stream.of(operations).map(Operation::message).forEach(message::addSuccess);
        return this;
    }

    public Txn otherwise(Operation... operations) {
        Stream.of(operations).map(Operation::message).forEach(message::addFailure);
        return this;
    }

    /** What it does if its conditions hold. */
    public Operation[] operations() {
        return message.getSuccessList().stream().map(Operation::new).toArray(Operation[]::new);
    }

    /** The same as one operation of another transaction. */
    public Operation inside() {
        return new Operation(RequestOp.newBuilder().setRequestTxn(message).build());
    }

    TxnRequest message() {
        return message.build();
    }

    /** One operation of a transaction. */
    public record Operation(RequestOp message) {
        public static Operation get(String key) {
            return get(KeyRange.one(key));
        }

        public static Operation get(KeyRange range) {
            return range(range.request());
        }

        /** The candidate that stands longest. */
        public static Operation first(KeyRange range) {
            return range(oneByCreation(range, SortOrder.ASCEND));
        }

        /** The candidate that came last. */
        public static Operation last(KeyRange range) {
            return range(oneByCreation(range, SortOrder.DESCEND));
        }

        /** The one that came just before this revision. */
        public static Operation lastBefore(KeyRange range, long revision) {
            return range(oneByCreation(range, SortOrder.DESCEND).setMaxCreateRevision(revision - 1));
        }

        private static RangeRequest.Builder oneByCreation(KeyRange range, SortOrder order) {
            return range.request().setLimit(1).setSortOrder(order).setSortTarget(SortTarget.CREATE);
        }

        private static Operation range(RangeRequest.Builder request) {
            return new Operation(RequestOp.newBuilder().setRequestRange(request).build());
        }

        public static Operation put(String key, String value) {
            return put(key, value, 0);
        }

        /** Goes with this lease, unless it is 0. */
        public static Operation put(String key, String value, long lease) {
            PutRequest.Builder request = PutRequest.newBuilder()
                    .setKey(KeyRange.bytes(key))
                    .setValue(ByteString.copyFromUtf8(value))
                    .setLease(lease);
            return new Operation(RequestOp.newBuilder().setRequestPut(request).build());
        }

        public static Operation delete(String key) {
            DeleteRangeRequest.Builder request = DeleteRangeRequest.newBuilder().setKey(KeyRange.bytes(key));
            return new Operation(
                    RequestOp.newBuilder().setRequestDeleteRange(request).build());
        }
    }

    /**
     * What a transaction answered, or one inside it. Its operations are counted from 0.
     *
     * @param revision at which it was applied
     */
    public record Reply(TxnResponse message, int begin, long revision) {
        Reply(TxnResponse message) {
            this(message, 0, message.getHeader().getRevision());
        }

        /** Did its conditions hold? */
        public boolean succeeded() {
            return message.getSucceeded();
        }

        private ResponseOp part(int index) {
            if (begin + index >= message.getResponsesCount()) {
                throw new IllegalArgumentException("etcd answered fewer operations than it was sent");
            }
            return message.getResponses(begin + index);
        }

        public List<KeyValue> all(int index) {
            return KeyValue.all(part(index).getResponseRange().getKvsList());
        }

        public Optional<KeyValue> first(int index) {
            return all(index).stream().findFirst();
        }

        /** The answer to a transaction inside. */
        public Reply txn(int index) {
            return new Reply(part(index).getResponseTxn(), 0, revision);
        }

        /** The same, where the answer to this operation counts as the first. */
        public Reply from(int index) {
            return new Reply(message, begin + index, revision);
        }
    }
}
