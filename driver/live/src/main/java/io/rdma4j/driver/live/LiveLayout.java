/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import io.rdma4j.base.LiveKind;

import org.agrona.concurrent.status.CountersReader;

/**
 * Where things are in what a device publishes. All numbers are little endian. The first {@value #FIXED_LENGTH} bytes
 * are the same in every version; all the rest is told by the version and the number of places for objects. In the
 * folder is a file with the head alone, which says by which descriptor the process has the memory with all of it; or,
 * where there are no such descriptors, all of it.
 *
 * <pre>
 *      0  u64  magic                          88  u32  places for objects
 *      8  u32  version                        92  u32  bytes of the address, see ADDRESS_OFFSET
 *     12  u32  status: 1 open, 2 closed       96  u64  bytes of the file
 *     16  u64  process                       104  u32  bytes of the description, 108  u32  descriptor + 1, or 0
 *     24  u64  its start, ticks from boot    112  u64  objects that found no place
 *     32  u64  its pid namespace             120  u64  segments that found no place
 *     40  u64  opened, ms since 1970         128  u64  errors that found no room
 *     48  40   boot id of the machine        136  u64  counters that found no place
 *                                            144  u32  1 if its process holds the file's lock
 *
 *   4096  index of objects, index of segments, index of commands: u64 for each place
 *         metadata of counters (Agrona's), values of counters (Agrona's), distinct error log (Agrona's)
 *         places of commands, segments, objects
 * </pre>
 *
 * <p>A place's word in the index is 0 while it is free, odd while it is written, and else an even number that is never
 * used again in the life of the file: who reads the same even number before and after it has read the place has read
 * what was published at one moment.
 */
final class LiveLayout {
    /** "rdma4jlv" */
    static final long MAGIC = 0x766c_6a34_616d_6472L;
    static final int VERSION = 4;
    /** Bytes that mean the same in all versions. */
    static final int FIXED_LENGTH = 88;

    static final int VERSION_OFFSET = 8;
    static final int STATUS_OFFSET = 12;
    static final int PROCESS_OFFSET = 16;
    static final int START_OFFSET = 24;
    static final int NAMESPACE_OFFSET = 32;
    static final int OPENED_OFFSET = 40;
    static final int BOOT_ID_OFFSET = 48;
    static final int BOOT_ID_LENGTH = 40;
    static final int OBJECT_ROOM_OFFSET = 88;
    static final int ADDRESS_LENGTH_OFFSET = 92;
    static final int FILE_LENGTH_OFFSET = 96;
    static final int DESCRIPTION_LENGTH_OFFSET = 104;
    /** The descriptor and 1; 0 in a file that has all. */
    static final int MEMORY_OFFSET = 108;
    static final int OBJECTS_LEFT_OUT_OFFSET = 112;
    static final int SEGMENTS_LEFT_OUT_OFFSET = 120;
    static final int ERRORS_LEFT_OUT_OFFSET = 128;
    static final int COUNTERS_LEFT_OUT_OFFSET = 136;
    /** In the head in the folder; the memory itself has no lock. */
    static final int LOCKED_OFFSET = 144;
    static final int ADDRESS_OFFSET = 256;
    static final int ADDRESS_MAX = 2048;
    static final int DESCRIPTION_OFFSET = ADDRESS_OFFSET + ADDRESS_MAX;
    static final int DESCRIPTION_MAX = 1024;
    static final int HEADER_LENGTH = 4096;

    static final int OPEN = 1;
    static final int CLOSED = 2;

    static final int DEFAULT_OBJECTS = 4096;
    static final int MAX_OBJECTS = 1 << 18;
    static final int COMMANDS = 256;
    static final int SEGMENTS = 4096;
    static final int COUNTERS = 512;
    static final int ERROR_LOG_LENGTH = 128 * 1024;

    /** A place of an object: u64 id, u32 kind, u32 handle, u32 attributes; then those, then the counters. */
    static final int OBJECT_LENGTH = 640;
    static final int ID_OFFSET = 0;
    static final int KIND_OFFSET = 8;
    static final int HANDLE_OFFSET = 12;
    static final int ATTRIBUTE_COUNT_OFFSET = 16;
    static final int ATTRIBUTES_OFFSET = 64;
    static final int ATTRIBUTES_MAX = LiveKind.MAX_ATTRIBUTES;
    /** On a pair of cache lines of its own, which processors fetch together. */
    static final int OBJECT_COUNTERS_OFFSET = 384;
    static final int OBJECT_COUNTERS_LENGTH = LiveKind.MAX_COUNTERS * Long.BYTES;

    /** A place of a command: u64 number, u64 began, u64 took, u32 ERR, u32 bytes of request, u32 of response. */
    static final int COMMAND_LENGTH = 1088;
    static final int NUMBER_OFFSET = 0;
    static final int BEGAN_OFFSET = 8;
    static final int TOOK_OFFSET = 16;
    static final int ERR_OFFSET = 24;
    static final int REQUEST_LENGTH_OFFSET = 28;
    static final int RESPONSE_LENGTH_OFFSET = 32;
    static final int REQUEST_OFFSET = 64;
    static final int RESPONSE_OFFSET = 576;
    /** The most of either that is kept. */
    static final int EXCHANGE_MAX = 512;

    /** A place of a segment: u64 IOVA, u64 address, u64 length, u64 offset, i32 descriptor. */
    static final int SEGMENT_LENGTH = 64;
    static final int IOVA_OFFSET = 0;
    static final int SEGMENT_ADDRESS_OFFSET = 8;
    static final int SEGMENT_LENGTH_OFFSET = 16;
    static final int FILE_OFFSET_OFFSET = 24;
    static final int DESCRIPTOR_OFFSET = 32;

    final Table objects;
    final Table segments;
    final Table commands;
    final long metaData;
    final long values;
    final long errors;
    final long length;

    /**
     * A table.
     *
     * @param index  where its index begins.
     * @param data   where its places begin.
     * @param room   how many places.
     * @param stride bytes of a place.
     */
    record Table(long index, long data, int room, int stride) {
        long indexAt(final int place) {
            return index + (long) place * Long.BYTES;
        }

        long at(final int place) {
            return data + (long) place * stride;
        }
    }

    LiveLayout(final int objectRoom) {
        final long objectIndex = HEADER_LENGTH;
        final long segmentIndex = objectIndex + (long) objectRoom * Long.BYTES;
        final long commandIndex = segmentIndex + (long) SEGMENTS * Long.BYTES;
        metaData = page(commandIndex + (long) COMMANDS * Long.BYTES);
        values = metaData + (long) COUNTERS * CountersReader.METADATA_LENGTH;
        errors = values + (long) COUNTERS * CountersReader.COUNTER_LENGTH;
        final long commandData = errors + ERROR_LOG_LENGTH;
        final long segmentData = commandData + page((long) COMMANDS * COMMAND_LENGTH);
        final long objectData = segmentData + (long) SEGMENTS * SEGMENT_LENGTH;
        commands = new Table(commandIndex, commandData, COMMANDS, COMMAND_LENGTH);
        segments = new Table(segmentIndex, segmentData, SEGMENTS, SEGMENT_LENGTH);
        objects = new Table(objectIndex, objectData, objectRoom, OBJECT_LENGTH);
        length = page(objectData + (long) objectRoom * OBJECT_LENGTH);
    }

    private static long page(final long bytes) {
        return bytes + HEADER_LENGTH - 1 & -HEADER_LENGTH;
    }
}
