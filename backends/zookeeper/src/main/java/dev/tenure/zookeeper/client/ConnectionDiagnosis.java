package dev.tenure.zookeeper.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds out why no server let the client in: the client itself only says that it is not connected. Blocks; for the I/O threads.
 */
final class ConnectionDiagnosis {
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
