package dev.tenure.zookeeper.ensemble;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import javax.management.JMException;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;

/**
 * One server of an ensemble. It ends with the test that started it, however that ends: then its input does. Every line of it
 * before that is a session to end.
 */
public final class ServerMain {
    private ServerMain() {}

    public static void main(String[] arguments) {
        Thread parent = new Thread(ServerMain::endWithInput, "parent");
        parent.setDaemon(true);
        parent.start();
        QuorumPeerMain.main(arguments);
    }

    private static void endWithInput() {
        try (BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
            for (String session = orders.readLine(); session != null; session = orders.readLine()) {
                Sessions.end(session);
            }
        } catch (IOException | JMException failure) {
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
        Runtime.getRuntime().halt(0);
    }
}
