/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.driver.live.LiveViews.Status;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * What the beginning of a file says, and what that means here and now.
 *
 * @param status       what the file is.
 * @param isOfOther    whether another version of rdma4j wrote it.
 * @param detail       one sentence for anything but {@link Status#LIVE}; else empty.
 * @param pid          the process.
 * @param start        when that began.
 * @param openedMillis when the device was opened.
 * @param ofThisBoot   whether the machine runs since.
 * @param address      of the device.
 * @param description  of the device.
 * @param descriptor   by which the process has the rest; -1 if it is here.
 * @param isLocked     whether its process holds the lock of the file while it lives.
 * @param layout       where the rest is; null if the rest cannot be read.
 */
record LiveHeader(
    Status status, boolean isOfOther, String detail, long pid, long start, long openedMillis, boolean ofThisBoot,
    String address, String description, int descriptor, boolean isLocked, LiveLayout layout) {

    static void write(final UnsafeBuffer header, final String address, final LiveLayout layout) {
        final byte[] name = cut(address, LiveLayout.ADDRESS_MAX);
        final byte[] boot = Arrays.copyOf(
            LiveProcess.bootId().getBytes(StandardCharsets.US_ASCII), LiveLayout.BOOT_ID_LENGTH);
        header.putInt(LiveLayout.VERSION_OFFSET, LiveLayout.VERSION, LITTLE_ENDIAN);
        header.putInt(LiveLayout.STATUS_OFFSET, LiveLayout.OPEN, LITTLE_ENDIAN);
        header.putLong(LiveLayout.PROCESS_OFFSET, LiveProcess.PID, LITTLE_ENDIAN);
        header.putLong(LiveLayout.START_OFFSET, LiveProcess.ownStart(), LITTLE_ENDIAN);
        header.putLong(LiveLayout.NAMESPACE_OFFSET, LiveProcess.ownNamespace(), LITTLE_ENDIAN);
        header.putLong(LiveLayout.OPENED_OFFSET, System.currentTimeMillis(), LITTLE_ENDIAN);
        header.putBytes(LiveLayout.BOOT_ID_OFFSET, boot);
        header.putInt(LiveLayout.OBJECT_ROOM_OFFSET, layout.objects.room(), LITTLE_ENDIAN);
        header.putInt(LiveLayout.ADDRESS_LENGTH_OFFSET, name.length, LITTLE_ENDIAN);
        header.putLong(LiveLayout.FILE_LENGTH_OFFSET, layout.length, LITTLE_ENDIAN);
        header.putBytes(LiveLayout.ADDRESS_OFFSET, name);
        header.putLongRelease(0, LiveLayout.MAGIC);
    }

    /** At most so many bytes of a text, without half a character at its end. */
    static byte[] cut(final String text, final int max) {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(bytes.length, max);
        while (length < bytes.length && length > 0 && (bytes[length] & 0xc0) == 0x80) {
            length--;
        }
        return Arrays.copyOf(bytes, length);
    }

    /** Reads what an image begins with, whatever that is. */
    static LiveHeader read(final LiveImage image) {
        final byte[] found = image.bytes(0, LiveLayout.HEADER_LENGTH);
        if (found == null) {
            return corrupt(String.format("it has %d bytes, and its head alone should have %d", image.length(),
                LiveLayout.HEADER_LENGTH));
        }
        final UnsafeBuffer header = new UnsafeBuffer(found);
        final long magic = header.getLong(0, LITTLE_ENDIAN);
        if (magic != LiveLayout.MAGIC) {
            return corrupt(String.format("it begins with 0x%016x, not as such a file does", magic));
        }
        return of(header, image.length());
    }

    private static LiveHeader corrupt(final String detail) {
        return new LiveHeader(Status.CORRUPT, false, detail, 0, 0, 0, false, "", "", -1, false, null);
    }

    private static LiveHeader of(final UnsafeBuffer header, final long length) {
        final long pid = header.getLong(LiveLayout.PROCESS_OFFSET, LITTLE_ENDIAN);
        final long start = header.getLong(LiveLayout.START_OFFSET, LITTLE_ENDIAN);
        final long opened = header.getLong(LiveLayout.OPENED_OFFSET, LITTLE_ENDIAN);
        final boolean ofThisBoot = text(header, LiveLayout.BOOT_ID_OFFSET, LiveLayout.BOOT_ID_LENGTH).trim()
            .equals(LiveProcess.bootId());
        final int version = header.getInt(LiveLayout.VERSION_OFFSET, LITTLE_ENDIAN);
        final boolean known = version == LiveLayout.VERSION;
        final LiveLayout layout = known ? layout(header, length) : null;
        final Life life = life(header, pid, start, ofThisBoot);
        final int descriptor = known ? header.getInt(LiveLayout.MEMORY_OFFSET, LITTLE_ENDIAN) - 1 : -1;
        final boolean isHead = descriptor >= 0 && length == LiveLayout.HEADER_LENGTH;
        final String unreadable = isHead ? "what it published was in its memory" : !known
            ? "it is of version " + Integer.toUnsignedLong(version) + ", this is version " + LiveLayout.VERSION
            : "its numbers do not fit its " + length + " bytes: it was cut off or damaged";
        Status status = life.status;
        String detail = life.detail;
        if (layout == null && status != Status.STALE && !isHead) {
            status = known ? Status.CORRUPT : Status.OTHER_VERSION;
            detail = unreadable;
        } else if (layout == null) {
            detail += (detail.isEmpty() ? "" : "; ") + unreadable;
        }
        return new LiveHeader(status, !known, detail, pid, start, opened, ofThisBoot,
            known ? text(header, LiveLayout.ADDRESS_OFFSET, length(header, LiveLayout.ADDRESS_LENGTH_OFFSET,
                LiveLayout.ADDRESS_MAX)) : "",
            known ? text(header, LiveLayout.DESCRIPTION_OFFSET, length(header, LiveLayout.DESCRIPTION_LENGTH_OFFSET,
                LiveLayout.DESCRIPTION_MAX)) : "", isHead ? descriptor : -1,
            known && header.getInt(LiveLayout.LOCKED_OFFSET, LITTLE_ENDIAN) == 1, layout);
    }

    /** Whether somebody writes to the file. */
    private record Life(Status status, String detail) {
    }

    private static Life life(final UnsafeBuffer header, final long pid, final long start, final boolean ofThisBoot) {
        final long namespace = header.getLong(LiveLayout.NAMESPACE_OFFSET, LITTLE_ENDIAN);
        if (header.getInt(LiveLayout.STATUS_OFFSET, LITTLE_ENDIAN) == LiveLayout.CLOSED) {
            return new Life(Status.STALE, "process " + pid + " has closed the device");
        }
        if (!ofThisBoot) {
            return new Life(Status.STALE, "process " + pid + " ran before this machine was started, or on another");
        }
        if (namespace != LiveProcess.ownNamespace()) {
            return new Life(Status.ELSEWHERE, "process " + pid + " is of another container, and cannot be seen");
        }
        return pid > 0 && start != LiveProcess.NONE && start == LiveProcess.startTicks(pid) ? new Life(Status.LIVE, "")
            : new Life(Status.STALE, "process " + pid + " has ended without closing the device");
    }

    private static LiveLayout layout(final UnsafeBuffer header, final long length) {
        final int room = header.getInt(LiveLayout.OBJECT_ROOM_OFFSET, LITTLE_ENDIAN);
        if (room < 1 || room > LiveLayout.MAX_OBJECTS) {
            return null;
        }
        final LiveLayout layout = new LiveLayout(room);
        return layout.length == header.getLong(LiveLayout.FILE_LENGTH_OFFSET, LITTLE_ENDIAN) && layout.length <= length
            ? layout : null;
    }

    private static int length(final UnsafeBuffer header, final int at, final int max) {
        return Math.max(0, Math.min(max, header.getInt(at, LITTLE_ENDIAN)));
    }

    private static String text(final UnsafeBuffer header, final int at, final int length) {
        return LiveDecoder.text(header, at, length);
    }
}
