package dev.tenure.etcd;

import dev.tenure.NotLeadingException;
import dev.tenure.Term;
import dev.tenure.etcd.grpc.Message;
import java.util.List;

/** What a fence demands of a term beyond being the newest that it has seen. */
interface TermCondition {
    /** Nothing: the election may lie in another store. */
    TermCondition NONE = new TermCondition() {
        @Override
        public List<Message> around(Term term, List<Message> operations) {
            return operations;
        }

        @Override
        public void check(Term term, TxnReply reply) {}
    };

    /** These operations, made so that nothing of them is applied if the condition does not hold. */
    List<Message> around(Term term, List<Message> operations);

    /**
     * @param reply to a transaction that succeeded
     * @throws NotLeadingException if the condition did not hold, so that nothing was applied
     */
    void check(Term term, TxnReply reply);

    /**
     * The candidate's key that holds the term is still there. A fence does not know that key, because a term does not name
     * its lease; but it knows the revision that created it, and that it was the oldest of its election then. So it is there
     * for as long as any key of the election is not younger than it.
     */
    record EntryThere(Keys keys) implements TermCondition {
        @Override
        public List<Message> around(Term term, List<Message> operations) {
            KeyRange election = keys.election(term.election());
            Txn unlessAllAreYounger = new Txn()
                    .ifNoneBefore(election, term.token().sequence() + 1)
                    .otherwise(operations);
            return List.of(
                    new Txn().ifAny(election).then(unlessAllAreYounger.inside()).inside());
        }

        @Override
        public void check(Term term, TxnReply reply) {
            TxnReply any = reply.part(0).txn();
            boolean allAreYounger = any.succeeded() && any.part(0).txn().succeeded();
            if (!any.succeeded() || allAreYounger) {
                throw new NotLeadingException("token " + term.token() + " of election " + term.election()
                        + " may not write any more: its entry in the store is gone");
            }
        }
    }
}
