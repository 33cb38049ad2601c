// SPDX-License-Identifier: Apache-2.0
package dev.tenure.spring;

import dev.tenure.Leadership;
import dev.tenure.patterns.CronRun;
import dev.tenure.spring.LeaderOnly.Otherwise;
import java.io.IOException;
import java.io.InputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.util.ClassUtils;

/**
 * A method with one of the annotations, and what it must look like for that one to work. A method that Spring cannot intercept would run on every
 * instance, so each of these rules fails the start, with what to change.
 */
record Shape(Class<?> type, Method method, Annotation annotation) {
    private static final List<Class<? extends Annotation>> ANNOTATIONS =
            List.of(LeaderOnly.class, FencedTransactional.class, LeaderDuty.class, FencedScheduled.class);
    private static final List<String> STREAMS =
            List.of("org.reactivestreams.Publisher", "kotlinx.coroutines.flow.Flow");
    private static final List<String> CALLBACKS =
            List.of("jakarta.annotation.PostConstruct", "jakarta.annotation.PreDestroy");
    private static final String OPEN = "remove final; in Kotlin add open, or the plugin kotlin-spring";

    /** The annotated methods of this class, and those that it inherits. */
    static List<Shape> of(Class<?> type) {
        return MethodIntrospector.selectMethods(
                        type, (Method method) -> !of(type, method).isEmpty())
                .stream()
                .flatMap(method -> of(type, method).stream())
                .toList();
    }

    private static List<Shape> of(Class<?> type, Method method) {
        return ANNOTATIONS.stream()
                .flatMap(one -> Stream.ofNullable(AnnotatedElementUtils.findMergedAnnotation(method, one)))
                .filter(one -> !method.isBridge())
                .map(one -> new Shape(type, method, one))
                .toList();
    }

    /** Otherwise it is called by us. */
    boolean isIntercepted() {
        return annotation instanceof LeaderOnly || annotation instanceof FencedTransactional;
    }

    void requireWorkable() {
        int modifiers = method.getModifiers();
        refuseIf(Modifier.isStatic(modifiers), "is static, so no proxy has it", "make it a method of the bean");
        refuseIf(Modifier.isPrivate(modifiers), "is private, so no proxy has it", "make it public");
        refuseIf(has(Bean.class), "is a @Bean method, which runs once", "annotate a method of the bean that it makes");
        if (isIntercepted()) {
            requireInterceptable();
        } else {
            requireCallable(annotation instanceof LeaderDuty ? Leadership.class : CronRun.class);
        }
    }

    private void requireInterceptable() {
        requireOverridable();
        refuseIf(Modifier.isFinal(type.getModifiers()), "is in a final class, which cannot be proxied", OPEN);
        refuseIf(isCallback(), "is called by Spring on the bean itself", "use @LeaderDuty or @ActiveWhileLeading");
        refuseIf(isDeferred(), "returns before its work is done", "return the result itself, or add @Async");
        refuseIf(isSuspending(), "is a suspend function", "call TenureTemplate around what blocks");
        refuseIf(
                annotation instanceof LeaderOnly only && only.otherwise() == Otherwise.SKIP && !returnsNothing(),
                "returns something, which a skipped call does not have",
                "use otherwise = THROW");
        for (Class<?> in = type; in != null && in != Object.class; in = in.getSuperclass()) {
            refuseSelfInvocations(in);
        }
    }

    /** @param parameter what it may take */
    private void requireCallable(Class<?> parameter) {
        refuseIf(isAsync(), "is @Async, so it returns before its work is done", "remove @Async: it has its own thread");
        refuseIf(has(Scheduled.class), "is @Scheduled, so it would also run on every instance", "remove @Scheduled");
        refuseIf(!returnsNothing(), "returns something that nothing reads", "return void");
        refuseIf(
                !Arrays.asList(parameter).containsAll(Arrays.asList(method.getParameterTypes()))
                        || method.getParameterCount() > 1,
                "has parameters that nothing can pass",
                "take a " + parameter.getSimpleName() + ", or nothing");
    }

    /** A proxy is a subclass in the package of the bean. Packages of two class loaders are two, also by one name. */
    void requireOverridable() {
        int modifiers = method.getModifiers();
        refuseIf(Modifier.isFinal(modifiers), "is final, and a proxy of its bean cannot override it", OPEN);
        refuseIf(
                (modifiers & (Modifier.PUBLIC | Modifier.PROTECTED)) == 0
                        && !Objects.equals(method.getDeclaringClass().getPackage(), type.getPackage()),
                "is package-private in another package than its bean, so no proxy can override it",
                "make it protected or public");
    }

    private void refuseIf(boolean broken, String problem, String remedy) {
        if (broken) {
            throw refused(problem, remedy);
        }
    }

    TenureConfigurationException refused(String problem, String remedy) {
        String name = annotation.annotationType().getSimpleName();
        return new TenureConfigurationException(
                "@" + name + " on " + nameOf(method) + " cannot work: the method " + problem, remedy);
    }

    static String nameOf(Method method) {
        return method.getDeclaringClass().getSimpleName() + "." + method.getName();
    }

    private void refuseSelfInvocations(Class<?> in) {
        for (String caller : SelfInvocations.of(in, method)) {
            boolean underTheSame = Arrays.stream(in.getDeclaredMethods())
                    .filter(candidate -> candidate.getName().equals(caller))
                    .anyMatch(this::isUnderTheSame);
            refuseIf(
                    !underTheSame,
                    "is called by " + in.getSimpleName() + "." + caller + " on this, around the proxy",
                    "move it to another bean, or inject the bean into itself with @Lazy and call it there");
        }
    }

    /** A caller that has the same authority already needs no gate in between. */
    private boolean isUnderTheSame(Method caller) {
        return of(type, caller).stream().anyMatch(outer -> outer.authority().equals(authority()));
    }

    private String authority() {
        return annotation instanceof LeaderOnly only
                ? only.value()
                : annotation instanceof LeaderDuty duty ? duty.election() : annotation.toString();
    }

    private boolean has(Class<? extends Annotation> other) {
        return AnnotatedElementUtils.hasAnnotation(method, other);
    }

    private boolean returnsNothing() {
        return method.getReturnType() == void.class;
    }

    private boolean isCallback() {
        return CALLBACKS.stream().anyMatch(one -> AnnotatedElementUtils.isAnnotated(method, one))
                || (InitializingBean.class.isAssignableFrom(type)
                        && method.getName().equals("afterPropertiesSet"))
                || (DisposableBean.class.isAssignableFrom(type)
                        && method.getName().equals("destroy"));
    }

    private boolean isDeferred() {
        Class<?> returned = method.getReturnType();
        boolean isFuture = Future.class.isAssignableFrom(returned) || CompletionStage.class.isAssignableFrom(returned);
        return (isFuture && !isAsync())
                || Flow.Publisher.class.isAssignableFrom(returned)
                || Stream.concat(Stream.of(returned), ClassUtils.getAllInterfacesForClassAsSet(returned).stream())
                        .anyMatch(one -> STREAMS.contains(one.getName()));
    }

    private boolean isAsync() {
        return has(Async.class) || AnnotatedElementUtils.hasAnnotation(type, Async.class);
    }

    private boolean isSuspending() {
        return Arrays.stream(method.getParameterTypes())
                .anyMatch(one -> one.getName().equals("kotlin.coroutines.Continuation"));
    }

    /**
     * Finds calls of a method on {@code this}, which go around every proxy. It reads the class file and reports a method that contains such a call and
     * has no other object of its own class at hand: no field, parameter, return value or cast of that type. A method that has one may mean that one,
     * which is the proxy in most cases, so it is not reported. What is reported is therefore certain; what is not reported may still be one.
     */
    private static final class SelfInvocations extends ClassVisitor {
        private final Type type;
        private final Method called;
        private final List<String> callers = new ArrayList<>();

        private SelfInvocations(Class<?> type, Method called) {
            super(SpringAsmInfo.ASM_VERSION);
            this.type = Type.getType(type);
            this.called = called;
        }

        /** Names of methods of this class that call the other one on themselves; empty if its class file cannot be read. */
        static List<String> of(Class<?> type, Method called) {
            String file = type.getName().substring(type.getName().lastIndexOf('.') + 1) + ".class";
            try (InputStream bytes = type.getResourceAsStream(file)) {
                SelfInvocations found = new SelfInvocations(type, called);
                if (bytes != null) {
                    new ClassReader(bytes).accept(found, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
                }
                return found.callers;
            } catch (IOException | IllegalArgumentException unreadable) {
                return List.of(); // a class file of a newer JDK than this Spring knows
            }
        }

        @Override
        public @Nullable MethodVisitor visitMethod(
                int access,
                String name,
                String descriptor,
                @Nullable String signature,
                String @Nullable [] exceptions) {
            boolean isItself = isCalled(type.getInternalName(), name, descriptor);
            return isItself || (access & (Opcodes.ACC_STATIC | Opcodes.ACC_BRIDGE)) != 0
                    ? null
                    : new Body(name, descriptor);
        }

        private boolean isCalled(String in, String name, String descriptor) {
            return name.equals(called.getName())
                    && descriptor.equals(Type.getMethodDescriptor(called))
                    && (in.equals(type.getInternalName())
                            || in.equals(Type.getInternalName(called.getDeclaringClass())));
        }

        private final class Body extends MethodVisitor {
            private final String caller;
            private boolean calls;
            private boolean hasAnother;

            Body(String name, String descriptor) {
                super(SpringAsmInfo.ASM_VERSION);
                this.caller = name.startsWith("lambda$") ? name.split("\\$")[1] : name;
                this.hasAnother =
                        Arrays.asList(Type.getArgumentTypes(descriptor)).contains(type);
            }

            @Override
            public void visitMethodInsn(int opcode, String in, String name, String descriptor, boolean isInterface) {
                calls |= isCalled(in, name, descriptor);
                hasAnother |= Type.getReturnType(descriptor).equals(type);
            }

            /** A reference to the method, such as {@code this::sweep}. */
            @Override
            public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
                for (Object argument : arguments) {
                    calls |= argument instanceof Handle handle
                            && isCalled(handle.getOwner(), handle.getName(), handle.getDesc());
                }
            }

            @Override
            public void visitFieldInsn(int opcode, String in, String name, String descriptor) {
                hasAnother |= Type.getType(descriptor).equals(type);
            }

            @Override
            public void visitTypeInsn(int opcode, String of) {
                hasAnother |= opcode == Opcodes.CHECKCAST && of.equals(type.getInternalName());
            }

            @Override
            public void visitEnd() {
                if (calls && !hasAnother) {
                    callers.add(caller);
                }
            }
        }
    }
}
