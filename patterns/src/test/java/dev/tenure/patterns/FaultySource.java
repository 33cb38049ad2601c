// SPDX-License-Identifier: Apache-2.0
package dev.tenure.patterns;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** A database whose client is killed, or stopped, right before or right after a statement or a commit, whenever that is asked for. */
final class FaultySource {
    private final AtomicInteger countdown = new AtomicInteger(Integer.MAX_VALUE);
    private volatile String fault = "";

    /** @param fault {@code KILL} or {@code STOP}, and {@code BEFORE} or {@code AFTER}; or anything else after 0 calls, which are none */
    void arm(String fault, int calls) {
        this.fault = fault;
        countdown.set(calls);
    }

    DataSource around(DataSource source) {
        return proxy(DataSource.class, source);
    }

    private <T> T proxy(Class<T> type, Object target) {
        return type.cast(Proxy.newProxyInstance(
                FaultySource.class.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> invoke(target, method, arguments)));
    }

    private Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        boolean dangerous =
                method.getName().equals("commit") || method.getName().startsWith("execute");
        boolean now = dangerous && countdown.decrementAndGet() == 0;
        if (now && fault.endsWith("BEFORE")) {
            strike();
        }
        Object result;
        try {
            result = method.invoke(target, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
        if (now && fault.endsWith("AFTER")) {
            strike();
        }
        if (result instanceof Connection) {
            return proxy(Connection.class, result);
        }
        boolean statement =
                result instanceof Statement && method.getReturnType().isInterface();
        return statement ? proxy(method.getReturnType(), result) : result;
    }

    private void strike() throws IOException, InterruptedException {
        String signal = fault.substring(0, 4);
        countdown.set(Integer.MAX_VALUE);
        System.out.println(signal);
        System.out.flush();
        new ProcessBuilder(
                        "kill",
                        "-" + signal,
                        Long.toString(ProcessHandle.current().pid()))
                .start()
                .waitFor();
    }
}
