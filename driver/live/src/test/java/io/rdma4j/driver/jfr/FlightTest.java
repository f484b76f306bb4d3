/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.jfr;

import static org.assertj.core.api.Assertions.assertThat;

import jdk.jfr.AnnotationElement;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.EventType;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.MemoryAddress;
import jdk.jfr.Recording;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is told is recorded, under our names; without a recording nothing is done. */
@Timeout(60)
class FlightTest {
    private static final List<Class<? extends Event>> TYPES = List.of(CommandEvent.class, OpenDeviceEvent.class,
        CloseDeviceEvent.class, RegisterMemoryEvent.class, DeregisterMemoryEvent.class, AsynchronousEvent.class,
        DeviceFailedEvent.class, ErrorEvent.class, DroppedCompletionEvent.class);

    @TempDir
    private Path folder;

    private static void tellEverything(final AtomicInteger texts) {
        Flight.command().end("emulated:", "CREATE_PD", () -> "CREATE_PD[" + texts.incrementAndGet() + "]", 0xffff, 12);
        Flight.openDevice().end("emulated:", "a profile", 20, true);
        Flight.closeDevice().end("emulated:", "a profile", 20, false);
        Flight.registerMemory().end("emulated:", 0x7000L, 8192, 3, 17);
        Flight.deregisterMemory().end("emulated:", 0x7000L, 8192, 3, 17);
        Flight.asyncEvent("emulated:", "QP_FATAL", 1, 42);
        Flight.deviceFailed("emulated:", "a reason", "a hint");
        // A short name: of long ones JDK 17 keeps a pool, and loses them in a process' second recording.
        Flight.error("emulated:", new Error("a message"));
        Flight.droppedCompletion("emulated:", 7, 2);
    }

    private Map<String, RecordedEvent> record(final Recording recording) throws Exception {
        final Path file = folder.resolve("flight.jfr");
        recording.stop();
        recording.dump(file);
        return RecordingFile.readAllEvents(file).stream()
            .filter(event -> event.getEventType().getName().startsWith("io.rdma4j."))
            .collect(Collectors.toMap(event -> event.getEventType().getName(), Function.identity()));
    }

    @Test
    void eachEventHasWhatItWasTold() throws Exception {
        try (Recording recording = new Recording()) {
            recording.start();
            tellEverything(new AtomicInteger());
            final Map<String, RecordedEvent> events = record(recording);
            assertThat(events).hasSize(TYPES.size());
            assertThat(events.values()).allMatch(event -> event.getString("device").equals("emulated:"));
            final RecordedEvent command = events.get("io.rdma4j.Command");
            assertThat(command.getString("command")).isEqualTo("CREATE_PD");
            assertThat(command.getString("request")).isEqualTo("CREATE_PD[1]");
            assertThat(command.getInt("err")).isEqualTo(0xffff);
            assertThat(command.getInt("responseErr")).isEqualTo(12);
            assertThat(events.get("io.rdma4j.OpenDevice").getBoolean("done")).isTrue();
            assertThat(events.get("io.rdma4j.OpenDevice").getString("profile")).isEqualTo("a profile");
            assertThat(events.get("io.rdma4j.CloseDevice").getBoolean("done")).isFalse();
            assertThat(events.get("io.rdma4j.CloseDevice").getInt("version")).isEqualTo(20);
            for (final String name : List.of("io.rdma4j.RegisterMemory", "io.rdma4j.DeregisterMemory")) {
                assertThat(events.get(name).getLong("address")).isEqualTo(0x7000);
                assertThat(events.get(name).getLong("bytes")).isEqualTo(8192);
                assertThat(events.get(name).getInt("pages")).isEqualTo(3);
                assertThat(events.get(name).getInt("handle")).isEqualTo(17);
            }
            final RecordedEvent event = events.get("io.rdma4j.AsyncEvent");
            assertThat(List.of(event.getString("type"), event.getInt("number"), event.getInt("info")))
                .isEqualTo(List.of("QP_FATAL", 1, 42));
            assertThat(events.get("io.rdma4j.DeviceFailed").getString("reason")).isEqualTo("a reason");
            assertThat(events.get("io.rdma4j.DeviceFailed").getString("hint")).isEqualTo("a hint");
            final RecordedEvent error = events.get("io.rdma4j.Error");
            assertThat(error.getString("error")).isEqualTo(Error.class.getName());
            assertThat(error.getString("message")).isEqualTo("a message");
            assertThat(events.get("io.rdma4j.DroppedCompletion").getInt("cq")).isEqualTo(7);
            assertThat(events.get("io.rdma4j.DroppedCompletion").getLong("total")).isEqualTo(2);
        }
    }

    @Test
    void withoutRecordingNoTextIsMade() {
        final AtomicInteger texts = new AtomicInteger();
        tellEverything(texts);
        assertThat(texts).hasValue(0);
    }

    @Test
    void whatIsSwitchedOffIsNotRecorded() throws Exception {
        final AtomicInteger texts = new AtomicInteger();
        try (Recording recording = new Recording()) {
            recording.disable("io.rdma4j.Command");
            recording.start();
            tellEverything(texts);
            assertThat(record(recording)).hasSize(TYPES.size() - 1).doesNotContainKey("io.rdma4j.Command");
        }
        assertThat(texts).hasValue(0);
    }

    /** As JDK Mission Control shows them. */
    @Test
    void everythingHasALabelAndACategory() {
        for (final Class<? extends Event> type : TYPES) {
            final EventType event = EventType.getEventType(type);
            assertThat(event.getName()).startsWith("io.rdma4j.");
            assertThat(event.getLabel()).as(event.getName()).isNotBlank();
            assertThat(event.getAnnotation(Description.class).value()).as(event.getName()).isNotBlank();
            assertThat(event.getAnnotation(Category.class).value()).as(event.getName()).startsWith("rdma4j").hasSize(2);
            assertThat(event.isEnabled()).as(event.getName() + " without a recording").isFalse();
            for (final ValueDescriptor field : event.getFields()) {
                assertThat(field.getLabel()).as(event.getName() + "." + field.getName()).isNotBlank();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {RegisterMemoryEvent.class, DeregisterMemoryEvent.class})
    void sizesAndAddressesHaveUnits(final Class<? extends Event> type) {
        final EventType event = EventType.getEventType(type);
        assertThat(event.getField("bytes").getAnnotation(DataAmount.class).value()).isEqualTo(DataAmount.BYTES);
        assertThat(event.getField("address").getAnnotation(MemoryAddress.class)).isNotNull();
        assertThat(event.getField("bytes").getAnnotationElements()).extracting(AnnotationElement::getTypeName)
            .contains(Label.class.getName());
    }
}
