/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import java.util.Collections;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Keeps what is logged, instead of printing it. */
final class LiveLog extends Handler implements AutoCloseable {
    private final Logger logger = Logger.getLogger("io.rdma4j.driver.live");
    private final List<LogRecord> records = Collections.synchronizedList(new ArrayList<>());

    LiveLog() {
        LiveDevice.WARNINGS.forget();
        logger.addHandler(this);
        logger.setUseParentHandlers(false);
    }

    List<String> warnings() {
        synchronized (records) {
            return records.stream().filter(r -> r.getLevel() == Level.WARNING).map(LogRecord::getMessage).toList();
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
