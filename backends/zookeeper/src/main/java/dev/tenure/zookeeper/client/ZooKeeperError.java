package dev.tenure.zookeeper.client;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.support.Stages;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.apache.zookeeper.KeeperException.Code;

/** An error code of ZooKeeper, with the path that it is about and a sentence for people. */
public final class ZooKeeperError extends BackendException {
    private static final long serialVersionUID = 1L;

    /**
     * The codes by which a server refuses the very request. A lost connection is not among them, and neither is an
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

    private ZooKeeperError(Code code, String path, String message) {
        super(
                REFUSALS.contains(code) ? Effect.NONE : Effect.UNKNOWN,
                SETTINGS.contains(code) ? Kind.MISCONFIGURED : Kind.UNREACHABLE,
                message);
        this.code = code;
        this.path = path;
    }

    public static ZooKeeperError of(Code code, String path, Settings settings) {
        String who = settings.login().shown();
        String servers = settings.servers().toString();
        String sentence = switch (code) {
            case CONNECTIONLOSS, OPERATIONTIMEOUT, REQUESTTIMEOUT ->
                "the connection to ZooKeeper at " + servers + " broke before the answer for " + path + " came";
            case SESSIONEXPIRED, SESSIONMOVED -> "the ZooKeeper session has ended";
            case NOAUTH ->
                "ZooKeeper at " + servers + " does not let " + who + " touch " + path
                        + ": the password is wrong, or the " + "ACL of that znode names somebody else";
            case AUTHFAILED ->
                "ZooKeeper at " + servers + " did not accept the login of " + who + ": check name and password";
            case NONODE ->
                "there is no znode " + settings.servers().chroot() + path + " in ZooKeeper at " + servers
                        + (settings.servers().chroot().isEmpty()
                                ? ""
                                : ", or its chroot does not exist: create it first");
            case INVALIDACL ->
                "ZooKeeper at " + servers + " does not know " + who + ", so it cannot own znodes: check the login, or "
                        + "say acl=open";
            default -> "ZooKeeper at " + servers + " answered " + code + " for " + path;
        };
        return new ZooKeeperError(code, path, sentence);
    }

    /** Empty if the failure is not one of ZooKeeper. */
    private static Optional<Code> codeIn(Throwable failure) {
        return Stages.rootOf(failure) instanceof ZooKeeperError known ? Optional.of(known.code) : Optional.empty();
    }

    /** Was it this znode that stood in the way? */
    public static boolean isAbout(Throwable failure, String path) {
        return Stages.rootOf(failure) instanceof ZooKeeperError known && known.path.equals(path);
    }

    public static boolean is(Throwable failure, Code code) {
        return codeIn(failure).filter(found -> found == code).isPresent();
    }
}
