/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.memory;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;

/**
 * Who owns memory. A direct buffer that is a slice, a duplicate or a view has the buffer that it was made of as its
 * attachment, of which the JVM frees the memory: that one is the owner, so that all views of a buffer share entries.
 *
 * <p>A direct buffer at the root that has no cleaner owns nothing: native code laid it over memory that it unmaps and
 * maps as it likes.
 *
 * <p>Both are fields of the JDK's classes, read as Agrona reads addresses; {@code sun.nio.ch} need not be open. Where a
 * JDK has no such fields, direct buffers own nothing: slow, and never stale.
 */
public final class BufferOwners {
    private static final long NO_FIELD = -1;
    private static final long CLEANER = offset(ByteBuffer.allocateDirect(0).getClass(), "cleaner");
    private static final long FILE = offset(MappedByteBuffer.class, "fd");
    /** From JDK 19 on: memory that may be closed while buffers over it are there. */
    private static final long SEGMENT = offset(Buffer.class, "segment");
    private static final ClassValue<Long> ATTACHMENT = new ClassValue<>() {
        @Override
        protected Long computeValue(final Class<?> type) {
            return offset(type, "att");
        }
    };

    private BufferOwners() {
    }

    /** Of a field that a class or one above it has. */
    private static long offset(final Class<?> type, final String field) {
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            try {
                return UnsafeApi.objectFieldOffset(at, field);
            } catch (final InternalError e) {
                // So says the JDK that this class does not declare it; the next one may.
            }
        }
        return NO_FIELD;
    }

    /**
     * Who keeps the memory of a buffer.
     *
     * @param owner a buffer of the JDK or of Agrona, or any other object; may be null
     * @return what the JVM frees the memory with; the object itself if it is no direct buffer; null if nobody in Java
     *     keeps the memory: an Agrona buffer may be wrapped around another address
     */
    public static Object rootOf(final Object owner) {
        if (owner instanceof DirectBuffer) {
            final Object under = ((DirectBuffer) owner).byteBuffer();
            return under == null ? null : rootOf(under);
        }
        final Object last = lastOf(owner);
        if (!isDirect(last)) {
            return last;
        }
        final Object attached = attachmentOf(last);
        return attached != null ? attached : last instanceof ByteBuffer && read(last, CLEANER) != null ? last : null;
    }

    /** The direct buffer that all others in between were made of; what is no direct buffer is that itself. */
    private static Object lastOf(final Object owner) {
        Object last = owner;
        for (Object next = owner; isDirect(next); next = attachmentOf(next)) {
            last = next;
        }
        return last;
    }

    private static boolean isDirect(final Object owner) {
        return owner instanceof Buffer && ((Buffer) owner).isDirect();
    }

    private static Object attachmentOf(final Object buffer) {
        return read(buffer, ATTACHMENT.get(buffer.getClass()));
    }

    /**
     * Whether the memory of an owner may be a file's, which can be cut off behind everybody's back.
     *
     * @param root what {@link #rootOf} gave
     * @return false only for a buffer whose memory is surely none of a file
     */
    public static boolean mayBeFile(final Object root) {
        // Direct buffers are of this class, too; the others have no such field, and something else in its place.
        return !(root instanceof MappedByteBuffer) || FILE == NO_FIELD || read(root, FILE) != null;
    }

    /**
     * Whether the memory of an owner is surely there as long as the owner is: no file's, and freed by the JVM alone.
     *
     * @param owner a buffer of the JDK or of Agrona, or any other object; may be null.
     * @return false also where nobody knows.
     */
    public static boolean keeps(final Object owner) {
        final Object root = rootOf(owner);
        return root instanceof ByteBuffer && !mayBeFile(root);
    }

    /**
     * Whether the memory of a buffer may go away under whoever reads it: a file's can be cut off, and what is known by
     * its address alone can be unmapped. Of a buffer that native code laid over its memory nobody knows: such are those
     * of the device's own memory, which stays, and false is said.
     *
     * @param buffer of the heap, of the JDK's, or anything else.
     * @return false for the heap and for what the JVM frees.
     */
    public static boolean mayGo(final DirectBuffer buffer) {
        if (buffer.byteArray() != null) {
            return false;
        }
        if (buffer.byteBuffer() == null) {
            return buffer.capacity() > 0;
        }
        // Also where the last one owns nothing: that of a memory segment has no cleaner.
        final Object last = lastOf(buffer.byteBuffer());
        return last instanceof MappedByteBuffer && (read(last, FILE) != null || read(last, SEGMENT) != null);
    }

    private static Object read(final Object buffer, final long offset) {
        return offset == NO_FIELD ? null : UnsafeApi.getReference(buffer, offset);
    }
}
