package dev.tenure.zookeeper;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.jute.Record;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.proto.RemoveWatchesRequest;
import org.apache.zookeeper.proto.ReplyHeader;
import org.apache.zookeeper.proto.RequestHeader;
import org.apache.zookeeper.proto.SetWatches;

/** ZooKeeper's own client, with three things that it can do but does not offer. */
final class Wire extends ZooKeeper {
    private static final String FIPS_MODE = "zookeeper.fips-mode";

    private final List<ACL> acl;

    private Wire(Settings settings, int timeoutMillis, Watcher watcher) throws IOException {
        super(settings.connectString(), timeoutMillis, watcher, false, config(settings));
        this.acl =
                settings.acl() == Settings.Access.CREATOR ? ZooDefs.Ids.CREATOR_ALL_ACL : ZooDefs.Ids.OPEN_ACL_UNSAFE;
    }

    /** Begins to connect. Takes a while, for threads are started and names looked up: not for the loop. */
    static Wire begin(Settings settings, int timeoutMillis, Watcher watcher) throws IOException {
        Wire wire = new Wire(settings, timeoutMillis, watcher);
        if (settings.login() instanceof Login.Digest digest) {
            String pair = digest.user() + ":" + digest.password().text();
            wire.addAuthInfo("digest", pair.getBytes(StandardCharsets.UTF_8));
        }
        return wire;
    }

    private static ZKClientConfig config(Settings settings) {
        ZKClientConfig config = new ZKClientConfig();
        config.setProperty(ZKClientConfig.DISABLE_AUTO_WATCH_RESET, "false");
        boolean sasl = settings.login() instanceof Login.Sasl;
        config.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, Boolean.toString(sasl));
        if (settings.login() instanceof Login.Sasl login) {
            config.setProperty(ZKClientConfig.LOGIN_CONTEXT_NAME_KEY, login.context());
            if (config.getProperty(FIPS_MODE) == null) {
                config.setProperty(
                        FIPS_MODE, "false"); // else the client refuses DIGEST-MD5, whatever the JAAS file says
            }
        }
        settings.tls().ifPresent(tls -> {
            config.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
            config.setProperty(
                    ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, "org.apache.zookeeper.ClientCnxnSocketNetty");
            tls.authorities().ifPresent(file -> config.setProperty("zookeeper.ssl.trustStore.location", file));
            tls.certificate().ifPresent(file -> config.setProperty("zookeeper.ssl.keyStore.location", file));
            tls.password().ifPresent(secret -> {
                config.setProperty("zookeeper.ssl.keyStore.password", secret.text());
                config.setProperty("zookeeper.ssl.trustStore.password", secret.text());
            });
        });
        return config;
    }

    /**
     * The client keeps an entry of some 300 bytes for each path that it watches, which is much for thousands of latches. It
     * tells events below a path also to who watches that path with all below it. So one watcher is entered there, the server
     * is told at once to forget about that one, and single paths are then watched at the server only.
     */
    void hear(String path, Watcher watcher, VoidCallback callback) {
        addWatch(path, watcher, AddWatchMode.PERSISTENT_RECURSIVE, callback, null);
        forgetAllBelow(path);
    }

    /** Nobody waits for the answer: if it does not come, the connection is lost, and this is said again on the next one. */
    void forgetAllBelow(String path) {
        Record request = new RemoveWatchesRequest(path, WatcherType.Any.getIntValue());
        queue(ZooDefs.OpCode.removeWatches, request, (rc, at, context) -> {});
    }

    /** Sets watches at the server, as the client itself does after a reconnection. */
    void watch(List<String> paths, VoidCallback callback) {
        Record request = new SetWatches(cnxn.getLastZxid(), paths, List.of(), List.of());
        queue(ZooDefs.OpCode.setWatches, request, callback);
    }

    private void queue(int type, Record request, VoidCallback callback) {
        RequestHeader header = new RequestHeader();
        header.setType(type);
        cnxn.queuePacket(header, new ReplyHeader(), request, null, callback, null, null, null, null);
    }

    /** Who may touch what is created here. */
    List<ACL> acl() {
        return acl;
    }

    /** Ends the connection and says nothing to the servers: the session lapses in its own time. */
    void vanish() {
        cnxn.disconnect();
    }

    /** Gives up a connection on which nothing is answered; the client turns to the next server and keeps its session. */
    void turnToAnother() throws IOException {
        getTestable().closeSocket();
    }
}
