package dev.tenure.zookeeper;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.support.Stages;
import dev.tenure.zookeeper.wire.Code;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** What ZooKeeper said instead of doing it. */
final class StoreFailure extends BackendException {
    private static final long serialVersionUID = 1L;

    /**
     * The answers that are a server's own word on the very request. A lost connection is not among them, and neither is an
     * expired session: the client gives that answer also to requests that were under way and may have been applied.
     */
    private static final Set<Code> REFUSALS = EnumSet.of(
            Code.NONODE,
            Code.NODEEXISTS,
            Code.BADVERSION,
            Code.NOTEMPTY,
            Code.NOAUTH,
            Code.INVALIDACL,
            Code.NOCHILDRENFOREPHEMERALS,
            Code.BADARGUMENTS,
            Code.QUOTAEXCEEDED);

    private static final Set<Code> SETTINGS =
            EnumSet.of(Code.NOAUTH, Code.AUTHFAILED, Code.INVALIDACL, Code.BADARGUMENTS, Code.QUOTAEXCEEDED);

    private final Code code;
    private final String path;

    private StoreFailure(Code code, String path, String message) {
        super(
                REFUSALS.contains(code) ? Effect.NONE : Effect.UNKNOWN,
                SETTINGS.contains(code) ? Kind.MISCONFIGURED : Kind.UNREACHABLE,
                message);
        this.code = code;
        this.path = path;
    }

    static StoreFailure of(Code code, String path, Settings settings) {
        String who = settings.login().shown();
        String servers = settings.connectString();
        String sentence = switch (code) {
            case CONNECTIONLOSS, OPERATIONTIMEOUT, REQUESTTIMEOUT ->
                "the connection to ZooKeeper at " + servers + " broke before the answer for " + path + " came";
            case SESSIONEXPIRED, SESSIONMOVED -> "the ZooKeeper session has ended";
            case NOAUTH ->
                "ZooKeeper at " + servers + " does not let " + who + " touch " + path
                        + ": the password is wrong, or the " + "ACL of that znode names somebody else";
            case AUTHFAILED ->
                "ZooKeeper at " + servers + " did not accept the login of " + who + ": check name and password";
            case INVALIDACL ->
                "ZooKeeper at " + servers + " does not know " + who + ", so it cannot own znodes: check the login, or "
                        + "say acl=open";
            default -> "ZooKeeper at " + servers + " answered " + code + " for " + path;
        };
        return new StoreFailure(code, path, sentence);
    }

    /** What ZooKeeper said, if the failure is its own. */
    static Optional<Code> codeIn(Throwable failure) {
        return Stages.rootOf(failure) instanceof StoreFailure known ? Optional.of(known.code) : Optional.empty();
    }

    /** Was it this znode that stood in the way? */
    static boolean isAbout(Throwable failure, String path) {
        return Stages.rootOf(failure) instanceof StoreFailure known && known.path.equals(path);
    }

    static boolean is(Throwable failure, Code code) {
        return codeIn(failure).filter(found -> found == code).isPresent();
    }
}
