package dev.tenure.etcd;

import dev.tenure.etcd.grpc.HeaderWriter;
import dev.tenure.etcd.grpc.Message;
import dev.tenure.etcd.grpc.MessageWriter;
import dev.tenure.spi.support.StoreUrl;
import java.net.URI;

/** The calls of etcd that are used here. */
enum Method {
    TXN("KV/Txn"),
    RANGE("KV/Range"),
    WATCH("Watch/Watch"),
    GRANT_LEASE("Lease/LeaseGrant"),
    /** A stream on the wire; one message and its answer are one renewal. */
    KEEP_LEASE_ALIVE("Lease/LeaseKeepAlive"),
    REVOKE_LEASE("Lease/LeaseRevoke"),
    LEASE_TIME_TO_LIVE("Lease/LeaseTimeToLive"),
    STATUS("Maintenance/Status"),
    MEMBER_LIST("Cluster/MemberList"),
    AUTHENTICATE("Auth/Authenticate");

    private final String path;

    Method(String path) {
        this.path = "/etcdserverpb." + path;
    }

    /** The request of {@link #AUTHENTICATE}. */
    static Message login(StoreUrl.Login who) {
        return new MessageWriter().text(1, who.user()).text(2, who.password()).done();
    }

    /** @param token of the login; empty without one */
    byte[] headers(URI server, String token) {
        HeaderWriter headers = new HeaderWriter()
                .add(":method", "POST")
                .add(":scheme", server.getScheme())
                .add(":path", path)
                .add(":authority", server.getAuthority())
                .add("content-type", "application/grpc")
                .add("te", "trailers")
                // With it a server that has lost its cluster refuses at once, and ends its streams.
                .add("hasleader", "true");
        return (token.isEmpty() ? headers : headers.add("token", token)).block();
    }
}
