// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.client;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.HostProvider;
import org.apache.zookeeper.client.StaticHostProvider;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.proto.ReplyHeader;
import org.apache.zookeeper.proto.RequestHeader;

/** ZooKeeper's own client, with three things that it can do but does not offer, and without one of its two pauses. */
final class KeeperClient extends ZooKeeper {
    /** Begins to connect. Starts threads and reads files: not for the loop. */
    KeeperClient(Settings settings, int timeoutMillis, Watcher watcher, ZKClientConfig config) throws IOException {
        super(
                settings.servers() + settings.servers().chroot(),
                timeoutMillis,
                watcher,
                false,
                new HostList(new ConnectStringParser(settings.servers().toString()).getServerAddresses()),
                config);
        settings.login()
                .digest()
                .map(login -> login.user() + ":" + login.password())
                .ifPresent(pair -> addAuthInfo("digest", pair.getBytes(StandardCharsets.UTF_8)));
    }

    /**
     * The client asks for the next server with a pause of a second once it has tried all of them, and with one server before
     * every attempt. It pauses for up to another second in any case, so it does not hurry without this one either.
     */
    private static final class HostList implements HostProvider {
        private final HostProvider all;

        HostList(Collection<InetSocketAddress> servers) {
            this.all = new StaticHostProvider(servers);
        }

        @Override
        public int size() {
            return all.size();
        }

        @Override
        public InetSocketAddress next(long pauseMillis) {
            return all.next(0);
        }

        @Override
        public void onConnected() {
            all.onConnected();
        }

        @Override
        public boolean updateServerList(Collection<InetSocketAddress> servers, InetSocketAddress current) {
            return all.updateServerList(servers, current);
        }
    }

    /**
     * Ends the connection and its threads, and leaves the session to lapse in its own time: a backend that is closed over running duties
     * must not end the session that protects them. Waits for the threads: not for the loop.
     */
    void leave() {
        cnxn.disconnect();
    }

    /**
     * Gives up a connection on which nothing is answered, and keeps the session: the client turns to the next server. By itself it does so
     * only after two thirds of the session timeout. Not for the loop.
     */
    void reconnect() throws IOException {
        getTestable().closeSocket();
        sync(
                "/",
                (rc, path, context) -> {},
                null); // the client notices a closed socket only when it has something to send
    }

    /** Ends the session. Unlike {@link #close()} it does not wait for the answer. */
    void closeSession(VoidCallback callback) {
        RequestHeader header = new RequestHeader();
        header.setType(ZooDefs.OpCode.closeSession);
        cnxn.queuePacket(header, new ReplyHeader(), null, null, callback, null, null, null, null);
    }
}
