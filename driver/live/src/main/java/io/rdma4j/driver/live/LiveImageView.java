/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import io.rdma4j.base.LiveKind;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

import org.agrona.concurrent.UnsafeBuffer;

/** A view of an image, whose header made sense when it was opened. */
final class LiveImageView implements LiveView {
    private final LiveImage image;
    private final LiveHeader header;
    private final LiveTroubles troubles = new LiveTroubles();
    private final LivePlaces objects;
    private final LivePlaces commands;
    private final LiveStatistics statistics;
    private final LiveMemoryReader memory;

    LiveImageView(final LiveImage image, final LiveHeader header, final LiveDevice own) {
        final LiveLayout layout = header.layout();
        this.image = image;
        this.header = header;
        this.objects = new LivePlaces(image, layout.objects, "objects", troubles);
        this.commands = new LivePlaces(image, layout.commands, "commands", troubles);
        this.statistics = new LiveStatistics(image, layout, troubles);
        this.memory = new LiveMemoryReader(
            new LivePlaces(image, layout.segments, "segments", troubles), troubles, own,
            () -> PublishedMemory.Whose.of(image));
    }

    @Override
    public long pid() {
        return header.pid();
    }

    @Override
    public String address() {
        return header.address();
    }

    @Override
    public String description() {
        return LiveHeader.read(image).description();
    }

    @Override
    public long openedMillis() {
        return header.openedMillis();
    }

    @Override
    public boolean isAlive() {
        return LiveHeader.read(image).status() == LiveViews.Status.LIVE;
    }

    @Override
    public List<LiveObject> objects(final LiveKind kind) {
        final List<LiveObject> found = new ArrayList<>();
        objects.forEach(place -> {
            if (LiveDecoder.isOf(kind, place.bytes())) {
                found.add(LiveDecoder.object(kind, place.bytes()));
            }
        });
        tellLeftOut(LiveLayout.OBJECTS_LEFT_OUT_OFFSET, "objects", "-D" + LiveSettings.OBJECTS + "=N makes more room");
        found.sort(Comparator.comparingInt(LiveObject::handle).thenComparingLong(LiveObject::id));
        return found;
    }

    private void tellLeftOut(final int at, final String what, final String hint) {
        final byte[] number = image.bytes(at, Long.BYTES);
        if (number != null && new UnsafeBuffer(number).getLong(0, LITTLE_ENDIAN) != 0) {
            troubles.add("some %s are not shown: the file had no room for them (%s)", what, hint);
        }
    }

    @Override
    public List<LiveCounter> counters() {
        tellLeftOut(LiveLayout.COUNTERS_LEFT_OUT_OFFSET, "counters", "or the file system had none");
        return statistics.counters();
    }

    @Override
    public List<LiveError> errors() {
        tellLeftOut(LiveLayout.ERRORS_LEFT_OUT_OFFSET, "errors", "the log keeps the first ones");
        return statistics.errors();
    }

    @Override
    public List<LiveCommand> commands() {
        final List<LiveCommand> found = new ArrayList<>();
        commands.forEach(place -> {
            final LiveCommand command = LiveDecoder.command(place.bytes());
            if (command.number() >= 0 && command.number() % LiveLayout.COMMANDS == place.place()) {
                found.add(command);
            } else {
                troubles.add("the command at place %d makes no sense", place.place());
            }
        });
        found.sort(Comparator.comparingLong(LiveCommand::number));
        return found;
    }

    @Override
    public List<LiveSegment> segments() {
        tellLeftOut(LiveLayout.SEGMENTS_LEFT_OUT_OFFSET, "segments of memory", "or the file system had none");
        return memory.segments();
    }

    @Override
    public Optional<byte[]> read(final long iova, final int length) {
        return memory.read(iova, length);
    }

    @Override
    public List<String> troubles() {
        return troubles.list();
    }

    @Override
    public List<String> takeTroubles() {
        return troubles.take();
    }

    @Override
    public void close() {
        memory.close();
        image.close();
    }

    @Override
    public String toString() {
        return "LiveView[process " + pid() + ", " + address() + ']';
    }
}
