/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.agrona.concurrent.status.CountersReader;

/**
 * Reads Agrona's counters and distinct error log out of an image. Agrona's own readers trust the lengths that they
 * find.
 */
final class LiveStatistics {
    private final LiveImage image;
    private final LiveLayout layout;
    private final LiveTroubles troubles;

    LiveStatistics(final LiveImage image, final LiveLayout layout, final LiveTroubles troubles) {
        this.image = image;
        this.layout = layout;
        this.troubles = troubles;
    }

    List<LiveCounter> counters() {
        final List<LiveCounter> found = new ArrayList<>();
        for (int id = 0; id < LiveLayout.COUNTERS; id++) {
            final byte[] bytes = image.bytes(
                layout.metaData + (long) id * CountersReader.METADATA_LENGTH, CountersReader.METADATA_LENGTH);
            final UnsafeBuffer record = new UnsafeBuffer(bytes == null ? new byte[Integer.BYTES] : bytes);
            final int state = record.getInt(0, LITTLE_ENDIAN);
            if (state == CountersReader.RECORD_UNUSED) {
                return found;
            }
            // A label is there before its record is said to be allocated.
            if (state == CountersReader.RECORD_ALLOCATED) {
                found.add(new LiveCounter(id, label(record), value(id)));
            }
        }
        return found;
    }

    private static String label(final UnsafeBuffer record) {
        final int length = record.getInt(CountersReader.LABEL_OFFSET, LITTLE_ENDIAN);
        return LiveDecoder.text(record, CountersReader.LABEL_OFFSET + Integer.BYTES,
            Math.max(0, Math.min(length, CountersReader.MAX_LABEL_LENGTH)));
    }

    private long value(final int id) {
        final byte[] value = image.bytes(layout.values + (long) id * CountersReader.COUNTER_LENGTH, Long.BYTES);
        return value == null ? 0 : new UnsafeBuffer(value).getLong(0, LITTLE_ENDIAN);
    }

    List<LiveError> errors() {
        final byte[] bytes = image.bytes(layout.errors, LiveLayout.ERROR_LOG_LENGTH);
        final List<LiveError> found = new ArrayList<>();
        if (bytes == null) {
            troubles.add("the error log is cut off");
            return found;
        }
        final UnsafeBuffer log = new UnsafeBuffer(bytes);
        int at = 0;
        while (at <= bytes.length - DistinctErrorLog.ENCODED_ERROR_OFFSET) {
            final int length = log.getInt(at, LITTLE_ENDIAN);
            if (length == 0) {
                return found;
            }
            if (length < DistinctErrorLog.ENCODED_ERROR_OFFSET || length > bytes.length - at) {
                troubles.add("the error log is damaged after %d entries", found.size());
                return found;
            }
            found.add(error(log, bytes, at, length));
            at += BitUtil.align(length, DistinctErrorLog.RECORD_ALIGNMENT);
        }
        return found;
    }

    private static LiveError error(final UnsafeBuffer log, final byte[] bytes, final int at, final int length) {
        return new LiveError(log.getInt(at + DistinctErrorLog.OBSERVATION_COUNT_OFFSET, LITTLE_ENDIAN),
            log.getLong(at + DistinctErrorLog.FIRST_OBSERVATION_TIMESTAMP_OFFSET, LITTLE_ENDIAN),
            log.getLong(at + DistinctErrorLog.LAST_OBSERVATION_TIMESTAMP_OFFSET, LITTLE_ENDIAN),
            new String(bytes, at + DistinctErrorLog.ENCODED_ERROR_OFFSET,
                length - DistinctErrorLog.ENCODED_ERROR_OFFSET, StandardCharsets.UTF_8));
    }
}
