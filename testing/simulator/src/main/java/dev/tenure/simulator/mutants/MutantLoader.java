// SPDX-License-Identifier: Apache-2.0
package dev.tenure.simulator.mutants;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/** Loads everything of ours anew, with some classes replaced; everything else comes from the parent. */
final class MutantLoader extends ClassLoader {
    private static final String OURS = "dev.tenure.";

    private final Map<String, byte[]> replaced;

    /** @param replaced class files by binary name */
    MutantLoader(ClassLoader parent, Map<String, byte[]> replaced) {
        super(parent);
        this.replaced = Map.copyOf(replaced);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(OURS)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            if (known != null) {
                return known;
            }
            byte[] file = replaced.containsKey(name) ? replaced.get(name) : read(name);
            return defineClass(name, file, 0, file.length);
        }
    }

    private byte[] read(String name) throws ClassNotFoundException {
        try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            return in.readAllBytes();
        } catch (IOException unreadable) {
            throw new ClassNotFoundException(name, unreadable);
        }
    }
}
