// SPDX-License-Identifier: Apache-2.0
package dev.tenure.explorer.model;

import dev.tenure.Nonce;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Finds every nonce that a state names, wherever it is kept: a nonce that a later version of the machines keeps in one more
 * place is found there, and two states that differ in it are told apart.
 */
public final class Nonces {
    static final Nonce NONE = new Nonce(0, 0);

    private static final ClassValue<List<Method>> PARTS = new ClassValue<>() {
        @Override
        protected List<Method> computeValue(Class<?> type) {
            List<Method> parts = new ArrayList<>();
            for (RecordComponent component : type.getRecordComponents()) {
                if (mayName(component.getGenericType())) {
                    parts.add(component.getAccessor());
                }
            }
            return parts;
        }
    };

    private Nonces() {}

    /** Is there a nonce somewhere inside a value of this type? */
    private static boolean mayName(Type type) {
        if (type instanceof ParameterizedType generic) {
            return Arrays.stream(generic.getActualTypeArguments()).anyMatch(Nonces::mayName);
        }
        if (!(type instanceof Class<?> plain) || plain == Nonce.class) {
            return true;
        }
        if (plain.isSealed()) {
            return Arrays.stream(plain.getPermittedSubclasses()).anyMatch(Nonces::mayName);
        }
        return plain.isRecord()
                && Arrays.stream(plain.getRecordComponents()).anyMatch(part -> mayName(part.getGenericType()));
    }

    /** Always in the same order; one that is absent counts as {@link #NONE}. */
    static void addTo(List<Nonce> found, Object value) {
        if (value instanceof Nonce nonce) {
            found.add(nonce);
        } else if (value instanceof Optional<?> optional) {
            addTo(found, optional.isPresent() ? optional.get() : NONE);
        } else if (value instanceof Record) {
            for (Method part : PARTS.get(value.getClass())) {
                addTo(found, valueOf(part, value));
            }
        }
    }

    private static Object valueOf(Method part, Object record) {
        try {
            return part.invoke(record);
        } catch (ReflectiveOperationException impossible) {
            throw new LinkageError("a component of a public record cannot be read: " + part, impossible);
        }
    }
}
