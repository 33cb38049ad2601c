/**
 * As much of gRPC as etcd needs, on channels of the JDK: calls and streams over one HTTP/2 connection, with or without TLS.
 * Not for use outside this module.
 *
 * <p>{@link dev.tenure.etcd.grpc.Connection} speaks HTTP/2, {@link dev.tenure.wire.Reactor} waits for the network,
 * {@link dev.tenure.etcd.grpc.Message} reads protocol buffers and {@link dev.tenure.etcd.grpc.MessageWriter} writes them.
 */
@NullMarked
package dev.tenure.etcd.grpc;

import org.jspecify.annotations.NullMarked;
