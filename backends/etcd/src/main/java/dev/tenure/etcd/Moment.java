package dev.tenure.etcd;

import dev.tenure.etcd.grpc.Message;

/** When something was so: which cluster, at which revision. Every answer of etcd begins with it. */
record Moment(long cluster, long revision) {
    private static final int HEADER = 1;

    static boolean isIn(Message reply) {
        return reply.has(HEADER);
    }

    static Moment of(Message reply) {
        Message header = reply.at(HEADER);
        return new Moment(header.number(1), header.number(3));
    }
}
