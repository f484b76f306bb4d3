/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import org.agrona.UnsafeApi;

/**
 * The layout of a ring in shared memory, by which one process sends frames to another. One writes, one reads; neither
 * trusts the other.
 *
 * <pre>
 *      0  magic          8  nonce         16  bytes of data (int)
 *     24  source GID    40  dest GID      56  incarnation of source   64  of dest
 *     72  descriptor (int): of the file in which the writer shares its memory, in its process; -1 for none
 *    256  head    (long): where the reader is, written by the reader; -1: it does not read any more
 *    384  waiting (int):  the writer found no room and wants to be woken; set by the writer, cleared by the reader
 *    512  follows (int):  1 if the reader follows references, written by the reader
 *    640  withdrawn (long): references of records before this position count for nothing, written by the writer
 *   4096  data: records, each aligned to 8; positions count bytes from the beginning and are taken modulo the size
 *
 *   record    +------------------------------------------------------------+----------- - -
 *             | word (long): 0, or what the record is                      | frame, up to a multiple of 8
 *             +------------------------------------------------------------+----------- - -
 *   word       63       62      61        60..52   51..32       31..24      23..16          15..0
 *              0        1       refers    0        flow label   hop limit   traffic class   length
 *              1        0       0: goes on at offset 0 of the data; 1 in bit 0: the writer has ended
 *
 *   frame that refers    headers | offset in the file (long) | length of the payload (int) | packets (int)
 * </pre>
 *
 * <p>The payload of a frame that refers lies in the first 64 GiB of the file: that is what a reader maps.
 *
 * <p>There is no tail in memory: the word of the next record is 0 until that record is complete. The writer zeroes the
 * word behind a record before it publishes the record, so the reader never meets what is left from the lap before. A
 * ping-pong moves the lines of the frame and no other. What each side writes is two lines away from what the other one
 * writes: processors fetch lines in pairs.
 */
final class ShmRing {
    /** Of a record. */
    static final int WORD = Long.BYTES;
    /** Bytes of the longest frame: a payload of 4096 and all headers. */
    static final int MAX_FRAME = 4096 + Frame.OWN;
    /** Bytes of the longest record. */
    static final int MAX_RECORD = record(MAX_FRAME);

    static final int HEAD_OFFSET = 256;
    static final int WAITING_OFFSET = 384;
    static final int FOLLOWS_OFFSET = 512;
    static final int WITHDRAWN_OFFSET = 640;
    static final int DATA_OFFSET = 4096;
    static final long STOPPED = -1;

    static final int LEAST_DATA = 64 * 1024;
    static final int MOST_DATA = 16 * 1024 * 1024;

    static final long PADDING = Long.MIN_VALUE;
    /** In place of a record: the writer has gone. */
    static final long END = Long.MIN_VALUE | 1;
    static final long FRAME = 1L << 62;
    static final long REFERS = 1L << 61;
    /** Bytes of the file in which a writer shares its memory to which frames may refer, from its beginning. */
    static final long MOST_SHARED = 1L << 36;
    /** Bytes of a reference. */
    static final int REFERENCE = 2 * Long.BYTES;
    private static final long RESERVED = 0x1ff0_0000_0000_0000L;
    private static final int FLOW_SHIFT = 32;
    private static final int FLOW_MASK = 0xfffff;
    private static final int HOP_SHIFT = 24;
    private static final int CLASS_SHIFT = 16;
    private static final int BYTE = 0xff;
    private static final int LENGTH = 0xffff;

    private static final long MAGIC = 0x52444d41_344a5232L;
    static final int NONCE_OFFSET = 8;
    private static final int SIZE_OFFSET = 16;
    private static final int SOURCE_OFFSET = 24;
    private static final int DEST_OFFSET = 40;
    private static final int SOURCE_LIFE_OFFSET = 56;
    private static final int DEST_LIFE_OFFSET = 64;
    private static final int DESCRIPTOR_OFFSET = 72;

    private ShmRing() {
    }

    /**
     * Whom a ring connects, once.
     *
     * @param nonce      of the ring, which no other one has; the next ring of the same source has one more
     * @param source     who writes
     * @param sourceLife incarnation of the source
     * @param dest       who reads
     * @param destLife   incarnation of the destination
     */
    record Title(long nonce, Gid source, long sourceLife, Gid dest, long destLife) {
        void write(final long ring, final int size) {
            UnsafeApi.putLong(ring, MAGIC);
            UnsafeApi.putLong(ring + NONCE_OFFSET, nonce);
            UnsafeApi.putInt(ring + SIZE_OFFSET, size);
            putGid(ring + SOURCE_OFFSET, source);
            putGid(ring + DEST_OFFSET, dest);
            UnsafeApi.putLong(ring + SOURCE_LIFE_OFFSET, sourceLife);
            UnsafeApi.putLong(ring + DEST_LIFE_OFFSET, destLife);
        }

        /** Whether a ring has this title, and so much data as there is memory behind it. */
        boolean isAt(final long ring, final long memory) {
            final int size = UnsafeApi.getInt(ring + SIZE_OFFSET);
            return UnsafeApi.getLong(ring) == MAGIC && UnsafeApi.getLong(ring + NONCE_OFFSET) == nonce
                && isSize(size) && size == memory - DATA_OFFSET
                && isGid(ring + SOURCE_OFFSET, source) && isGid(ring + DEST_OFFSET, dest)
                && UnsafeApi.getLong(ring + SOURCE_LIFE_OFFSET) == sourceLife
                && UnsafeApi.getLong(ring + DEST_LIFE_OFFSET) == destLife;
        }

        private static void putGid(final long at, final Gid gid) {
            UnsafeApi.putLong(at, gid.high());
            UnsafeApi.putLong(at + Long.BYTES, gid.low());
        }

        private static boolean isGid(final long at, final Gid gid) {
            return UnsafeApi.getLong(at) == gid.high() && UnsafeApi.getLong(at + Long.BYTES) == gid.low();
        }
    }

    /** Says in which file references of the writer lead somewhere. */
    static void shareBy(final long ring, final int descriptor) {
        UnsafeApi.putInt(ring + DESCRIPTOR_OFFSET, descriptor);
    }

    /** As the writer said; below 0 if it shares nothing. */
    static int sharedBy(final long ring) {
        return UnsafeApi.getInt(ring + DESCRIPTOR_OFFSET);
    }

    static boolean isSize(final int size) {
        return size >= LEAST_DATA && size <= MOST_DATA && Integer.bitCount(size) == 1;
    }

    static boolean isFrameLength(final int length) {
        return length > 0 && length <= MAX_FRAME && (length & Integer.BYTES - 1) == 0;
    }

    /** Bytes of a record with a frame of a length. */
    static int record(final int length) {
        return WORD + length + WORD - 1 & -WORD;
    }

    static long word(final int length, final int trafficClass, final int flowLabel, final int hopLimit) {
        return FRAME | (long) (flowLabel & FLOW_MASK) << FLOW_SHIFT | (long) (hopLimit & BYTE) << HOP_SHIFT
            | (long) (trafficClass & BYTE) << CLASS_SHIFT | length;
    }

    /** Whether a word announces a frame that fits into what is left. */
    static boolean isFrame(final long word, final int left) {
        final int length = length(word);
        return (word & (PADDING | FRAME | RESERVED)) == FRAME && isFrameLength(length) && record(length) <= left
            && (!refers(word) || length > REFERENCE && length <= Frame.OWN + REFERENCE);
    }

    static boolean refers(final long word) {
        return (word & REFERS) != 0;
    }

    static int length(final long word) {
        return (int) word & LENGTH;
    }

    static int trafficClass(final long word) {
        return (int) (word >>> CLASS_SHIFT) & BYTE;
    }

    static int hopLimit(final long word) {
        return (int) (word >>> HOP_SHIFT) & BYTE;
    }

    static int flowLabel(final long word) {
        return (int) (word >>> FLOW_SHIFT) & FLOW_MASK;
    }
}
