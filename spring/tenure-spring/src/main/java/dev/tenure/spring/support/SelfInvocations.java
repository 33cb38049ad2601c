package dev.tenure.spring.support;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Finds calls of a method on {@code this}, which go around every proxy. It reads the class file and reports a method that contains such a call and
 * has no other object of its own class at hand: no field, parameter, return value or cast of that type. A method that has one may mean that one,
 * which is the proxy in most cases, so it is not reported. What is reported is therefore certain; what is not reported may still be one.
 */
final class SelfInvocations extends ClassVisitor {
    /** A method of the class that calls the other one on itself. */
    record Caller(String name, String descriptor) {}

    private final Class<?> type;
    private final String owner;
    private final Method called;
    private final List<Caller> callers = new ArrayList<>();

    private SelfInvocations(Class<?> type, Method called) {
        super(SpringAsmInfo.ASM_VERSION);
        this.type = type;
        this.owner = Type.getInternalName(type);
        this.called = called;
    }

    /** Methods of this class that call the other one on themselves; empty if its class file cannot be read. */
    static List<Caller> of(Class<?> type, Method called) {
        String file = type.getName().substring(type.getName().lastIndexOf('.') + 1) + ".class";
        try (InputStream bytes = type.getResourceAsStream(file)) {
            if (bytes == null) {
                return List.of();
            }
            SelfInvocations found = new SelfInvocations(type, called);
            new ClassReader(bytes).accept(found, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
            return found.callers;
        } catch (IOException | IllegalArgumentException unreadable) {
            return List.of(); // a class file of a newer JDK than this Spring knows
        }
    }

    @Override
    public @Nullable MethodVisitor visitMethod(
            int access, String name, String descriptor, @Nullable String signature, String @Nullable [] exceptions) {
        boolean isStatic = (access & Opcodes.ACC_STATIC) != 0;
        return isStatic || (access & Opcodes.ACC_BRIDGE) != 0 ? null : new Body(new Caller(name, descriptor));
    }

    private final class Body extends MethodVisitor {
        private final Caller caller;
        private boolean calls;
        private boolean hasAnother;

        Body(Caller caller) {
            super(SpringAsmInfo.ASM_VERSION);
            this.caller = caller;
            for (Type argument : Type.getArgumentTypes(caller.descriptor)) {
                hasAnother |= isOwn(argument);
            }
        }

        private boolean isOwn(Type value) {
            return value.getSort() == Type.OBJECT && value.getInternalName().equals(owner);
        }

        private boolean isCalled(String in, String name, String descriptor) {
            return name.equals(called.getName())
                    && descriptor.equals(Type.getMethodDescriptor(called))
                    && (in.equals(owner) || in.equals(Type.getInternalName(called.getDeclaringClass())));
        }

        @Override
        public void visitMethodInsn(int opcode, String in, String name, String descriptor, boolean isInterface) {
            calls |= isCalled(in, name, descriptor);
            hasAnother |= isOwn(Type.getReturnType(descriptor));
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
            hasAnother |= isOwn(Type.getType(descriptor));
        }

        @Override
        public void visitTypeInsn(int opcode, String of) {
            hasAnother |= opcode == Opcodes.CHECKCAST && of.equals(owner);
        }

        @Override
        public void visitEnd() {
            boolean isItself = caller.name.equals(called.getName())
                    && caller.descriptor.equals(Type.getMethodDescriptor(called))
                    && type == called.getDeclaringClass();
            if (calls && !hasAnother && !isItself) {
                callers.add(caller);
            }
        }
    }
}
