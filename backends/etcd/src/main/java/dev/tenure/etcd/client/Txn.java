package dev.tenure.etcd.client;

import com.google.protobuf.ByteString;
import dev.tenure.etcd.client.proto.Compare;
import dev.tenure.etcd.client.proto.Compare.CompareResult;
import dev.tenure.etcd.client.proto.Compare.CompareTarget;
import dev.tenure.etcd.client.proto.RequestOp;
import dev.tenure.etcd.client.proto.TxnRequest;
import java.util.List;

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

    public Txn ifLease(String key, long lease) {
        compare(KeyRange.one(key), CompareTarget.LEASE).setLease(lease);
        return this;
    }

    public Txn ifValue(String key, String value) {
        compare(KeyRange.one(key), CompareTarget.VALUE).setValue(ByteString.copyFromUtf8(value));
        return this;
    }

    /** There is no key in this range. */
    public Txn ifEmpty(KeyRange range) {
        return ifCreation(CompareResult.EQUAL, range, 0);
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
        return then(List.of(operations));
    }

    public Txn then(List<Operation> operations) {
        operations.forEach(operation -> message.addSuccess(operation.message()));
        return this;
    }

    public Txn otherwise(Operation... operations) {
        return otherwise(List.of(operations));
    }

    public Txn otherwise(List<Operation> operations) {
        operations.forEach(operation -> message.addFailure(operation.message()));
        return this;
    }

    /** The same as one operation of another transaction. */
    public Operation inside() {
        return new Operation(RequestOp.newBuilder().setRequestTxn(message).build());
    }

    TxnRequest message() {
        return message.build();
    }
}
