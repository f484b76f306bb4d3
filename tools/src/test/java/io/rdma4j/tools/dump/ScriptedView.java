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

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A published device in a state that a test wrote down. */
final class ScriptedView implements LiveView {
    final List<LiveObject> objects = new ArrayList<>();
    final List<LiveCounter> counters = new ArrayList<>();
    final List<LiveError> errors = new ArrayList<>();
    final List<LiveCommand> commands = new ArrayList<>();
    String address = "vfio:0000:0b:00.1";
    boolean alive = true;
    private final List<Piece> memory = new ArrayList<>();
    private final Set<String> troubles = new LinkedHashSet<>();
    private Runnable onRead = () -> { };

    private record Piece(long iova, long address, byte[] bytes) {
    }

    /** Publishes an object; attributes in the order of its kind. */
    ScriptedView add(final LiveKind kind, final int handle, final long... attributes) {
        objects.add(new LiveObject(kind, objects.size() + 1, handle,
            Arrays.copyOf(attributes, kind.attributes().size()), new long[kind.counters().size()]));
        return this;
    }

    /** Sets a counter of the object that was added last. */
    ScriptedView count(final int place, final long total) {
        objects.get(objects.size() - 1).counters()[place] = total;
        return this;
    }

    /** Memory that the device sees. */
    ScriptedView memory(final long iova, final byte[] bytes) {
        return memory(iova, 0, bytes);
    }

    /** Memory that the device sees, and the process at another address. */
    ScriptedView memory(final long iova, final long address, final byte[] bytes) {
        memory.add(new Piece(iova, address, bytes));
        return this;
    }

    /** Memory that lies over what is there already. */
    ScriptedView memoryFirst(final long iova, final byte[] bytes) {
        memory.add(0, new Piece(iova, 0, bytes));
        return this;
    }

    /** All of the memory, to be written to. */
    List<byte[]> memories() {
        return memory.stream().map(Piece::bytes).toList();
    }

    /** Lets something happen before each read of memory. */
    void onRead(final Runnable action) {
        onRead = action;
    }

    @Override
    public long pid() {
        return 1234;
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public String description() {
        return "scripted pvrdma, VERSION 20, firmware 3.2.1";
    }

    @Override
    public long openedMillis() {
        return 1_700_000_000_000L;
    }

    @Override
    public boolean isAlive() {
        return alive;
    }

    @Override
    public List<LiveObject> objects(final LiveKind kind) {
        return objects.stream().filter(object -> object.kind() == kind).toList();
    }

    @Override
    public List<LiveCounter> counters() {
        return List.copyOf(counters);
    }

    @Override
    public List<LiveError> errors() {
        return List.copyOf(errors);
    }

    @Override
    public List<LiveCommand> commands() {
        return List.copyOf(commands);
    }

    @Override
    public List<LiveSegment> segments() {
        return memory.stream()
            .map(piece -> new LiveSegment(piece.iova, piece.address, piece.bytes.length, 9, 0)).toList();
    }

    @Override
    public Optional<byte[]> read(final long iova, final int length) {
        onRead.run();
        for (final Piece piece : memory) {
            final long offset = iova - piece.iova;
            if (offset >= 0 && length >= 0 && offset <= piece.bytes.length - length) {
                return Optional.of(Arrays.copyOfRange(piece.bytes, (int) offset, (int) offset + length));
            }
        }
        troubles.add(String.format("no segment holds 0x%x+%d", iova, length));
        return Optional.empty();
    }

    @Override
    public List<String> troubles() {
        return List.copyOf(troubles);
    }

    @Override
    public List<String> takeTroubles() {
        final List<String> taken = troubles();
        troubles.clear();
        return taken;
    }

    @Override
    public void close() {
        alive = false;
    }
}
