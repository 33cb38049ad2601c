package dev.tenure.etcd;

import dev.tenure.ElectionName;
import dev.tenure.FencingToken;
import dev.tenure.Nonce;
import dev.tenure.Term;
import dev.tenure.spi.BackendException;
import java.util.LinkedHashMap;
import java.util.Map;

/** The newest term that a resource has seen. */
record FenceRecord(ElectionName election, FencingToken token, Nonce nonce) {
    private static final String HEADING = "tenure fence 1";

    static FenceRecord of(Term term) {
        return new FenceRecord(term.election(), term.token(), term.nonce());
    }

    String text() {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("election", election.value());
        fields.put("token", token.toString());
        fields.put("nonce", nonce.toString());
        return Fields.write(HEADING, fields);
    }

    /** A fence that cannot be read lets nobody through. */
    static FenceRecord of(KeyValue stored) {
        try {
            Fields fields = Fields.read(HEADING, stored.value())
                    .orElseThrow(() -> new IllegalArgumentException("it does not begin with '" + HEADING + "'"));
            return new FenceRecord(
                    ElectionName.of(fields.text("election")),
                    FencingToken.parse(fields.text("token")),
                    Nonce.parse(fields.text("nonce")));
        } catch (IllegalArgumentException damaged) {
            throw new BackendException(
                    BackendException.Effect.NONE,
                    BackendException.Kind.CORRUPT,
                    "the fence at key " + stored.key() + " cannot be read: " + damaged.getMessage(),
                    damaged);
        }
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
