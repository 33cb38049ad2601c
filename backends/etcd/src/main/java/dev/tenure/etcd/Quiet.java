package dev.tenure.etcd;

/**
 * Was anything at all written to the store since a record was looked at? Every renewal tells the cluster and its revision.
 * While they stay the same, no record can have gone since then and no rival can have come, so nobody has to look again: a
 * heartbeat is one request. Each renewal gives its word for one look only. Loop-confined.
 */
final class Quiet {
    private String renewedAt = "never";
    private String checkedAt = "";
    private boolean word;

    /** @param header of the answer to a renewal */
    void renewed(Json header) {
        renewedAt = header.text("cluster_id") + " " + header.text("revision");
        word = renewedAt.equals(checkedAt);
    }

    /** Can a look be spared? */
    boolean takeWord() {
        boolean given = word;
        word = false;
        return given;
    }

    /** A look begins; run the result when it was answered. What it shows is not older than the renewal before it. */
    Runnable asking() {
        String at = renewedAt;
        return () -> checkedAt = at;
    }
}
