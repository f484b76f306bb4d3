/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import io.rdma4j.base.LiveKind;
import io.rdma4j.driver.live.LiveCommand;
import io.rdma4j.driver.live.LiveCounter;
import io.rdma4j.driver.live.LiveError;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.driver.live.LiveSegment;
import io.rdma4j.driver.live.LiveView;

import java.util.List;
import java.util.Optional;

/**
 * The view of a device that publishes nothing.
 *
 * @param address     as it was opened by.
 * @param description what it is, in a few words.
 * @param reason      why it does not publish, one sentence; empty if nobody would expect it to.
 */
public record NothingPublished(String address, String description, String reason) implements LiveView {
    @Override
    public long pid() {
        return ProcessHandle.current().pid();
    }

    @Override
    public long openedMillis() {
        return 0;
    }

    @Override
    public boolean isAlive() {
        return true;
    }

    @Override
    public List<LiveObject> objects(final LiveKind kind) {
        return List.of();
    }

    @Override
    public List<LiveCounter> counters() {
        return List.of();
    }

    @Override
    public List<LiveError> errors() {
        return List.of();
    }

    @Override
    public List<LiveCommand> commands() {
        return List.of();
    }

    @Override
    public List<LiveSegment> segments() {
        return List.of();
    }

    @Override
    public Optional<byte[]> read(final long iova, final int length) {
        return Optional.empty();
    }

    @Override
    public List<String> troubles() {
        return reason.isEmpty() ? List.of() : List.of(reason);
    }

    /** The reason lasts, whoever was told. */
    @Override
    public List<String> takeTroubles() {
        return troubles();
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
