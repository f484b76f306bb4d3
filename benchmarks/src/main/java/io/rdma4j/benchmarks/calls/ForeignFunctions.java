/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.calls;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.Optional;

/**
 * java.lang.foreign, which JDK 22 and later have, reached by reflection because this module is compiled for 17. The
 * handles that it makes are as good as if they were made directly: addresses are longs, so that the type of a handle
 * names no class which JDK 17 lacks, and whoever keeps a handle in a static final field may call it exactly.
 */
final class ForeignFunctions {
    static final boolean AVAILABLE = Runtime.version().feature() >= 22;
    private static final String PACKAGE = "java.lang.foreign.";

    private final boolean errno;

    /**
     * @param errno whether each call keeps its errno, which is what a driver needs
     */
    ForeignFunctions(final boolean errno) {
        this.errno = errno;
    }

    /** A handle for a function of the C library; {@code variadicFrom} is negative for one with fixed arguments. */
    MethodHandle bind(final String name, final int variadicFrom, final MethodType type) {
        try {
            final Object linker = type("Linker").getMethod("nativeLinker").invoke(null);
            final Object lookup = type("Linker").getMethod("defaultLookup").invoke(linker);
            final Optional<?> symbol = (Optional<?>) type("SymbolLookup").getMethod("find", String.class)
                .invoke(lookup, name);
            final Object options = options(variadicFrom);
            final Method downcall = type("Linker").getMethod("downcallHandle", type("MemorySegment"),
                type("FunctionDescriptor"), options.getClass());
            final MethodHandle handle = (MethodHandle) downcall.invoke(linker, symbol.orElseThrow(), descriptor(type),
                options);
            return errno ? MethodHandles.insertArguments(handle, 0, captured()) : handle;
        } catch (final ReflectiveOperationException e) {
            throw new IllegalStateException("cannot bind " + name + " with java.lang.foreign", e);
        }
    }

    private Object options(final int variadicFrom) throws ReflectiveOperationException {
        final Class<?> option = type("Linker$Option");
        final Object options = Array.newInstance(option, (errno ? 1 : 0) + (variadicFrom < 0 ? 0 : 1));
        int next = 0;
        if (errno) {
            Array.set(options, next++, option.getMethod("captureCallState", String[].class)
                .invoke(null, (Object) new String[] {"errno"}));
        }
        if (variadicFrom >= 0) {
            Array.set(options, next, option.getMethod("firstVariadicArg", int.class).invoke(null, variadicFrom));
        }
        return options;
    }

    private static Object descriptor(final MethodType type) throws ReflectiveOperationException {
        final Class<?> layout = type("MemoryLayout");
        final Object arguments = Array.newInstance(layout, type.parameterCount());
        for (int i = 0; i < type.parameterCount(); i++) {
            Array.set(arguments, i, layoutOf(type.parameterType(i)));
        }
        return type("FunctionDescriptor").getMethod("of", layout, arguments.getClass())
            .invoke(null, layoutOf(type.returnType()), arguments);
    }

    private static Object layoutOf(final Class<?> type) throws ReflectiveOperationException {
        return type("ValueLayout").getField(type == int.class ? "JAVA_INT" : "JAVA_LONG").get(null);
    }

    /** Where errno is kept; one place is enough for one thread. */
    private static Object captured() throws ReflectiveOperationException {
        final Object layout = type("Linker$Option").getMethod("captureStateLayout").invoke(null);
        final Object arena = type("Arena").getMethod("global").invoke(null);
        return type("Arena").getMethod("allocate", long.class, long.class).invoke(arena,
            type("MemoryLayout").getMethod("byteSize").invoke(layout),
            type("MemoryLayout").getMethod("byteAlignment").invoke(layout));
    }

    private static Class<?> type(final String name) throws ClassNotFoundException {
        return Class.forName(PACKAGE + name);
    }
}
