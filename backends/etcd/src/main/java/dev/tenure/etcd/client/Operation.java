package dev.tenure.etcd.client;

import com.google.protobuf.ByteString;
import dev.tenure.etcd.client.proto.DeleteRangeRequest;
import dev.tenure.etcd.client.proto.PutRequest;
import dev.tenure.etcd.client.proto.RangeRequest;
import dev.tenure.etcd.client.proto.RangeRequest.SortOrder;
import dev.tenure.etcd.client.proto.RangeRequest.SortTarget;
import dev.tenure.etcd.client.proto.RequestOp;

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

    /** Shows what it has replaced. */
    public static Operation put(String key, String value) {
        return put(PutRequest.newBuilder().setPrevKv(true), key, value);
    }

    public static Operation put(String key, String value, long lease) {
        return put(PutRequest.newBuilder().setLease(lease), key, value);
    }

    private static Operation put(PutRequest.Builder request, String key, String value) {
        request.setKey(KeyRange.bytes(key)).setValue(ByteString.copyFromUtf8(value));
        return new Operation(RequestOp.newBuilder().setRequestPut(request).build());
    }

    public static Operation delete(String key) {
        DeleteRangeRequest.Builder request = DeleteRangeRequest.newBuilder().setKey(KeyRange.bytes(key));
        return new Operation(
                RequestOp.newBuilder().setRequestDeleteRange(request).build());
    }
}
