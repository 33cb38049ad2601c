// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.ensemble;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import javax.management.JMException;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;

/**
 * One server of an ensemble. It ends with the test that started it, however that ends: then its input does. Every line of it
 * before that is an order: to hold the journal, to let it go, or a session to end.
 */
public final class ServerMain {
    static final String HOLD = "hold";
    static final String LET_GO = "let go";

    private ServerMain() {}

    public static void main(String[] arguments) {
        Thread parent = new Thread(ServerMain::endWithInput, "parent");
        parent.setDaemon(true);
        parent.start();
        QuorumPeerMain.main(arguments);
    }

    private static void endWithInput() {
        try (BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                obey(order);
            }
        } catch (IOException | JMException | ReflectiveOperationException failure) {
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
        Runtime.getRuntime().halt(0);
    }

    private static void obey(String order) throws JMException, ReflectiveOperationException {
        switch (order) {
            case HOLD -> TransactionLogHold.hold();
            case LET_GO -> TransactionLogHold.letGo();
            default -> Sessions.end(order);
        }
    }
}
