package dev.tenure.etcd;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.spi.support.RecordCodec;

/** The newest term that a resource has seen. */
record FenceRecord(ElectionName election, FencingToken token, Nonce nonce) {
    private static final RecordCodec CODEC = new RecordCodec("tenure fence 1");

    static FenceRecord of(Term term) {
        return new FenceRecord(term.election(), term.token(), term.nonce());
    }

    String text() {
        return CODEC.lines()
                .add("election", election.value())
                .add("token", token)
                .add("nonce", nonce)
                .text();
    }

    /** A fence that cannot be read lets nobody through. */
    static FenceRecord of(KeyValue stored) {
        return CODEC.read(
                "the fence at key " + stored.key(),
                stored.value(),
                fields -> new FenceRecord(
                        ElectionName.of(fields.text("election")),
                        FencingToken.parse(fields.text("token")),
                        Nonce.parse(fields.text("nonce"))));
    }

    /** Tokens of different elections say nothing about each other. */
    void refuseOtherElection(String resource, FenceRecord other) {
        if (!election.equals(other.election)) {
            throw new IllegalStateException(
                    resource + " is guarded by election '" + election + "', not by '" + other.election + "'");
        }
    }

    /** Two holders of one number are told apart by the nonce, and the one that came first keeps it. */
    boolean refuses(FenceRecord other) {
        return token.compareTo(other.token) > 0 || (token.equals(other.token) && !nonce.equals(other.nonce));
    }
}
