/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/** Writes down each store and each ordered load in the order of the program. */
final class RecordingBuffer extends UnsafeBuffer {
    private final List<String> log;

    RecordingBuffer(final ByteBuffer bytes, final List<String> log) {
        super(bytes);
        this.log = log;
    }

    @Override
    public void putByte(final int index, final byte value) {
        log.add("plain " + index);
        super.putByte(index, value);
    }

    @Override
    public void putShort(final int index, final short value, final ByteOrder order) {
        log.add("plain " + index);
        super.putShort(index, value, order);
    }

    @Override
    public void putInt(final int index, final int value) {
        log.add("plain " + index);
        super.putInt(index, value);
    }

    @Override
    public void putInt(final int index, final int value, final ByteOrder order) {
        log.add("plain " + index);
        super.putInt(index, value, order);
    }

    @Override
    public void putLong(final int index, final long value) {
        log.add("plain " + index);
        super.putLong(index, value);
    }

    @Override
    public void putLong(final int index, final long value, final ByteOrder order) {
        log.add("plain " + index);
        super.putLong(index, value, order);
    }

    @Override
    public void setMemory(final int index, final int length, final byte value) {
        log.add("plain " + index);
        super.setMemory(index, length, value);
    }

    @Override
    public void putIntRelease(final int index, final int value) {
        log.add("release " + index + " = " + value);
        super.putIntRelease(index, value);
    }

    @Override
    public int getIntAcquire(final int index) {
        log.add("acquire " + index);
        return super.getIntAcquire(index);
    }
}
