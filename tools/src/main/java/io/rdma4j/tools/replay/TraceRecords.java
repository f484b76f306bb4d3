/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import io.rdma4j.verbs.pvrdma.trace.TraceFormat;

import java.util.List;
import java.util.TreeMap;

/**
 * What is in a trace.
 *
 * @param records in the order of the file.
 * @param end     why the trace ended before the process; null if it did not.
 */
record TraceRecords(List<TraceRecord> records, String end) {
    /** The devices by number, with the addresses by which they were opened. */
    TreeMap<Integer, String> devices() {
        final TreeMap<Integer, String> devices = new TreeMap<>();
        for (final TraceRecord record : records) {
            if (record.kind().equals(TraceFormat.OPEN)) {
                if (devices.put(record.device(), record.text("address")) != null) {
                    throw record.broken("device " + record.device() + " is opened twice");
                }
            } else if (!devices.containsKey(record.device())) {
                throw record.broken("device " + record.device() + " was not opened");
            }
        }
        return devices;
    }

    /** What is of one device. */
    List<TraceRecord> of(final int device) {
        return records.stream().filter(record -> record.device() == device).toList();
    }
}
