/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.testing;

import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.region.LocalDescriptor;
import io.rdma4j.verbs.PinnedMemory;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Memory that the program names by other addresses than this process has it at, as a dma-buf with a base address (a
 * real one needs a guest: {@code FabricClaims} of qemu-tests). Where the program's addresses lead are other bytes.
 */
public final class NamedElsewhere implements AutoCloseable {
    private static final byte OTHER = (byte) 0xa5;

    /** Of the same bytes as the region that it was made of. */
    public final MemoryRegion region;
    private final PinnedMemory there;
    private final UnsafeBuffer bytes;
    private final long shift;

    public NamedElsewhere(final TestNode node, final MemoryRegion real) {
        there = node.domain.allocate((int) node.memory.length());
        bytes = there.buffer();
        bytes.setMemory(0, bytes.capacity(), OTHER);
        shift = node.memory.address() - there.address();
        region = (MemoryRegion) Proxy.newProxyInstance(NamedElsewhere.class.getClassLoader(),
            new Class<?>[] {MemoryRegion.class, LocalDescriptor.class}, (proxy, method, arguments) ->
                switch (method.getName()) {
                    case "in" -> proxy;
                    case "processAddress" -> (long) arguments[0] + shift;
                    case "lkey", "deviceAddress" -> call(method, real, (long) arguments[0] + shift, arguments[1]);
                    default -> call(method, real, arguments);
                });
    }

    private static Object call(final Method method, final Object on, final Object... arguments)
        throws IllegalAccessException {
        try {
            return method.invoke(on, arguments);
        } catch (final InvocationTargetException e) {
            throw new AssertionError(method + " does not throw", e);
        }
    }

    /** What the program calls a byte. */
    public long at(final int offset) {
        return there.address() + offset;
    }

    /** Whether nothing was written where the program's addresses lead. */
    public boolean isUntouched() {
        for (int i = 0; i < bytes.capacity(); i++) {
            if (bytes.getByte(i) != OTHER) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() {
        there.close();
    }
}
