// SPDX-License-Identifier: Apache-2.0
package dev.tenure.zookeeper.ensemble;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** The sessions of the clients that are connected to this server, as ZooKeeper shows them to operators over JMX. */
final class Sessions {
    private static final String CONNECTIONS = "org.apache.ZooKeeperService:*";

    private Sessions() {}

    /** Ends this session, if its client is connected here. */
    static void end(String session) throws JMException {
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        for (ObjectName bean : beans.queryNames(new ObjectName(CONNECTIONS), null)) {
            if (bean.getCanonicalName().contains(session)) {
                beans.invoke(bean, "terminateSession", new Object[0], new String[0]);
            }
        }
    }
}
