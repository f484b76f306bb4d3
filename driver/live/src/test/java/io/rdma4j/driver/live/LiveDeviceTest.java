/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.base.LiveKind;
import io.rdma4j.driver.state.StateFolder;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is written is what is read. */
@Timeout(60)
class LiveDeviceTest extends LiveFixture {
    @Test
    void aFileThatOnlyItsUserCanRead() throws Exception {
        final LiveDevice device = device("fake:a?x=1");
        final Path file = device.file().orElseThrow();
        assertThat(file).hasParent(folder.toRealPath());
        assertThat(file.getFileName().toString()).matches("live-" + PID + "-\\d+\\.dat");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
        assertThat(LiveViews.list()).containsExactly(
            new LiveViews.Listed(file, PID, "fake:a?x=1", LiveViews.Status.LIVE, ""));
        assertThat(device).hasToString(file.toString());

        device.close();
        device.close();

        assertThat(LiveViews.list()).isEmpty();
        assertThat(folder).isEmptyDirectory();
        assertThat(device.file()).isEmpty();
    }

    @Test
    void everythingIsReadAsItWasWritten() {
        final LiveDevice device = device("fake:a");
        final LiveView view = ofPid(PID, "fake:a");
        device.describe("a fake of version 7");
        device.counter("things that happen").getAndAdd(5);
        device.error(new IllegalStateException("broken"));
        device.error(new IllegalArgumentException("other"));
        final LiveEntry entry = device.add(Kinds.COUNTED, 7);
        assertThat(view.objects(Kinds.COUNTED)).as("before it is published").isEmpty();
        entry.set(Kinds.SIZE, 64).set(Kinds.IOVA, 0x1000).publish();
        entry.count(Kinds.POLLS, 99);
        entry.set(Kinds.SIZE, 128);
        device.command(12, 34, -22, new UnsafeBuffer(new byte[] {1, 2}), new UnsafeBuffer(new byte[] {3}));

        assertThat(view.pid()).isEqualTo(PID);
        assertThat(view.address()).isEqualTo("fake:a");
        assertThat(view.description()).isEqualTo("a fake of version 7");
        assertThat(view.openedMillis()).isBetween(System.currentTimeMillis() - 60_000, System.currentTimeMillis());
        assertThat(view.isAlive()).isTrue();
        assertThat(view.counters()).containsExactly(new LiveCounter(0, "things that happen", 5));
        assertThat(view.errors()).hasSize(2).first().satisfies(error -> {
            assertThat(error.count()).isEqualTo(1);
            assertThat(error.text()).startsWith("java.lang.IllegalStateException: broken");
        });
        assertThat(view.objects(Kinds.COUNTED)).hasSize(1).first().satisfies(object -> {
            assertThat(object.handle()).isEqualTo(7);
            assertThat(object.attribute(Kinds.SIZE)).as("as published").isEqualTo(64);
            assertThat(object.attribute(Kinds.IOVA)).isEqualTo(0x1000);
            assertThat(object.counter(Kinds.POLLS)).isEqualTo(99);
        });
        assertThat(view.objects(Kinds.FULL)).isEmpty();
        assertThat(view.commands()).hasSize(1).first().satisfies(command -> {
            assertThat(command.number()).isZero();
            assertThat(command.epochNanos()).isEqualTo(12);
            assertThat(command.durationNanos()).isEqualTo(34);
            assertThat(command.err()).isEqualTo(-22);
            assertThat(command.request()).containsExactly(1, 2);
            assertThat(command.response()).containsExactly(3);
        });
        entry.close();
        assertThat(view.objects(Kinds.COUNTED)).isEmpty();
        assertThat(view.troubles()).isEmpty();
    }

    static List<LiveKind> kinds() {
        return Kinds.ALL;
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void eachKindKeepsItsAttributesAndCounters(final LiveKind kind) {
        final LiveDevice device = device("fake:a");
        final LiveEntry entry = device.add(kind, -1);
        final long[] attributes = new long[kind.attributes().size()];
        for (int i = 0; i < attributes.length; i++) {
            attributes[i] = 0x1234_5678_9abc_def0L + i;
            entry.set(i, attributes[i]);
        }
        entry.publish();
        final long[] counters = new long[kind.counters().size()];
        for (int i = 0; i < counters.length; i++) {
            counters[i] = -1L - i;
            entry.count(i, counters[i]);
        }

        final List<LiveObject> found = view(device).objects(kind);

        assertThat(found).hasSize(1);
        assertThat(found.get(0).attributes()).containsExactly(attributes);
        assertThat(found.get(0).counters()).containsExactly(counters);
        assertThat(found.get(0).handle()).isEqualTo(-1);
        assertThatThrownBy(() -> entry.set(attributes.length, 0)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(kind.name());
        assertThatThrownBy(() -> entry.set(-1, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    /** Who looks while the device is closed keeps what it saw last, and who counts late counts nowhere. */
    @Test
    void afterTheCloseReadersSeeTheLastStateAndWritersDoNoHarm() {
        final LiveDevice device = device("fake:a");
        final LiveView view = view(device);
        final LiveEntry entry = device.add(Kinds.COUNTED, 1);
        entry.publish();
        entry.count(Kinds.POLLS, 10);
        final AtomicCounter counter = device.counter("things");
        counter.set(4);
        device.command(1, 2, 3, new UnsafeBuffer(new byte[8]), new UnsafeBuffer(new byte[8]));

        device.close();
        counter.increment();
        entry.count(Kinds.POLLS, 11);
        entry.set(Kinds.SIZE, 1).publish();
        device.describe("late");
        device.error(new IllegalStateException("late"));
        device.command(9, 9, 9, new UnsafeBuffer(new byte[8]), new UnsafeBuffer(new byte[8]));
        final LiveEntry late = device.add(Kinds.PLAIN, 1);
        late.publish();
        late.close();
        device.segment(new LiveSegment(0x1000, 0, 0x1000, LiveSegment.UNSHARED, 0)).close();
        entry.close();

        assertThat(view.isAlive()).isFalse();
        assertThat(view.counters()).containsExactly(new LiveCounter(0, "things", 4));
        assertThat(view.objects(Kinds.COUNTED).get(0).counter(Kinds.POLLS)).isEqualTo(10);
        assertThat(view.objects(Kinds.PLAIN)).isEmpty();
        assertThat(view.commands()).hasSize(1);
        assertThat(view.description()).isEmpty();
        assertThat(counter.get()).as("its owner goes on with what it had").isEqualTo(5);
        assertThat(device.commands(10)).extracting(LiveCommand::number).containsExactly(0L, 1L);
        assertThat(device.counter("more").get()).isZero();
    }

    @Test
    void whatFindsNoPlaceIsCountedAndNotSeen() {
        System.setProperty(LiveSettings.OBJECTS, "3");
        final LiveDevice device = device("fake:a");
        final List<LiveEntry> entries = new ArrayList<>();
        for (int handle = 0; handle < 5; handle++) {
            final LiveEntry entry = device.add(Kinds.COUNTED, handle);
            entry.set(Kinds.SIZE, handle).publish();
            entry.count(Kinds.POLLS, 1);
            entries.add(entry);
        }
        final LiveView view = view(device);
        assertThat(view.objects(Kinds.COUNTED)).extracting(LiveObject::handle).containsExactly(0, 1, 2);
        assertThat(view.troubles()).singleElement().asString().contains("some objects", "-Drdma4j.live.objects=N");

        entries.get(4).close();
        entries.get(1).close();
        entries.get(1).close();
        final LiveEntry next = device.add(Kinds.COUNTED, 9);
        next.publish();

        assertThat(view.objects(Kinds.COUNTED)).extracting(LiveObject::handle).containsExactly(0, 2, 9);
        assertThat(view.objects(Kinds.COUNTED).get(2).counter(Kinds.POLLS)).as("counts anew").isZero();
        assertThat(view.objects(Kinds.COUNTED).get(2).attribute(Kinds.SIZE)).isZero();
    }

    /** A counter that is stored late by whoever used an object must not be somebody else's. */
    @Test
    void aPlaceRestsBeforeItIsUsedAgain() {
        final LiveDevice device = device("fake:a");
        final LiveEntry gone = device.add(Kinds.COUNTED, 0);
        gone.publish();
        gone.close();
        for (int i = 1; i < 60; i++) {
            final LiveEntry entry = device.add(Kinds.COUNTED, i);
            entry.publish();
            if (i % 2 == 0) {
                entry.close();
            }
        }
        gone.count(Kinds.POLLS, 1234);

        assertThat(view(device).objects(Kinds.COUNTED)).hasSize(30)
            .allMatch(object -> object.counter(Kinds.POLLS) == 0);
    }

    @Test
    void countersAreOutsideOfTheHeapAndOnTheirOwnCacheLines() {
        System.setProperty(LiveSettings.OBJECTS, "1");
        final LiveDevice device = device("fake:a");
        for (final LiveDevice each : List.of(device, LiveDevice.unpublished("fake:b", "this is a test"))) {
            for (int i = 0; i < 3; i++) {
                final UnsafeBuffer counters = each.add(Kinds.FULL, i).counters();
                assertThat(counters.byteArray()).isNull();
                assertThat(counters.addressOffset() % 64).isZero();
                assertThat(counters.capacity()).isEqualTo(LiveKind.MAX_COUNTERS * Long.BYTES);
            }
        }
    }

    @Test
    void ofSeveralUnpublishedOnesOfOneAddressTheLastIsShown() {
        System.setProperty(LiveSettings.PROPERTY, "off");
        for (int i = 0; i < 20; i++) {
            device("fake:a").add(Kinds.PLAIN, i).publish();
            assertThat(ofPid(LiveProcess.PID, "fake:a").objects(Kinds.PLAIN)).singleElement()
                .extracting(LiveObject::handle).isEqualTo(i);
        }
    }

    /** Of address handles there may be tens of thousands. */
    @Test
    void whatIsNotSeenAndNotCountedHasNoMemoryOfItsOwn() {
        System.setProperty(LiveSettings.OBJECTS, "1");
        final LiveDevice device = device("fake:a");
        device.add(Kinds.PLAIN, 1).publish();
        final LiveEntry unseen = device.add(Kinds.NOT_COUNTED, 1);
        assertThat(device.add(Kinds.NOT_COUNTED, 2).counters()).isSameAs(unseen.counters());
        assertThat(device.add(Kinds.FULL, 3).counters()).isNotSameAs(unseen.counters())
            .isNotSameAs(device.add(Kinds.FULL, 4).counters());
    }

    @Test
    void objectsThatWereLeftOutAreNotToldOfWhenTheyAreGone() {
        System.setProperty(LiveSettings.OBJECTS, "1");
        final LiveDevice device = device("fake:a");
        device.add(Kinds.PLAIN, 1).publish();
        final LiveEntry unseen = device.add(Kinds.NOT_COUNTED, 1);
        final LiveEntry other = device.add(Kinds.NOT_COUNTED, 2);
        unseen.close();
        unseen.close();
        final LiveView before = view(device);
        assertThat(before.objects(Kinds.PLAIN)).hasSize(1);
        assertThat(before.troubles()).singleElement().asString().contains("some objects");
        other.close();
        final LiveView after = view(device);
        assertThat(after.objects(Kinds.PLAIN)).hasSize(1);
        assertThat(after.troubles()).isEmpty();
    }

    /** Who looks again and again learns what is left out now, not what was once. */
    @Test
    void troublesThatWereTakenAreToldAgainOnlyIfTheyLast() {
        System.setProperty(LiveSettings.OBJECTS, "1");
        final LiveDevice device = device("fake:a");
        device.add(Kinds.PLAIN, 1).publish();
        final LiveEntry unseen = device.add(Kinds.NOT_COUNTED, 1);
        final LiveView view = view(device);
        for (int look = 0; look < 3; look++) {
            view.objects(Kinds.PLAIN);
            assertThat(view.takeTroubles()).as("look %d", look).singleElement().asString().contains("some objects");
        }
        assertThat(view.troubles()).isEmpty();
        unseen.close();
        view.objects(Kinds.PLAIN);
        assertThat(view.takeTroubles()).isEmpty();
    }

    /** More of them than a view keeps, at one look after the other. */
    @Test
    void whoTakesTroublesIsToldOfNewOnesForEver() {
        final LiveView view = view(device("fake:a"));
        for (int iova = 1; iova <= 1000; iova++) {
            view.read(iova, 8);
            assertThat(view.takeTroubles()).singleElement().asString()
                .endsWith(String.format("at IOVA 0x%x", iova));
        }
    }

    @Test
    void moreCountersThanThereIsRoomForCountAllTheSame() {
        final LiveDevice device = device("fake:a");
        final List<AtomicCounter> counters = new ArrayList<>();
        for (int i = 0; i < LiveLayout.COUNTERS + 3; i++) {
            final AtomicCounter counter = device.counter("counter " + i);
            counter.set(i);
            counters.add(counter);
        }
        final LiveView view = view(device);
        assertThat(view.counters()).hasSize(LiveLayout.COUNTERS).last()
            .isEqualTo(new LiveCounter(511, "counter 511", 511));
        assertThat(view.troubles()).singleElement().asString().contains("some counters");
        assertThat(counters).extracting(AtomicCounter::get).last().isEqualTo(514L);
    }

    @Test
    void equalErrorsAreCountedAndTheFirstOnesKept() {
        final LiveDevice device = device("fake:a");
        for (int i = 0; i < 3; i++) {
            device.error(new IllegalStateException("broken"));
        }
        final LiveView view = view(device);
        assertThat(view.errors()).singleElement().satisfies(error -> {
            assertThat(error.count()).isEqualTo(3);
            assertThat(error.firstMillis()).isLessThanOrEqualTo(error.lastMillis()).isPositive();
        });
        for (int i = 0; i < 500; i++) {
            device.error(new IllegalStateException("other " + i));
        }
        assertThat(view.errors()).hasSizeBetween(5, 499);
        assertThat(view.troubles()).singleElement().asString().contains("some errors");
    }

    @Test
    void theLast256CommandsAreKept() {
        final LiveDevice device = device("fake:a");
        for (int i = 0; i < 700; i++) {
            device.command(i, i, 0, buffer(new byte[] {(byte) i}), buffer(new byte[1000]));
        }
        final List<LiveCommand> commands = view(device).commands();
        assertThat(commands).hasSize(256);
        for (int i = 0; i < 256; i++) {
            assertThat(commands.get(i).number()).isEqualTo(444 + i);
            assertThat(commands.get(i).request()).containsExactly((byte) (444 + i));
            assertThat(commands.get(i).response()).as("what there is room for").hasSize(512);
        }
        assertThat(device.commands(3)).extracting(LiveCommand::number).containsExactly(697L, 698L, 699L);
        assertThat(device.commands(1000)).hasSize(256);
    }

    @ParameterizedTest
    @ValueSource(strings = {"off", "OFF", "false", "no", "0"})
    void switchedOff(final String off) {
        System.setProperty(LiveSettings.PROPERTY, off);
        final LiveDevice device = device("fake:a");
        assertThat(device.file()).isEmpty();
        assertThat(device).hasToString("nothing, it is switched off by -Drdma4j.live");
        assertThat(folder).isEmptyDirectory();
        Sample.fill(device);

        final LiveView view = ofPid(PID, null);

        assertThat(view.address()).isEqualTo("fake:a");
        assertThat(view.isAlive()).isTrue();
        assertThat(view.counters()).containsExactly(new LiveCounter(0, "things", 3));
        assertThat(view.objects(Kinds.FULL)).hasSize(1);
        assertThat(view.commands()).hasSize(1);
        assertThat(view.errors()).hasSize(1);
        assertThat(view.troubles()).isEmpty();
        device.close();
        assertThat(view.isAlive()).isFalse();
    }

    /** Nobody has to ask whether something is published. */
    @ParameterizedTest
    @ValueSource(strings = {"/proc/1/no/such", "/dev/null", "no\0path", "relative-file"})
    void whereThereCanBeNoFile(final String where) throws Exception {
        final String path = "relative-file".equals(where) ? write("a", new byte[0]).toString() : where;
        System.setProperty(StateFolder.PROPERTY, path);
        try (LiveLog log = new LiveLog()) {
            final LiveDevice device = device("fake:a");
            device("fake:b");
            assertThat(device.objection()).isNotNull();
            assertThat(log.warnings()).as("told once").hasSize(1).first().asString()
                .contains("No other process can look into the devices of this one", "RDMA4J_STATE_DIR")
                .doesNotContain("Exception");
            Sample.fill(device);
            assertThat(ofPid(PID, "fake:a").objects(Kinds.FULL)).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "many", "300000", ""})
    void aWrongNumberOfObjectsIsToldAndNotUsed(final String text) {
        System.setProperty(LiveSettings.OBJECTS, text);
        try (LiveLog log = new LiveLog()) {
            final LiveDevice device = device("fake:a");
            assertThat(device.length()).isEqualTo(new LiveLayout(4096).length);
            assertThat(log.warnings()).singleElement().asString()
                .contains("-Drdma4j.live.objects=" + text + " is no number from 1 to 262144; 4096 is used");
        }
    }

    @Test
    void severalDevicesOfAProcess() {
        final LiveDevice first = device("fake:a");
        device("fake:b");
        final LiveDevice again = device("fake:a");
        again.describe("the second");
        assertThat(LiveViews.list()).extracting(LiveViews.Listed::address)
            .containsExactly("fake:a", "fake:b", "fake:a");
        assertThat(ofPid(PID, "fake:a").description()).isEqualTo("the second");
        assertThat(view(first).description()).isEmpty();
    }

    /** Who counts in memory that was cut off gets an error of the JVM, wherever he is by then. */
    @Test
    void nobodyWhoPublishesFeelsThatTheFileIsCutOff() throws Exception {
        final LiveDevice device = device("fake:a");
        final LiveView view = view(device);
        final LiveEntry queue = device.add(Kinds.COUNTED, 7);
        queue.publish();
        final Path file = device.file().orElseThrow();
        assertThat(file).as("the head alone").hasSize(LiveLayout.HEADER_LENGTH);
        Files.write(file, new byte[0]);

        for (int i = 1; i <= 10_000; i++) {
            queue.count(Kinds.POLLS, i);
            device.command(i, 1, 0, new UnsafeBuffer(new byte[] {1}), new UnsafeBuffer(new byte[] {2}));
        }
        Sample.fill(device);
        assertThat(view.objects(Kinds.COUNTED)).singleElement()
            .satisfies(object -> assertThat(object.counter(Kinds.POLLS)).isEqualTo(10_000));
        assertThat(LiveViews.list()).singleElement().extracting(LiveViews.Listed::status)
            .isEqualTo(LiveViews.Status.CORRUPT);
        device.close();
        assertThat(file).doesNotExist();
    }

    /** A name that leads elsewhere is not followed. */
    @Test
    void whatIsNotPublishedIsNotRead() throws Exception {
        final LiveDevice device = device("fake:a");
        final Path file = device.file().orElseThrow();
        final byte[] head = Files.readAllBytes(file);
        final int other = memory(bytesOf("fake:other"));
        assertRefused(file, withInt(head, LiveLayout.MEMORY_OFFSET, 1), "shares (a sealed memfd)");
        assertRefused(file, withInt(head, LiveLayout.MEMORY_OFFSET, memory(new byte[5]) + 1),
            "is nothing that it publishes");
        Files.write(file, withInt(head, LiveLayout.MEMORY_OFFSET, other + 1));
        assertThat(view(file).address()).as("what says that it is of this process").isEqualTo("fake:other");
        final int ofAnother = memory(with(bytesOf("fake:other"), LiveLayout.PROCESS_OFFSET, 1));
        assertRefused(file, withInt(head, LiveLayout.MEMORY_OFFSET, ofAnother + 1), "is nothing that it publishes");
        assertRefused(file, withInt(head, LiveLayout.MEMORY_OFFSET, Integer.MAX_VALUE), "in its memory");
        assertThat(LiveViews.list()).singleElement().satisfies(listed -> {
            assertThat(listed.status()).isEqualTo(LiveViews.Status.STALE);
            assertThat(listed.detail()).contains("has ended or closed the device");
        });
        Files.write(file, with(head, LiveLayout.START_OFFSET, 1));
        assertThat(LiveViews.list()).singleElement().satisfies(listed -> {
            assertThat(listed.status()).isEqualTo(LiveViews.Status.STALE);
            assertThat(listed.address()).isEqualTo("fake:a");
            assertThat(listed.detail()).contains("has ended", "in its memory");
        });
        Files.write(file, head);
        assertThat(view(device).address()).isEqualTo("fake:a");
    }

    private static void assertRefused(final Path file, final byte[] content, final String why) throws Exception {
        Files.write(file, content);
        assertThatThrownBy(() -> LiveViews.open(file)).isInstanceOf(RdmaException.class).hasMessageContaining(why);
    }

    @Test
    void longAndStrangeTextsAreCut() {
        final LiveDevice device = device("fake:" + "é".repeat(3000));
        device.describe("two\nlines \u001b[31m\u009b32m");
        final LiveView view = view(device);
        assertThat(view.address()).startsWith("fake:é").endsWith("é").hasSizeBetween(1000, 1100);
        assertThat(view.description()).isEqualTo("two?lines ?[31m?32m");
    }

    @Test
    void interruptedThreadsPublishAndLookAsOthersDo() {
        Thread.currentThread().interrupt();
        try {
            final LiveDevice device = device("fake:a");
            Sample.fill(device);
            assertThat(view(device).objects(Kinds.FULL)).hasSize(1);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    /** A process may publish kinds that only another program knows. */
    @Test
    void kindsThatAReaderDoesNotKnowAreNoTrouble() {
        final LiveDevice device = device("fake:a");
        final LiveEntry stranger = device.add(Kinds.of(99, "STRANGER", 5, 5), 1);
        stranger.set(4, 7).publish();
        device.add(Kinds.COUNTED, 2).publish();
        final LiveView view = view(device);
        assertThat(Kinds.ALL).flatMap(view::objects).singleElement().extracting(LiveObject::handle).isEqualTo(2);
        assertThat(view.troubles()).isEmpty();
    }

    /** Names are added at the end of a kind, by writers and readers of different days. */
    @Test
    void readersKnowMoreNamesThanWritersOrFewer() {
        final LiveDevice device = device("fake:a");
        final LiveEntry entry = device.add(Kinds.of(9, "WRITTEN", 2, 2), 1);
        entry.set(0, 10).set(1, 11).publish();
        entry.count(0, 20);
        entry.count(1, 21);
        final LiveView view = view(device);
        final LiveObject more = view.objects(Kinds.of(9, "MORE", 3, 3)).get(0);
        assertThat(more.attributes()).containsExactly(10, 11, 0);
        assertThat(more.counters()).containsExactly(20, 21, 0);
        final LiveObject fewer = view.objects(Kinds.of(9, "FEWER", 1, 1)).get(0);
        assertThat(fewer.attributes()).containsExactly(10);
        assertThat(fewer.counters()).containsExactly(20);
        assertThat(fewer.attribute(1)).isZero();
    }

    /** How many numbers an object has is the kind's to say, not the file's. */
    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, 33, Integer.MAX_VALUE})
    void aFileThatLiesAboutTheNumberOfAttributes(final int count) throws Exception {
        final byte[] bytes = bytesOf("fake:a");
        final LiveLayout layout = new LiveLayout(LiveLayout.DEFAULT_OBJECTS);
        final int second = (int) layout.objects.at(1);
        final Path file = write("live-" + PID + "-999.dat",
            withInt(bytes, second + LiveLayout.ATTRIBUTE_COUNT_OFFSET, count));
        assertThat(view(file).objects(Kinds.FULL)).singleElement()
            .satisfies(full -> assertThat(full.attributes()).hasSize(LiveKind.MAX_ATTRIBUTES));
        Files.write(file, withInt(bytes, second + LiveLayout.KIND_OFFSET, count));
        assertThat(Kinds.ALL).flatMap(view(file)::objects).singleElement().extracting(LiveObject::kind)
            .isSameAs(Kinds.PLAIN);
    }
}
