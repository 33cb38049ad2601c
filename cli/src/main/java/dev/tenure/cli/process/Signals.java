// SPDX-License-Identifier: Apache-2.0
package dev.tenure.cli.process;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.IntConsumer;

/**
 * Signal handlers. The JDK has no supported way; {@code sun.misc.Signal} (module {@code jdk.unsupported}) is there on
 * every JDK from 17 to 25, but naming it is a compiler warning that nothing can suppress, hence reflection.
 */
public final class Signals {

    private Signals() {}

    /**
     * Calls {@code handler} with the signal's number, on a thread of the JVM's, each time the signal arrives; the
     * JVM's own reaction (to exit, for TERM, INT and HUP) is gone then.
     *
     * @param name without SIG: {@code "TERM"}
     * @return false if it cannot be handled: unknown here, or used by the JVM (USR2 on some). The JVM leaves HUP, INT and TERM
     *     ignored if they were before it started, as with nohup
     */
    public static boolean handle(String name, IntConsumer handler) {
        try {
            Class<?> signalClass = Class.forName("sun.misc.Signal");
            Class<?> handlerClass = Class.forName("sun.misc.SignalHandler");
            Object signal = signalClass.getConstructor(String.class).newInstance(name);
            int number = (int) signalClass.getMethod("getNumber").invoke(signal);
            Object proxy = Proxy.newProxyInstance(
                    Signals.class.getClassLoader(), new Class<?>[] {handlerClass}, (self, method, arguments) -> {
                        return switch (method.getName()) {
                            case "hashCode" -> System.identityHashCode(self);
                            case "equals" -> self == arguments[0];
                            case "toString" -> "handler of SIG" + name;
                            default -> {
                                handler.accept(number);
                                yield null;
                            }
                        };
                    });
            Object unused =
                    signalClass.getMethod("handle", signalClass, handlerClass).invoke(null, signal, proxy);
            return true;
        } catch (InvocationTargetException refused) {
            return false;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this JVM has no sun.misc.Signal (module jdk.unsupported)", e);
        }
    }
}
