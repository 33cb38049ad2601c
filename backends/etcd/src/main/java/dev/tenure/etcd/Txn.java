package dev.tenure.etcd;

import dev.tenure.etcd.grpc.Message;
import dev.tenure.etcd.grpc.MessageWriter;
import java.util.List;

/** If all of this holds, do that, else the other: one atomic step of the store. It can stand inside another one. */
final class Txn {
    private static final int CONDITION = 1;
    private static final int THEN = 2;
    private static final int OTHERWISE = 3;

    // Kinds of operations
    private static final int RANGE = 1;
    private static final int PUT = 2;
    private static final int DELETE = 3;
    private static final int INNER = 4;

    private static final int ASCENDING = 1;
    private static final int DESCENDING = 2;
    private static final int BY_CREATION = 2;

    private final MessageWriter message = new MessageWriter();

    /** How a condition compares. */
    private enum Result {
        EQUAL,
        GREATER,
        LESS,
        NOT_EQUAL
    }

    /** What it compares; each has its own field for the other side. */
    private enum Target {
        VERSION,
        CREATE,
        MOD,
        VALUE,
        LEASE;

        int field() {
            return 4 + ordinal();
        }
    }

    /** The key was created by the write of this revision; 0: there is no such key. */
    Txn ifCreated(String key, long revision) {
        return ifNumber(Result.EQUAL, Target.CREATE, KeyRange.one(key), revision);
    }

    Txn ifModified(String key, long revision) {
        return ifNumber(Result.EQUAL, Target.MOD, KeyRange.one(key), revision);
    }

    Txn ifLease(String key, long lease) {
        return ifNumber(Result.EQUAL, Target.LEASE, KeyRange.one(key), lease);
    }

    Txn ifValue(String key, String value) {
        return add(condition(Result.EQUAL, Target.VALUE, KeyRange.one(key)).text(Target.VALUE.field(), value));
    }

    /** There is no key in this range. */
    Txn ifEmpty(KeyRange range) {
        return ifNumber(Result.EQUAL, Target.CREATE, range, 0);
    }

    /** There is a key in this range. */
    Txn ifAny(KeyRange range) {
        return ifNumber(Result.NOT_EQUAL, Target.CREATE, range, 0);
    }

    /** Every key in this range was created at this revision or later. */
    Txn ifNoneBefore(KeyRange range, long revision) {
        return ifNumber(Result.GREATER, Target.CREATE, range, revision - 1);
    }

    private Txn ifNumber(Result result, Target target, KeyRange range, long number) {
        return add(condition(result, target, range).numberEvenIfZero(target.field(), number));
    }

    private static MessageWriter condition(Result result, Target target, KeyRange range) {
        return new MessageWriter()
                .number(1, result.ordinal())
                .number(2, target.ordinal())
                .latin(3, range.from())
                .latin(64, range.to());
    }

    private Txn add(MessageWriter condition) {
        message.message(CONDITION, condition.done());
        return this;
    }

    Txn then(Message... operations) {
        return then(List.of(operations));
    }

    Txn then(List<Message> operations) {
        operations.forEach(operation -> message.message(THEN, operation));
        return this;
    }

    Txn otherwise(Message... operations) {
        return otherwise(List.of(operations));
    }

    Txn otherwise(List<Message> operations) {
        operations.forEach(operation -> message.message(OTHERWISE, operation));
        return this;
    }

    /** Nothing may be added after this. */
    Message message() {
        return message.done();
    }

    /** The same as one operation of another transaction. */
    Message inside() {
        return operation(INNER, message());
    }

    static Message get(String key) {
        return get(KeyRange.one(key));
    }

    static Message get(KeyRange range) {
        return operation(RANGE, range.request().done());
    }

    /** The candidate that stands longest. */
    static Message first(KeyRange range) {
        return operation(RANGE, one(range, ASCENDING).done());
    }

    /** The candidate that came last. */
    static Message last(KeyRange range) {
        return operation(RANGE, one(range, DESCENDING).done());
    }

    /** The one that came just before this revision. */
    static Message lastBefore(KeyRange range, long revision) {
        return operation(RANGE, one(range, DESCENDING).number(13, revision - 1).done());
    }

    private static MessageWriter one(KeyRange range, int order) {
        return range.request().number(3, 1).number(5, order).number(6, BY_CREATION);
    }

    /** Shows what it has replaced. */
    static Message put(String key, String value) {
        return operation(
                PUT, new MessageWriter().latin(1, key).text(2, value).flag(4).done());
    }

    static Message put(String key, String value, long lease) {
        return operation(
                PUT,
                new MessageWriter()
                        .latin(1, key)
                        .text(2, value)
                        .number(3, lease)
                        .done());
    }

    static Message delete(String key) {
        return operation(DELETE, new MessageWriter().latin(1, key).done());
    }

    private static Message operation(int kind, Message request) {
        return new MessageWriter().message(kind, request).done();
    }
}
