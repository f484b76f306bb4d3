/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Keeps the warnings of a class, instead of printing them. */
final class Warnings extends Handler implements AutoCloseable {
    private final Logger logger;
    private final List<String> texts = new CopyOnWriteArrayList<>();

    Warnings(final Class<?> of) {
        logger = Logger.getLogger(of.getName());
        logger.addHandler(this);
        logger.setUseParentHandlers(false);
    }

    List<String> texts() {
        return texts;
    }

    @Override
    public void publish(final LogRecord entry) {
        if (entry.getLevel() == Level.WARNING) {
            texts.add(entry.getMessage());
        }
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
