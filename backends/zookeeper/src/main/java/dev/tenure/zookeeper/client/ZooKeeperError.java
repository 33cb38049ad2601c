// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.client;

import dev.tenure.spi.BackendException;
import dev.tenure.spi.support.Stages;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
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

    /** Was it this znode that stood in the way? */
    public static boolean isAbout(Throwable failure, String path) {
        return Stages.rootOf(failure) instanceof ZooKeeperError known && known.path.equals(path);
    }

    public static boolean is(Throwable failure, Code code) {
        return Stages.rootOf(failure) instanceof ZooKeeperError known && known.code == code;
    }

    /** The answer to this call; if it fails with that code, the other answer. */
    public static <T> CompletableFuture<T> recover(
            CompletableFuture<T> call, Code code, Supplier<CompletableFuture<T>> other) {
        return call.exceptionallyCompose(failure -> is(failure, code) ? other.get() : call);
    }

    public static <T> CompletableFuture<T> orElse(CompletableFuture<T> call, Code code, T other) {
        return recover(call, code, () -> CompletableFuture.completedFuture(other));
    }

    /**
     * Finds out why no server let the client in: the client itself only says that it is not connected. Blocks; for the I/O threads.
     */
    static final class ConnectionDiagnosis {
        private static final int CONNECT_MILLIS = 500;

        private ConnectionDiagnosis() {}

        static String of(Settings settings) {
            List<String> found = new ArrayList<>();
            for (String server : settings.servers().addresses()) {
                found.add(server + " " + tryServer(server, settings));
            }
            return String.join("; ", found);
        }

        private static String tryServer(String server, Settings settings) {
            int colon = server.lastIndexOf(':');
            String name = server.substring(0, colon).replace("[", "").replace("]", "");
            int port = Integer.parseInt(server.substring(colon + 1));
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getByName(name), port), CONNECT_MILLIS);
                return settings.tls().isPresent()
                        ? "can be connected to, but no session came about: does it speak TLS there, is its certificate signed by "
                                + "an authority named in tls.ca and made out to this name, does it want one of this client "
                                + "(tls.cert), and is there a quorum?"
                        : "can be connected to, but does not let the client in: is there a quorum of servers, and does it speak "
                                + "without TLS there (else say tls=on)?";
            } catch (UnknownHostException unknown) {
                return "is an unknown host";
            } catch (SocketTimeoutException silent) {
                return "does not answer";
            } catch (IOException refused) {
                return "cannot be connected to (" + refused.getMessage() + ")";
            }
        }
    }
}
