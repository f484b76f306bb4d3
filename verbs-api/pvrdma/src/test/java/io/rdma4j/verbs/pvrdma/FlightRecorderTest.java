/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.RdmaException;
import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.testing.Ladder;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What a device does is in the flight recording, none of it lost; nothing of the data path is. */
@Timeout(60)
class FlightRecorderTest {
    @RegisterExtension
    final Devices devices = new Devices();

    @TempDir
    private Path folder;

    /** Those of one device, in the order in which they ended; the file has a recording's buffers in any order. */
    private List<RecordedEvent> events(final Recording recording, final String address) throws IOException {
        final Path file = folder.resolve("flight.jfr");
        recording.stop();
        recording.dump(file);
        final List<RecordedEvent> events = new ArrayList<>();
        for (final RecordedEvent event : RecordingFile.readAllEvents(file)) {
            if (event.getEventType().getName().startsWith("io.rdma4j.") && event.getString("device").equals(address)) {
                events.add(event);
            }
        }
        events.sort(Comparator.comparing(RecordedEvent::getEndTime));
        return events;
    }

    private static List<RecordedEvent> named(final List<RecordedEvent> events, final String name) {
        return events.stream().filter(event -> event.getEventType().getName().equals("io.rdma4j." + name)).toList();
    }

    private static RecordedEvent only(final List<RecordedEvent> events, final String name) {
        final List<RecordedEvent> found = named(events, name);
        assertThat(found).as("%s among %s", name, events).hasSize(1);
        return found.get(0);
    }

    @Test
    void controlOperations() throws Exception {
        try (Recording recording = new Recording()) {
            recording.start();
            final PvrdmaContext device = devices.open();
            final ProtectionDomain pd = device.allocatePd();
            final MemoryRegion region = pd.register(device.allocate(3 * 4096), Ladder.ALL);
            final long address = region.address();
            region.close();
            pd.close();
            device.close();
            final List<RecordedEvent> events = events(recording, device.address());
            final RecordedEvent opened = only(events, "OpenDevice");
            assertThat(opened.getBoolean("done")).isTrue();
            assertThat(opened.getInt("version")).isEqualTo(20);
            assertThat(opened.getString("profile")).contains("emulated");
            assertThat(only(events, "CloseDevice").getBoolean("done")).isTrue();
            for (final String name : List.of("RegisterMemory", "DeregisterMemory")) {
                final RecordedEvent event = only(events, name);
                assertThat(event.getLong("bytes")).as("%s", event).isEqualTo(3 * 4096);
                assertThat(event.getInt("pages")).as("%s", event).isEqualTo(3);
                assertThat(event.getLong("address")).as("%s", event).isEqualTo(address);
                assertThat(event.getStackTrace().getFrames()).as("%s", event)
                    .anyMatch(frame -> frame.getMethod().getName().equals("controlOperations"));
            }
            assertThat(named(events, "Command")).extracting(event -> event.getString("command"))
                .containsSubsequence("CREATE_PD", "CREATE_MR", "DESTROY_MR", "DESTROY_PD");
            assertThat(named(events, "Command")).allMatch(event -> event.getInt("err") == 0)
                .allMatch(event -> !event.getDuration().isNegative());
        }
    }

    @Test
    void noCommandIsLost() throws Exception {
        try (Recording recording = new Recording()) {
            recording.start();
            final PvrdmaContext device = devices.open();
            final int rounds = 500;
            for (int i = 0; i < rounds; i++) {
                device.allocatePd().close();
            }
            final long commands = device.counters().get("commands");
            final List<RecordedEvent> events = events(recording, device.address());
            assertThat(named(events, "Command")).hasSize((int) commands);
            assertThat(commands).isGreaterThanOrEqualTo(2 * rounds);
        }
    }

    @Test
    void postsAndPollsAreNot() throws Exception {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        a.connect(b);
        try (Recording recording = new Recording()) {
            recording.start();
            for (int i = 0; i < 100; i++) {
                assertThat(b.qp.postReceive(i, b.at(0), 64, b.lkey())).isZero();
                assertThat(a.qp.postSend(i, a.at(0), 64, a.lkey())).isZero();
                Completions.await(a.cq, 1);
                Completions.await(b.cq, 1);
            }
            assertThat(events(recording, a.context.address())).isEmpty();
        }
    }

    @Test
    void eventsOfTheDevice() throws Exception {
        final PvrdmaContext device = devices.open();
        try (Recording recording = new Recording()) {
            recording.start();
            Devices.emulated(device).faults().raiseEvent(AsyncEventType.PORT_ERR.ordinal(), 1);
            assertThat(device.pollAsyncEvent()).isNotNull();
            final RecordedEvent event = only(events(recording, device.address()), "AsyncEvent");
            assertThat(event.getString("type")).isEqualTo("PORT_ERR");
            assertThat(event.getInt("number")).isEqualTo(AsyncEventType.PORT_ERR.ordinal());
            assertThat(event.getInt("info")).isEqualTo(1);
        }
    }

    @Test
    void errors() throws Exception {
        final PvrdmaContext device = devices.open();
        final Peer peer = Peer.rc(device);
        try (Recording recording = new Recording()) {
            recording.start();
            new Forgery(peer.cq).write(peer.qp, WcOpcode.PVRDMA_WC_RECV, 0, 8, 5);
            Completions.assertNone(peer.cq);
            assertThatThrownBy(() -> device.device.commands().destroyPd(77)).isInstanceOf(RdmaException.class);
            device.device.fail("it was told so by a test");
            final List<RecordedEvent> events = events(recording, device.address());
            assertThat(only(events, "DroppedCompletion").getLong("total")).isEqualTo(1);
            assertThat(only(events, "DeviceFailed").getString("reason")).isEqualTo("it was told so by a test");
            assertThat(only(events, "DeviceFailed").getString("hint")).contains("open it again");
            assertThat(named(events, "Error")).extracting(event -> event.getString("message"))
                .anyMatch(message -> message.contains("it was told so by a test"));
        }
    }
}
