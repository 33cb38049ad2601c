package dev.tenure.zookeeper;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.jute.Record;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.proto.GetDataRequest;
import org.apache.zookeeper.proto.GetDataResponse;
import org.apache.zookeeper.proto.RemoveWatchesRequest;
import org.apache.zookeeper.proto.ReplyHeader;
import org.apache.zookeeper.proto.RequestHeader;
import org.apache.zookeeper.proto.SetWatches;

/** ZooKeeper's own client, with three things that it can do but does not offer. */
final class Wire extends ZooKeeper {
    private static final String FIPS_MODE = "zookeeper.fips-mode";

    /** Less than servers accept at once, whatever the length of the paths. */
    private static final int WATCHES_AT_ONCE = 200;

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

    private void forgetAllBelow(String path) {
        Record request = new RemoveWatchesRequest(path, WatcherType.Any.getIntValue());
        ask(ZooDefs.OpCode.removeWatches, request);
    }

    /** Reads, and sets a watch at the server. */
    void watch(String path, DataCallback callback) {
        RequestHeader header = new RequestHeader();
        header.setType(ZooDefs.OpCode.getData);
        cnxn.queuePacket(
                header,
                new ReplyHeader(),
                new GetDataRequest(path, true),
                new GetDataResponse(),
                callback,
                path,
                path,
                null,
                null);
    }

    /** After a new connection the client sets its own watches again; these it does not know. */
    void hearAgain(String path, List<String> watched) {
        forgetAllBelow(path);
        long seen = cnxn.getLastZxid();
        for (int from = 0; from < watched.size(); from += WATCHES_AT_ONCE) {
            List<String> some = watched.subList(from, Math.min(watched.size(), from + WATCHES_AT_ONCE));
            ask(ZooDefs.OpCode.setWatches, new SetWatches(seen, some, List.of(), List.of()));
        }
    }

    /** Nobody waits for the answer: if it does not come, the connection is lost, and all is said again on the next one. */
    private void ask(int type, Record request) {
        RequestHeader header = new RequestHeader();
        header.setType(type);
        cnxn.queuePacket(header, new ReplyHeader(), request, null, null, null, null, null, null);
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
