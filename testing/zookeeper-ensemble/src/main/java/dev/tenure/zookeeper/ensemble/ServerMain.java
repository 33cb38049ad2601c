package dev.tenure.zookeeper.ensemble;

import java.io.IOException;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;

/** One server of an ensemble. It ends with the test that started it, however that ends: then its input does. */
public final class ServerMain {
    private ServerMain() {}

    public static void main(String[] arguments) {
        Thread parent = new Thread(ServerMain::endWithInput, "parent");
        parent.setDaemon(true);
        parent.start();
        QuorumPeerMain.main(arguments);
    }

    private static void endWithInput() {
        try {
            while (System.in.read() >= 0) {
                Thread.onSpinWait();
            }
        } catch (IOException closed) {
            Runtime.getRuntime().halt(1);
        }
        Runtime.getRuntime().halt(0);
    }
}
