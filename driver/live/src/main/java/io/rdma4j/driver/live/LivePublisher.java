/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import io.rdma4j.base.LiveKind;

import java.nio.file.Path;
import java.util.Optional;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * Publishes one open device. Whoever cannot publish (no folder, no room, switched off) gets one that publishes nothing,
 * so that no caller has to ask. Thread-safe; control path, but for the memory of counters.
 */
public interface LivePublisher extends AutoCloseable {
    /**
     * Publishes an object. Readers see it after the first {@link LiveEntry#publish}. Where there is no more room the
     * object is counted, and not seen.
     *
     * @param kind   defined by the owner of the object.
     * @param handle what the device calls it.
     * @return its entry; the caller closes it before the object's memory is given up.
     */
    LiveEntry add(LiveKind kind, int handle);

    /**
     * A counter of the device, in the file's Agrona counters.
     *
     * @param label what is counted, in words.
     * @return a new counter, 0; closed with this.
     */
    AtomicCounter counter(String label);

    /**
     * Publishes a piece of the device's own memory. Where there is no more room it is left out.
     *
     * @param segment where it is.
     * @return to be closed before the memory is given up; harmless when closed again.
     */
    LiveEnd segment(LiveSegment segment);

    /**
     * Puts an error into the distinct error log: equal ones (same class, message and place) are counted.
     *
     * @param error what happened.
     */
    void error(Throwable error);

    /**
     * The file that others open.
     *
     * @return empty where nothing is published to them, or not any more.
     */
    default Optional<Path> file() {
        return Optional.empty();
    }

    /** Ends something; throws nothing. */
    @FunctionalInterface
    interface LiveEnd extends AutoCloseable {
        @Override
        void close();
    }

    /** Readers do not see the device any more; the file is removed. Harmless when called again. */
    @Override
    void close();
}
