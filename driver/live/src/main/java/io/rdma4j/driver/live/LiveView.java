/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import io.rdma4j.base.LiveKind;

import java.util.List;
import java.util.Optional;

/**
 * A published device as a reader sees it. Nothing here stops, slows or changes the process that publishes; what it
 * returns are copies. Nothing throws because of what is in the file or in memory: objects that cannot be read
 * consistently, or make no sense, are left out and told by {@link #troubles()}. Not thread-safe.
 */
public interface LiveView extends AutoCloseable {
    /**
     * Whose device it is.
     *
     * @return the process id.
     */
    long pid();

    /**
     * The address that the device was opened by.
     *
     * @return a device address.
     */
    String address();

    /**
     * What the device is, in a few words: profile, version, firmware.
     *
     * @return one line; never null.
     */
    String description();

    /**
     * When the device was opened.
     *
     * @return milliseconds since 1970.
     */
    long openedMillis();

    /**
     * Whether the process is still there and has not closed the device.
     *
     * @return false when what is read from now on is the last that was.
     */
    boolean isAlive();

    /**
     * Objects of one kind. There may be others, of kinds that this reader does not know.
     *
     * @param kind as their owner defines it.
     * @return by handle; copies.
     */
    List<LiveObject> objects(LiveKind kind);

    /**
     * The counters of the device.
     *
     * @return in the order in which they were made.
     */
    List<LiveCounter> counters();

    /**
     * The distinct error log.
     *
     * @return the oldest first.
     */
    List<LiveError> errors();

    /**
     * The last commands.
     *
     * @return the oldest first; those that were written over meanwhile are left out.
     */
    List<LiveCommand> commands();

    /**
     * The pieces of the device's own memory.
     *
     * @return by IOVA.
     */
    List<LiveSegment> segments();

    /**
     * Reads the device's own memory as the device sees it.
     *
     * @param iova   first byte.
     * @param length bytes, at most what one segment holds from there.
     * @return a copy; empty if no segment holds all of it, or it is not shared or cannot be opened ({@link #troubles()}
     *         says which).
     */
    Optional<byte[]> read(long iova, int length);

    /**
     * What could not be read, in words.
     *
     * @return distinct sentences, in the order in which they came up.
     */
    List<String> troubles();

    /**
     * The same, and forgets them: who looks again and again learns at each look what could not be read at that one. At
     * most 100 are kept, so that who never takes them learns of no more.
     *
     * @return what {@link #troubles()} tells.
     */
    List<String> takeTroubles();

    /** Closes files. Harmless when called again. */
    @Override
    void close();
}
