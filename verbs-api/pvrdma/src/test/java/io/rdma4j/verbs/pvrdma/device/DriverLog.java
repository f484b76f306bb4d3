/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Keeps what the driver logs, instead of printing it. */
final class DriverLog extends Handler implements AutoCloseable {
    private final Logger logger = Logger.getLogger("io.rdma4j.verbs.pvrdma.device");
    private final List<LogRecord> records = Collections.synchronizedList(new ArrayList<>());

    DriverLog() {
        Journal.WARNINGS.forget();
        logger.addHandler(this);
        logger.setUseParentHandlers(false);
    }

    List<String> warnings() {
        return texts(Level.WARNING);
    }

    List<String> notes() {
        return texts(Level.INFO);
    }

    private List<String> texts(final Level level) {
        synchronized (records) {
            return records.stream().filter(r -> r.getLevel() == level).map(LogRecord::getMessage).toList();
        }
    }

    @Override
    public void publish(final LogRecord entry) {
        records.add(entry);
    }

    @Override
    public void flush() {
        // Nothing is buffered.
    }

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setUseParentHandlers(true);
    }
}
