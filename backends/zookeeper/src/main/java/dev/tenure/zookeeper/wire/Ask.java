package dev.tenure.zookeeper.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;

/** One request, and who waits for its answer. */
public final class Ask<T> {
    private static final int XID_AT = Integer.BYTES;
    private static final int NOT_NUMBERED = 0;
    private static final int END = -1;

    private final ByteBuffer frame;
    private final Parser<T> parser;
    private final Reply<T> reply;

    @FunctionalInterface
    interface Parser<T> {
        T parse(RecordReader in) throws IOException;
    }

    /** A znode as it was created. */
    public record Created(String path, Stat stat) {}

    private Ask(ByteBuffer frame, Parser<T> parser, Reply<T> reply) {
        this.frame = frame;
        this.parser = parser;
        this.reply = reply;
    }

    static <T> Ask<T> of(OpType type, Consumer<RecordWriter> body, Parser<T> parser, Reply<T> reply) {
        return new Ask<>(frame(NOT_NUMBERED, type, body), parser, reply);
    }

    static ByteBuffer frame(int xid, OpType type, Consumer<RecordWriter> body) {
        RecordWriter out = new RecordWriter().number(xid).number(type.number());
        body.accept(out);
        return out.frame();
    }

    private static <T> Ask<T> of(Op op, Parser<T> parser, Reply<T> reply) {
        return of(op.type(), op::write, parser, reply);
    }

    private static Ask<Boolean> of(Op op, Reply<Boolean> reply) {
        return of(op, in -> true, reply);
    }

    public static Ask<Created> create(String path, byte[] data, Access access, CreateMode mode, Reply<Created> reply) {
        return of(
                Op.creation(OpType.CREATE2, path, data, access, mode),
                in -> new Created(in.text(), Stat.read(in)),
                reply);
    }

    public static Ask<Boolean> delete(String path, int version, Reply<Boolean> reply) {
        return of(Op.delete(path, version), reply);
    }

    public static Ask<Stat> setData(String path, byte[] data, int version, Reply<Stat> reply) {
        return of(Op.setData(path, data, version), Stat::read, reply);
    }

    public static Ask<OpResult.Data> getData(String path, Reply<OpResult.Data> reply) {
        return of(Op.getData(path), OpResult.Data::read, reply);
    }

    static Ask<OpResult.Data> getDataAndWatch(String path, Reply<OpResult.Data> reply) {
        return of(Op.getDataAndWatch(path), OpResult.Data::read, reply);
    }

    public static Ask<List<String>> getChildren(String path, Reply<List<String>> reply) {
        return of(Op.getChildren(path), RecordReader::texts, reply);
    }

    /** Brings the server up to what its leader has committed. */
    public static Ask<Boolean> sync(String path, Reply<Boolean> reply) {
        return of(Op.sync(path), reply);
    }

    /** All or nothing. */
    public static Ask<List<OpResult>> write(List<Op> writes, Reply<List<OpResult>> reply) {
        return together(OpType.MULTI, writes, reply);
    }

    /** All at one moment; each has its own result. */
    public static Ask<List<OpResult>> read(List<Op> reads, Reply<List<OpResult>> reply) {
        return together(OpType.MULTI_READ, reads, reply);
    }

    private static Ask<List<OpResult>> together(OpType type, List<Op> ops, Reply<List<OpResult>> reply) {
        RecordWriter out = new RecordWriter().number(NOT_NUMBERED).number(type.number());
        for (Op op : ops) {
            header(out, op.type().number(), false);
            op.write(out);
        }
        header(out, END, true);
        return new Ask<>(out.frame(), OpResult::readAll, reply);
    }

    private static void header(RecordWriter out, int type, boolean last) {
        out.number(type).flag(last).number(END);
    }

    static Ask<Boolean> setWatches(long lastZxid, List<String> paths, Reply<Boolean> reply) {
        List<String> none = List.of();
        return of(
                OpType.SET_WATCHES,
                out -> out.longNumber(lastZxid).texts(paths).texts(none).texts(none),
                in -> true,
                reply);
    }

    static Ask<Boolean> addWatch(String path, int mode, Reply<Boolean> reply) {
        return of(Op.addWatch(path, mode), reply);
    }

    ByteBuffer numbered(int xid) {
        return frame.putInt(XID_AT, xid);
    }

    void heard(int error, RecordReader in) throws IOException {
        Code code = Code.of(error);
        if (code == Code.OK) {
            reply.answered(parsed(in));
        } else {
            reply.refused(code);
        }
    }

    /** Whoever waits for an answer that cannot be read hears what all the others hear whose answers never come. */
    private T parsed(RecordReader in) throws IOException {
        try {
            return parser.parse(in);
        } catch (IOException | RuntimeException garbled) {
            reply.refused(Code.CONNECTIONLOSS);
            throw garbled;
        }
    }

    void failed(Code code) {
        reply.refused(code);
    }
}
