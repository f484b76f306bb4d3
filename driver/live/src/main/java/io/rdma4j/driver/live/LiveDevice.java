/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.base.LiveKind;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.jfr.Flight;
import io.rdma4j.driver.state.StateFolder;
import io.rdma4j.driver.state.Warnings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersManager;
import org.agrona.concurrent.status.CountersReader;

/**
 * What one open device publishes: a file in the user's folder, see {@link LiveViews}. Where there can be no file the
 * same is kept in memory, for views within this process. Thread-safe.
 */
public final class LiveDevice implements LivePublisher {
    static final Warnings WARNINGS = new Warnings(LiveDevice.class);
    /** In the order of opening. */
    private static final Collection<LiveDevice> OPEN = new ConcurrentLinkedQueue<>();
    private static final int ALIGNMENT = 128;

    private final LiveLayout layout;
    private final LiveMemory memory;
    private final String address;
    private final String objection;
    private final UnsafeBuffer header;
    private final LiveTable objects;
    private final LiveTable segments;
    private final LiveTable commands;
    private final CountersManager counters;
    private final UnsafeBuffer command;
    private final AtomicLong ids = new AtomicLong();
    private final Map<Integer, LiveSegment> openSegments = new HashMap<>();
    private DistinctErrorLog errors;
    private int counterCount;
    private long commandCount;
    private boolean closed;

    private LiveDevice(
        final String address, final String objection, final LiveLayout layout, final LiveMemory memory) {
        this.address = address;
        this.objection = objection;
        this.layout = layout;
        this.memory = memory;
        this.header = memory.buffer(0, LiveLayout.HEADER_LENGTH);
        this.objects = new LiveTable(memory, layout.objects);
        this.segments = new LiveTable(memory, layout.segments);
        this.commands = new LiveTable(memory, layout.commands);
        this.counters = new CountersManager(
            memory.buffer(layout.metaData, LiveLayout.COUNTERS * CountersReader.METADATA_LENGTH),
            memory.buffer(layout.values, LiveLayout.COUNTERS * CountersReader.COUNTER_LENGTH));
        this.command = memory.buffer(layout.commands.data(),
            (long) LiveLayout.COMMANDS * LiveLayout.COMMAND_LENGTH);
        LiveHeader.write(header, address, layout);
    }

    /**
     * Begins to publish a device, and removes what processes of this user left that were killed. Where nothing can be
     * published a warning says so, once.
     *
     * @param address what the device was opened by.
     * @return to be closed after the device.
     */
    public static LiveDevice open(final String address) {
        final LiveDevice device = create(address, new LiveLayout(LiveSettings.objects(LiveDevice::warn)));
        OPEN.add(device);
        return device;
    }

    /**
     * Keeps in memory what would be published.
     *
     * @param address what the device was opened by.
     * @param why     there is nothing to publish it for, one clause.
     * @return to be closed after the device.
     */
    public static LiveDevice unpublished(final String address, final String why) {
        return unpublished(address, why, new LiveLayout(LiveLayout.DEFAULT_OBJECTS));
    }

    private static LiveDevice create(final String address, final LiveLayout layout) {
        if (LiveSettings.isOff()) {
            return unpublished(address, "it is switched off by " + LiveSettings.whatSwitches(), layout);
        }
        try {
            return publish(address, layout, StateFolder.STATE.prepare());
        } catch (final IOException | UnsupportedOperationException | InvalidPathException e) {
            final String why = StateFolder.why(e);
            warn("No other process can look into the devices of this one: " + why + ". Name a folder of your own"
                + " with " + StateFolder.VARIABLE + " or -D" + StateFolder.PROPERTY + ", or switch this off with "
                + LiveSettings.VARIABLE + "=off.");
            return unpublished(address, why, layout);
        }
    }

    private static LiveDevice publish(final String address, final LiveLayout layout, final Path folder)
        throws IOException {
        LiveFolder.removeStale(folder, openFiles());
        final LiveFolder.Place place = LiveFolder.newPlace(folder);
        final LiveMemory memory = openDraft(place.draft(), layout.length);
        try (Undo undo = new Undo()) {
            undo.add(memory::close);
            if (!memory.require(0, layout.metaData)) {
                throw new IOException("no room for " + layout.metaData + " bytes");
            }
            final LiveDevice device = new LiveDevice(address, null, layout, memory);
            memory.publish(place.file());
            undo.forget();
            return device;
        }
    }

    private static LiveMemory openDraft(final Path draft, final long length) throws IOException {
        boolean opened = false;
        try {
            final LiveMemory memory = LiveMemory.ofFile(draft, length);
            opened = true;
            return memory;
        } finally {
            if (!opened) {
                Files.deleteIfExists(draft);
            }
        }
    }

    static LiveDevice unpublished(final String address, final String why, final LiveLayout layout) {
        return new LiveDevice(address, why, layout, LiveMemory.ofProcess(layout.length));
    }

    private static void warn(final String text) {
        WARNINGS.tell(text);
    }

    /** Those that this process has open, in the order of opening. */
    static Collection<LiveDevice> ofProcess() {
        return OPEN;
    }

    private static Collection<Path> openFiles() {
        final List<Path> files = new ArrayList<>();
        OPEN.forEach(device -> device.file().ifPresent(files::add));
        return files;
    }

    String address() {
        return address;
    }

    LiveMemory memory() {
        return memory;
    }

    long length() {
        return layout.length;
    }

    @Override
    public Optional<Path> file() {
        return Optional.ofNullable(memory.path());
    }

    /**
     * Why other processes do not see this.
     *
     * @return one clause; null if they do.
     */
    public String objection() {
        return objection;
    }

    /**
     * Says what the device is, once that is known.
     *
     * @param text one line.
     */
    public synchronized void describe(final String text) {
        final byte[] bytes = LiveHeader.cut(text, LiveLayout.DESCRIPTION_MAX);
        header.putIntOpaque(LiveLayout.DESCRIPTION_LENGTH_OFFSET, 0);
        header.putBytes(LiveLayout.DESCRIPTION_OFFSET, bytes);
        // Meets the reader's acquire between the length and the text.
        header.putIntRelease(LiveLayout.DESCRIPTION_LENGTH_OFFSET, bytes.length);
    }

    @Override
    public LiveEntry add(final LiveKind kind, final int handle) {
        final int place = objects.take();
        return new LiveRecord(objects, place, kind, handle, ids.incrementAndGet(),
            LiveTable.isPlace(place) ? () -> { } : leftOutUntilEnd(LiveLayout.OBJECTS_LEFT_OUT_OFFSET));
    }

    private LiveEnd leftOutUntilEnd(final int what) {
        leftOut(what);
        final AtomicBoolean ended = new AtomicBoolean();
        return () -> {
            if (!ended.getAndSet(true)) {
                header.getAndAddLong(what, -1);
            }
        };
    }

    private void leftOut(final int what) {
        header.getAndAddLong(what, 1);
    }

    @Override
    public synchronized AtomicCounter counter(final String label) {
        final long metaData = layout.metaData + (long) counterCount * CountersReader.METADATA_LENGTH;
        final long value = layout.values + (long) counterCount * CountersReader.COUNTER_LENGTH;
        if (counterCount == LiveLayout.COUNTERS || !memory.require(metaData, CountersReader.METADATA_LENGTH)
            || !memory.require(value, CountersReader.COUNTER_LENGTH)) {
            leftOut(LiveLayout.COUNTERS_LEFT_OUT_OFFSET);
            return new AtomicCounter(new UnsafeBuffer(
                BufferUtil.allocateDirectAligned(CountersReader.COUNTER_LENGTH, ALIGNMENT)), 0);
        }
        counterCount++;
        return counters.newCounter(label);
    }

    @Override
    public synchronized LiveEnd segment(final LiveSegment segment) {
        final int place = segments.take();
        if (!LiveTable.isPlace(place)) {
            return leftOutUntilEnd(LiveLayout.SEGMENTS_LEFT_OUT_OFFSET);
        }
        final UnsafeBuffer record = segments.buffer(place, 0, LiveLayout.SEGMENT_LENGTH);
        final long ticket = segments.begin(place);
        record.putLong(LiveLayout.IOVA_OFFSET, segment.iova(), LITTLE_ENDIAN);
        record.putLong(LiveLayout.SEGMENT_ADDRESS_OFFSET, segment.address(), LITTLE_ENDIAN);
        record.putLong(LiveLayout.SEGMENT_LENGTH_OFFSET, segment.length(), LITTLE_ENDIAN);
        record.putLong(LiveLayout.FILE_OFFSET_OFFSET, segment.offset(), LITTLE_ENDIAN);
        record.putInt(LiveLayout.DESCRIPTOR_OFFSET, segment.descriptor(), LITTLE_ENDIAN);
        segments.end(place, ticket);
        openSegments.put(place, segment);
        return () -> end(place, segment);
    }

    private synchronized void end(final int place, final LiveSegment segment) {
        if (openSegments.get(place) == segment) {
            openSegments.remove(place);
            segments.hide(place);
            segments.free(place);
        }
    }

    /**
     * Reads memory of this process, of which the owner says that it is there: a segment is ended before its memory is
     * given back, which waits for this.
     *
     * @return false if it is no segment any more.
     */
    synchronized boolean readOwn(final LiveSegment segment, final long offset, final byte[] into) {
        if (!openSegments.containsValue(segment) || offset < 0 || offset > segment.length() - into.length) {
            return false;
        }
        if (into.length > 0) {
            new UnsafeBuffer(segment.address() + offset, into.length).getBytes(0, into);
        }
        return true;
    }

    @Override
    public synchronized void error(final Throwable error) {
        Flight.error(address, error);
        if (errors == null && memory.require(layout.errors, LiveLayout.ERROR_LOG_LENGTH)) {
            errors = new DistinctErrorLog(memory.buffer(layout.errors, LiveLayout.ERROR_LOG_LENGTH),
                SystemEpochClock.INSTANCE);
        }
        if (errors == null || !errors.record(error)) {
            leftOut(LiveLayout.ERRORS_LEFT_OUT_OFFSET);
        }
    }

    /**
     * Keeps a command.
     *
     * @param began    nanoseconds since 1970.
     * @param took     nanoseconds.
     * @param err      the ERR register after it.
     * @param request  the bytes of the command slot; at most 512 are kept.
     * @param response the bytes of the response slot; at most 512 are kept.
     */
    public synchronized void command(
        final long began, final long took, final int err, final DirectBuffer request, final DirectBuffer response) {
        final int place = (int) (commandCount % LiveLayout.COMMANDS);
        final int at = place * LiveLayout.COMMAND_LENGTH;
        if (!memory.require(layout.commands.at(place), LiveLayout.COMMAND_LENGTH)) {
            return;
        }
        final int requestLength = Math.min(request.capacity(), LiveLayout.EXCHANGE_MAX);
        final int responseLength = Math.min(response.capacity(), LiveLayout.EXCHANGE_MAX);
        final long ticket = commands.begin(place);
        command.putLong(at + LiveLayout.NUMBER_OFFSET, commandCount, LITTLE_ENDIAN);
        command.putLong(at + LiveLayout.BEGAN_OFFSET, began, LITTLE_ENDIAN);
        command.putLong(at + LiveLayout.TOOK_OFFSET, took, LITTLE_ENDIAN);
        command.putInt(at + LiveLayout.ERR_OFFSET, err, LITTLE_ENDIAN);
        command.putInt(at + LiveLayout.REQUEST_LENGTH_OFFSET, requestLength, LITTLE_ENDIAN);
        command.putInt(at + LiveLayout.RESPONSE_LENGTH_OFFSET, responseLength, LITTLE_ENDIAN);
        command.putBytes(at + LiveLayout.REQUEST_OFFSET, request, 0, requestLength);
        command.putBytes(at + LiveLayout.RESPONSE_OFFSET, response, 0, responseLength);
        commands.end(place, ticket);
        commandCount++;
    }

    /**
     * The last commands, also after {@link #close()}.
     *
     * @param last how many, at most 256 are kept.
     * @return the oldest first.
     */
    public synchronized List<LiveCommand> commands(final int last) {
        final List<LiveCommand> found = new ArrayList<>();
        final int count = Math.min(last, LiveLayout.COMMANDS);
        for (long number = Math.max(0, commandCount - count); number < commandCount; number++) {
            final int at = (int) (number % LiveLayout.COMMANDS) * LiveLayout.COMMAND_LENGTH;
            found.add(LiveDecoder.command(new UnsafeBuffer(command, at, LiveLayout.COMMAND_LENGTH)));
        }
        return found;
    }

    /**
     * The time, as commands want it.
     *
     * @return nanoseconds since 1970.
     */
    public static long epochNanos() {
        final Instant now = Instant.now();
        return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            OPEN.remove(this);
            header.putIntRelease(LiveLayout.STATUS_OFFSET, LiveLayout.CLOSED);
            memory.close(layout.values, (long) counterCount * CountersReader.COUNTER_LENGTH, layout.commands.data(),
                Math.min(commandCount, LiveLayout.COMMANDS) * LiveLayout.COMMAND_LENGTH);
        }
    }

    @Override
    public String toString() {
        return objection == null ? closed ? "closed" : String.valueOf(memory.path()) : "nothing, " + objection;
    }
}
