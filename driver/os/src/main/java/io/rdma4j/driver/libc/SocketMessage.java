/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * {@code struct msghdr} for one run of bytes and the files that go with it. The bytes are elsewhere and the caller's.
 * <pre>
 *    0        8        16       24       32       40       48       56
 *   +--------+--------+--------+--------+--------+--------+--------+
 *   |name    |namelen |iov     |iovlen  |control |ctrllen |flags   |        as in {@link DatagramBatch}
 *   +--------+--------+--------+--------+--------+--------+--------+
 *    56       64       72       80    84    88
 *   +--------+--------+--------+-----+-----+-----+-----+---
 *   |base    |length  |cmsg len|level|type | fd  | fd  | ...
 *   +--------+--------+--------+-----+-----+-----+-----+---
 * </pre>
 */
final class SocketMessage {
    private static final int IOVEC_AT = 56;
    private static final int BASE_LENGTH_AT = IOVEC_AT + 8;
    private static final int CONTROL_AT = IOVEC_AT + 16;
    private static final int CONTROL_ROOM = DatagramBatch.CMSG_DATA_OFFSET + PassedFiles.MAX * Integer.BYTES;
    private static final int SOL_SOCKET = 1;
    private static final int SCM_RIGHTS = 1;
    private static final int MSG_CTRUNC = 8;

    private final UnsafeBuffer memory = new UnsafeBuffer(
        ByteBuffer.allocateDirect(CONTROL_AT + CONTROL_ROOM + Long.BYTES).alignedSlice(Long.BYTES));

    SocketMessage() {
        memory.putLong(DatagramBatch.IOV_OFFSET, memory.addressOffset() + IOVEC_AT);
        memory.putLong(DatagramBatch.IOVLEN_OFFSET, 1);
    }

    SocketMessage(final long address, final int length) {
        this();
        bytes(address, length);
    }

    long address() {
        return memory.addressOffset();
    }

    private void bytes(final long address, final int length) {
        memory.putLong(IOVEC_AT, address);
        memory.putLong(BASE_LENGTH_AT, length);
    }

    /** To be sent with these. */
    void pass(final int... files) {
        if (files.length > 0) {
            Checks.that(files.length <= PassedFiles.MAX, "sendmsg", "%d files, at most %d go at once", files.length,
                PassedFiles.MAX);
            final int length = DatagramBatch.CMSG_DATA_OFFSET + files.length * Integer.BYTES;
            control(length);
            memory.putLong(CONTROL_AT + DatagramBatch.CMSG_LEN_OFFSET, length);
            memory.putInt(CONTROL_AT + DatagramBatch.CMSG_LEVEL_OFFSET, SOL_SOCKET);
            memory.putInt(CONTROL_AT + DatagramBatch.CMSG_TYPE_OFFSET, SCM_RIGHTS);
            for (int i = 0; i < files.length; i++) {
                Checks.fd("sendmsg", files[i]);
                memory.putInt(CONTROL_AT + DatagramBatch.CMSG_DATA_OFFSET + i * Integer.BYTES, files[i]);
            }
        }
    }

    private void control(final int length) {
        memory.putLong(DatagramBatch.CONTROL_OFFSET, memory.addressOffset() + CONTROL_AT);
        memory.putLong(DatagramBatch.CONTROLLEN_OFFSET, length);
    }

    /** To be received. */
    void prepare(final long address, final int length) {
        bytes(address, length);
        control(CONTROL_ROOM);
        memory.putInt(DatagramBatch.FLAGS_OFFSET, 0);
    }

    /** After receiving: how many files came. There is one control message at most, as no option asks for another. */
    int count() {
        final long length = memory.getLong(DatagramBatch.CONTROLLEN_OFFSET);
        if (length < DatagramBatch.CMSG_DATA_OFFSET
            || memory.getInt(CONTROL_AT + DatagramBatch.CMSG_LEVEL_OFFSET) != SOL_SOCKET
            || memory.getInt(CONTROL_AT + DatagramBatch.CMSG_TYPE_OFFSET) != SCM_RIGHTS) {
            return 0;
        }
        final long files = memory.getLong(CONTROL_AT + DatagramBatch.CMSG_LEN_OFFSET) - DatagramBatch.CMSG_DATA_OFFSET;
        return (int) Math.min(PassedFiles.MAX, files / Integer.BYTES);
    }

    int file(final int index) {
        return memory.getInt(CONTROL_AT + DatagramBatch.CMSG_DATA_OFFSET + index * Integer.BYTES);
    }

    /** Whether more files came than there is room for; the kernel has closed those. */
    boolean isCutOff() {
        return (memory.getInt(DatagramBatch.FLAGS_OFFSET) & MSG_CTRUNC) != 0;
    }
}
