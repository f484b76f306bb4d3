/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.Buffer;
import org.agrona.DirectBuffer;

/**
 * Who owns memory. A direct buffer that is a slice, a duplicate or a view has the buffer that it was made of as its
 * attachment, of which the JVM frees the memory: that one is the owner, so that all views of a buffer share entries.
 * Where the JVM does not open {@code sun.nio.ch} (the flag {@code --add-opens java.base/sun.nio.ch=ALL-UNNAMED}), a
 * view is its own owner: what it registers is not found through another one.
 */
final class Owners {
    private static final MethodHandle ATTACHMENT = attachment();

    private Owners() {
    }

    private static MethodHandle attachment() {
        try {
            final Class<?> type = Class.forName("sun.nio.ch.DirectBuffer");
            return MethodHandles.lookup().unreflect(type.getMethod("attachment"))
                .asType(MethodType.methodType(Object.class, Object.class));
        } catch (final ReflectiveOperationException e) {
            return null;
        }
    }

    /** Who keeps the memory; null if nobody in Java does: an Agrona buffer may be wrapped around another address. */
    static Object rootOf(final Object owner) {
        if (owner instanceof DirectBuffer) {
            final Object under = ((DirectBuffer) owner).byteBuffer();
            return under == null ? null : rootOf(under);
        }
        Object root = owner;
        while (root instanceof Buffer && ((Buffer) root).isDirect()) {
            final Object next = attachmentOf(root);
            if (next == null) {
                break;
            }
            root = next;
        }
        return root;
    }

    /** Method handles declare that they throw anything. */
    @SuppressWarnings("checkstyle:IllegalCatch")
    private static Object attachmentOf(final Object buffer) {
        if (ATTACHMENT == null) {
            return null;
        }
        try {
            return (Object) ATTACHMENT.invokeExact(buffer);
        } catch (final RuntimeException | Error e) {
            throw e;
        } catch (final Throwable e) {
            throw new IllegalStateException("sun.nio.ch.DirectBuffer.attachment() threw a checked exception", e);
        }
    }
}
