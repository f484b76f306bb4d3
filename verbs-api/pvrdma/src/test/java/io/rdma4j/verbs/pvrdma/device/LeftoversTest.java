/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.dma.DmaPages;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CommandHeader;
import io.rdma4j.testing.Patience;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A device that keeps its objects, and processes that drive it and are killed. */
class LeftoversTest {
    private static final long PDIR = 0x5000;
    private static final String NAME = "0000:0b:00.1";

    @TempDir
    Path folder;
    private final FakeObjects objects = new FakeObjects();
    private final DriverLog log = new DriverLog();
    private final List<PvrdmaDevice> open = new ArrayList<>();
    private FakePvrdma fake;

    @AfterEach
    void close() {
        open.forEach(PvrdmaDevice::close);
        log.close();
    }

    /** The next process. */
    private FakePvrdma process() {
        fake = new FakePvrdma().qemu();
        fake.objects = objects;
        fake.persistentName = NAME;
        return fake;
    }

    private PvrdmaDevice open(final FakePvrdma by) {
        final PvrdmaDevice device = PvrdmaDevice.open(by, by.options().stateFolder(folder));
        open.add(device);
        return device;
    }

    private PvrdmaDevice open() {
        return open(process());
    }

    private Path file() {
        return folder.resolve(NAME + ".journal");
    }

    /** The system closes its files; nobody tells the device anything. */
    private static void kill(final PvrdmaDevice device) {
        device.journal().abandon();
    }

    /** One of each, and two QPs. */
    private static void fill(final PvrdmaDevice device) {
        final PvrdmaCommands commands = device.commands();
        final int pd = commands.createPd();
        final int cq = commands.createCq(PDIR, 64, 2).handle();
        commands.createSrq(pd, PDIR, 64, 1, 2);
        final DmaPages pages = device.arena().allocate(1);
        commands.createMr(pd, 0x10_0000, 4096, 1, PageDirectory.of(device.arena(), pages), 1);
        commands.createQp(new CreateQp().pdirDma(PDIR).pd(pd).cqs(cq, cq));
        commands.createQp(new CreateQp().pdirDma(PDIR).pd(pd).cqs(cq, cq));
        device.gids().bind(3, Gids.of(7));
    }

    private static void create(final PvrdmaDevice device, final ObjectKind kind) {
        switch (kind) {
            case PD -> device.commands().createPd();
            case CQ -> device.commands().createCq(PDIR, 64, 2);
            case SRQ -> device.commands().createSrq(0, PDIR, 64, 1, 2);
            case QP -> device.commands().createQp(new CreateQp().pdirDma(PDIR).pd(0).cqs(0, 0));
            case MR -> device.commands().createMr(0, 0x10_0000, 4096, 1,
                PageDirectory.of(device.arena(), device.arena().allocate(1)), 1);
            case GID -> device.gids().bind(5, Gids.of(9));
            default -> throw new IllegalArgumentException("not by a command of its own: " + kind);
        }
    }

    private List<String> commandsAndDoorbells() {
        return fake.log.stream().filter(line -> line.startsWith("doorbell") || line.startsWith("write REQUEST"))
            .toList();
    }

    private void assertNothingIsLeft() {
        assertThat(objects.count()).as("%s", objects).isZero();
    }

    @Test
    void aKilledProcessLeavesObjectsThatTheNextOneDestroysUsersFirst() {
        final PvrdmaDevice killed = open();
        fill(killed);
        assertThat(killed.dumpState()).contains("journal of live objects: " + file() + ", lists 7");
        kill(killed);
        assertThat(objects.count()).isEqualTo(7);

        final PvrdmaDevice next = open();

        assertNothingIsLeft();
        assertThat(fake.commandNames()).containsExactly("DESTROY_QP", "DESTROY_QP", "DESTROY_SRQ", "DESTROY_CQ",
            "DESTROY_MR", "DESTROY_PD", "DESTROY_BIND");
        assertThat(commandsAndDoorbells()).as("no completion is under way to the CQ any more").startsWith(
            "write REQUEST ", "write REQUEST ", "doorbell 4 = 0x80000000", "write REQUEST ", "write REQUEST ");
        assertThat(next.counters()).containsEntry("leftovers found", 7L).containsEntry("leftovers destroyed", 7L)
            .containsEntry("leftovers refused", 0L).containsEntry("journal troubles", 0L);
        assertThat(next.dumpState()).contains(", lists 0", "leftovers destroyed=7");
        assertThat(log.notes()).singleElement().asString().contains("fake:: process "
            + ProcessHandle.current().pid() + " left 7 objects in the device; 7 of them were there and are destroyed");
    }

    @Test
    void aResetEndsWhatAKilledProcessLeftAndTheJournalForgetsIt() {
        final PvrdmaDevice killed = open();
        fill(killed);
        kill(killed);
        process().offersReset = true;

        final PvrdmaDevice next = open(fake);

        assertNothingIsLeft();
        assertThat(fake.commandNames()).as("nothing to ask the device for").isEmpty();
        assertThat(next.counters()).containsEntry("leftovers found", 7L).containsEntry("leftovers destroyed", 0L)
            .containsEntry("leftovers refused", 0L).containsEntry("function resets", 1L);
        assertThat(next.dumpState()).contains(", lists 0");
        assertThat(log.notes()).singleElement().asString().contains("left 7 objects", "the function was reset");
    }

    @Test
    void aCleanEndLeavesNoJournal() {
        final PvrdmaDevice device = open();
        assertThat(file()).exists();
        fill(device);

        device.close();

        assertNothingIsLeft();
        assertThat(file()).doesNotExist();
        assertThat(open().counters()).containsEntry("leftovers found", 0L);
        assertThat(log.notes()).isEmpty();
    }

    @Test
    void whatWasDestroyedIsNotListed() {
        final PvrdmaDevice killed = open();
        final int kept = killed.commands().createPd();
        killed.commands().destroyPd(killed.commands().createPd());
        killed.commands().destroyCq(killed.commands().createCq(PDIR, 64, 2).handle());
        killed.gids().bind(0, Gids.of(1));
        killed.gids().bind(0, Gids.of(2));
        kill(killed);

        assertThat(killed.journal().size()).isEqualTo(2);
        assertThat(objects.live.get(ObjectKind.PD)).containsOnlyKeys(kept);
        open();
        assertNothingIsLeft();
    }

    /** Between the device's doing and the journal's knowing. */
    @ParameterizedTest
    @EnumSource(names = {"QP", "SRQ", "CQ", "MR", "PD", "GID"})
    void aProcessKilledInTheMiddleOfACommandLeavesNothingEither(final ObjectKind kind) {
        final PvrdmaDevice killed = open();
        fill(killed);
        // QEMU's QP numbers come from a device that serves others too.
        objects.nextQp += 3;
        fake.handlers.put(kind == ObjectKind.GID ? Command.CREATE_BIND : Command.valueOf("CREATE_" + kind),
            (request, response) -> {
                throw new IllegalStateException("killed");
            });
        assertThatThrownBy(() -> create(killed, kind)).hasMessage("killed");
        kill(killed);
        assertThat(objects.count()).isEqualTo(8);

        final PvrdmaDevice next = open();

        assertNothingIsLeft();
        assertThat(next.counters()).containsEntry("leftovers of unknown handle", kind == ObjectKind.GID ? 0L : 1L);
        next.close();
        assertThat(file()).doesNotExist();
    }

    /** Its ERR cannot be read, so nobody knows what the device did: it made the object. */
    @Test
    void aCommandThatTheBusCutOffStaysUnderWay() {
        final PvrdmaDevice cut = open();
        fake.handlers.put(Command.CREATE_PD, (request, response) -> fake.failingReads = true);
        assertThatThrownBy(() -> create(cut, ObjectKind.PD)).satisfies(e -> Errors.hasErrno(e, RdmaException.EIO));
        assertThat(cut.takesCommands()).isFalse();
        cut.close();
        assertThat(objects.count()).isEqualTo(1);
        assertThat(file()).exists();

        assertThat(open().counters()).containsEntry("leftovers of unknown handle", 1L);

        assertNothingIsLeft();
    }

    /** The pause after the last QP, seen from the device: until the command that follows. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void completionsHaveTimeToArriveBeforeTheirQueuesAreDestroyed(final boolean guessed) {
        final PvrdmaDevice killed = open();
        killed.commands().createPd();
        killed.commands().createCq(PDIR, 64, 2);
        create(killed, ObjectKind.QP);
        if (guessed) {
            killed.commands().destroyQp(0x11);
            fake.handlers.put(Command.CREATE_QP, (request, response) -> {
                throw new IllegalStateException("killed");
            });
            assertThatThrownBy(() -> create(killed, ObjectKind.QP)).hasMessage("killed");
        }
        kill(killed);
        final long[] lastQp = new long[1];
        final long[] pause = new long[1];
        final FakePvrdma next = process();
        try {
            Thread.currentThread().interrupt();
            open.add(PvrdmaDevice.open(next, next.options().stateFolder(folder)
                .commandObserver((request, err, response) -> {
                    final int cmd = request.getInt(CommandHeader.CMD.offset());
                    if (cmd == Command.DESTROY_QP.id()) {
                        lastQp[0] = System.nanoTime();
                    } else if (cmd == Command.DESTROY_CQ.id()) {
                        pause[0] = System.nanoTime() - lastQp[0];
                    }
                })));
        } finally {
            assertThat(Thread.interrupted()).as("the flag stays").isTrue();
        }
        assertNothingIsLeft();
        assertThat(pause[0]).as("nanoseconds").isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(10));
    }

    /** The device made it, and its process died before it knew the number; others make some meanwhile. */
    private void killInTheFirstCreationOfAQp() {
        final PvrdmaDevice killed = open();
        final int pd = killed.commands().createPd();
        final int cq = killed.commands().createCq(PDIR, 64, 2).handle();
        fake.handlers.put(Command.CREATE_QP, (request, response) -> {
            throw new IllegalStateException("killed");
        });
        assertThatThrownBy(() -> killed.commands().createQp(new CreateQp().pdirDma(PDIR).pd(pd).cqs(cq, cq)))
            .hasMessage("killed");
        kill(killed);
        assertThat(objects.count()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 15})
    void aFirstQpOfUnknownNumberIsFoundBelowTheFirstOfTheNextProcess(final int others) {
        killInTheFirstCreationOfAQp();
        objects.nextQp += others;

        final PvrdmaDevice next = open();
        assertThat(fake.commandNames()).as("what it uses waits").isEmpty();
        assertThat(log.notes()).last().asString().contains("left 2 objects", "was about to make a QP; 0 of them were",
            "2 wait for the first QP");
        final PvrdmaCommands commands = next.commands();
        final int pd = commands.createPd();
        final int cq = commands.createCq(PDIR, 64, 2).handle();
        final int qp = commands.createQp(new CreateQp().pdirDma(PDIR).pd(pd).cqs(cq, cq)).handle();

        assertThat(objects.live.get(ObjectKind.QP)).containsOnlyKeys(qp);
        assertThat(objects.live.get(ObjectKind.CQ)).containsOnlyKeys(cq);
        assertThat(objects.live.get(ObjectKind.PD)).containsOnlyKeys(pd);
        assertThat(fake.commandNames()).as("the QP before what it uses").containsSubsequence("CREATE_QP", "DESTROY_QP",
            "DESTROY_CQ", "DESTROY_PD");
        assertThat(next.counters()).containsEntry("leftovers found", 2L).containsEntry("leftovers destroyed", 2L)
            .containsEntry("leftovers of unknown handle", 1L);

        commands.createQp(new CreateQp().pdirDma(PDIR).pd(pd).cqs(cq, cq));
        assertThat(fake.commandNames()).as("once").endsWith("DESTROY_PD", "CREATE_QP");
        assertThat(objects.live.get(ObjectKind.QP)).hasSize(2);
    }

    /** QEMU was started anew, so what was listed is gone, and its handles are given out again. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatHasTheHandleOfALeftoverNowIsNotDestroyedInItsPlace(final boolean madeTwice) {
        killInTheFirstCreationOfAQp();
        objects.clear();
        final PvrdmaDevice next = open();
        final PvrdmaCommands commands = next.commands();
        if (madeTwice) {
            commands.destroyPd(commands.createPd());
        }
        final int pd = commands.createPd();
        final int cq = commands.createCq(PDIR, 64, 2).handle();
        final int qp = commands.createQp(new CreateQp().pdirDma(PDIR).pd(pd).cqs(cq, cq)).handle();

        assertThat(objects.live.get(ObjectKind.PD)).containsOnlyKeys(pd);
        assertThat(objects.live.get(ObjectKind.CQ)).containsOnlyKeys(cq);
        assertThat(objects.live.get(ObjectKind.QP)).containsOnlyKeys(qp);
        assertThat(next.journal().size()).as("listed for whoever comes after a kill").isEqualTo(3);
        assertThat(next.counters()).containsEntry("leftovers found", 2L).containsEntry("leftovers destroyed", 0L)
            .containsEntry("leftovers refused", 2L);
        kill(next);
        open();
        assertNothingIsLeft();
    }

    @Test
    void whereTheNextProcessMakesNoQpWhatTheLostOneUsesGoesAtItsEnd() {
        killInTheFirstCreationOfAQp();
        open().close();
        assertThat(objects.live.get(ObjectKind.CQ)).isEmpty();
        assertThat(objects.live.get(ObjectKind.PD)).isEmpty();
        assertThat(objects.live.get(ObjectKind.QP)).as("nobody can tell it from others'").hasSize(1);
        objects.live.get(ObjectKind.QP).clear();
    }

    @Test
    void aRefusedCreationIsNotUnderWayAnyMore() {
        final PvrdmaDevice killed = open();
        fake.errors.put(Command.CREATE_PD, -12);
        assertThatThrownBy(() -> create(killed, ObjectKind.PD)).isInstanceOf(RdmaException.class);
        fake.errors.put(Command.CREATE_BIND, -22);
        assertThatThrownBy(() -> create(killed, ObjectKind.GID)).isInstanceOf(RdmaException.class);

        assertThat(killed.journal().underWay()).isNull();
        assertThat(killed.journal().size()).isZero();
    }

    @Test
    void whatTheDeviceDoesNotHaveAnyMoreIsCountedAndForgotten() {
        final PvrdmaDevice killed = open();
        fill(killed);
        kill(killed);
        objects.live.values().forEach(Map::clear);

        final PvrdmaDevice next = open();

        assertThat(next.counters()).containsEntry("leftovers found", 7L)
            .containsEntry("leftovers destroyed", 2L).containsEntry("leftovers refused", 5L);
        assertThat(next.journal().size()).isZero();
        assertThat(next.failed()).isFalse();
        assertThat(next.commands().createPd()).isZero();
    }

    @Test
    void aDeviceThatVanishesMeanwhileKeepsItsJournal() {
        final PvrdmaDevice killed = open();
        fill(killed);
        kill(killed);
        final FakePvrdma gone = process();

        assertThatThrownBy(() -> PvrdmaDevice.open(gone, gone.options().stateFolder(folder)
            .commandObserver((request, err, response) -> gone.gone = true)))
            .satisfies(e -> Errors.hasErrno(e, RdmaException.ENODEV));
        assertThat(gone.closed).isTrue();

        // The second one was destroyed before the device vanished, which nobody could know.
        assertThat(open().counters()).containsEntry("leftovers found", 6L).containsEntry("leftovers destroyed", 5L)
            .containsEntry("leftovers refused", 1L);
        assertNothingIsLeft();
    }

    @Test
    void whatADeviceRefusesToGiveUpAtTheEndIsTriedAgainByTheNextOne() {
        final PvrdmaDevice device = open();
        device.commands().createPd();
        device.commands().createCq(PDIR, 64, 2);
        fake.errors.put(Command.DESTROY_CQ, -16);
        device.close();
        assertThat(file()).exists();

        open();

        assertNothingIsLeft();
    }

    @Test
    void aDeviceThatStopsAnsweringIsCleanedByTheNextOne() {
        final PvrdmaDevice device = open();
        fill(device);
        fake.answers = false;
        assertThatThrownBy(() -> device.commands().queryPort(1)).hasMessageContaining("no response");
        device.close();
        assertThat(objects.count()).isEqualTo(7);

        open();

        assertNothingIsLeft();
    }

    @Test
    void objectsOfRawCommandsAreDestroyedAtTheEnd() {
        final PvrdmaDevice device = open();
        final UnsafeBuffer script = new UnsafeBuffer(new byte[Command.REQUEST_MAX]);
        new CommandHeader().wrap(script, 0).cmd(Command.CREATE_UC);
        device.channel().replay(script, new UnsafeBuffer(new byte[Command.RESPONSE_MAX]));
        assertThat(objects.live.get(ObjectKind.UC)).hasSize(1);

        device.close();

        assertNothingIsLeft();
        assertThat(file()).doesNotExist();
    }

    @Test
    void creatingBesideClosingLeavesNothing() throws InterruptedException {
        for (int round = 0; round < 20; round++) {
            final PvrdmaDevice device = open();
            final CountDownLatch started = new CountDownLatch(2);
            final Thread[] makers = new Thread[2];
            for (int i = 0; i < makers.length; i++) {
                makers[i] = new Thread(() -> {
                    started.countDown();
                    try {
                        while (true) {
                            device.commands().destroyPd(device.commands().createPd());
                            device.commands().createPd();
                        }
                    } catch (final RdmaException e) {
                        // Full or closed: the end of this thread either way.
                        started.countDown();
                    }
                });
                makers[i].start();
            }
            Patience.await(started, "those who make objects");
            device.close();
            for (final Thread maker : makers) {
                Patience.join(maker);
            }
            assertNothingIsLeft();
            assertThat(file()).doesNotExist();
        }
    }

    @Test
    void aSecondOpenerIsRefusedAndHarmsNothing() {
        final PvrdmaDevice first = open();
        fill(first);
        final FakePvrdma second = process();

        assertThatThrownBy(() -> open(second))
            .satisfies(e -> Errors.hasErrno(e, RdmaException.EBUSY))
            .hasMessageContaining("process " + ProcessHandle.current().pid() + " has it open")
            .hasMessageContaining("one process at a time can use a device");

        assertThat(second.closed).isTrue();
        assertThat(second.requests).isEmpty();
        assertThat(second.log).as("the device was not started").noneMatch(line -> line.startsWith("write"));
        assertThat(objects.count()).isEqualTo(7);
        first.close();
        assertNothingIsLeft();
        assertThat(open().failed()).isFalse();
    }

    @Test
    void aJournalLockedByAnotherProcessIsBusyToo() throws IOException, InterruptedException {
        final Process other = new ProcessBuilder(LockHolder.command(file())).redirectErrorStream(true).start();
        try {
            LockHolder.awaitLock(other);
            assertThatThrownBy(this::open).satisfies(e -> Errors.hasErrno(e, RdmaException.EBUSY));
        } finally {
            other.destroyForcibly();
            assertThat(Patience.ends(other)).isTrue();
        }
        assertThat(open().failed()).as("the system gave the lock back").isFalse();
    }

    @Test
    void aJournalFromBeforeARestartOfTheMachineIsUsedAllTheSame() throws IOException {
        final PvrdmaDevice killed = open();
        fill(killed);
        kill(killed);
        final byte[] bytes = Files.readAllBytes(file());
        bytes[32]++;
        Files.write(file(), bytes);

        open();

        assertNothingIsLeft();
        assertThat(log.notes()).singleElement().asString().contains("before the machine was started again");
    }

    @Test
    void anInterruptedThreadHarmsNothing() {
        final PvrdmaDevice killed;
        try {
            Thread.currentThread().interrupt();
            killed = open();
            fill(killed);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        kill(killed);
        assertThat(open().counters()).containsEntry("leftovers destroyed", 7L);
        assertNothingIsLeft();
        assertThat(log.warnings()).isEmpty();
    }

    @Test
    void manyObjectsAreAllListed() {
        final FakePvrdma large = process();
        large.caps(caps -> caps.set(Caps.MAX_PD, JournalFile.SLOTS + 10));
        final PvrdmaDevice killed = open(large);
        for (int i = 0; i < JournalFile.SLOTS; i++) {
            killed.commands().createPd();
        }
        assertThat(killed.journal().size()).isEqualTo(JournalFile.SLOTS);
        assertThat(killed.counters()).containsEntry("journal troubles", 0L);
        killed.commands().createPd();
        assertThat(killed.counters()).containsEntry("journal troubles", 1L);
        assertThat(log.warnings()).singleElement().asString().contains("is full: not all objects are in it");
        kill(killed);

        open();

        assertThat(objects.count()).as("the one too many").isEqualTo(1);
    }

    static Stream<FakePvrdma> devicesWithoutJournal() {
        final FakePvrdma forgets = new FakePvrdma();
        forgets.persistentName = NAME;
        return Stream.of(forgets, new FakePvrdma().qemu());
    }

    @ParameterizedTest
    @MethodSource("devicesWithoutJournal")
    void onlyDevicesThatKeepObjectsAndOutliveTheProcessHaveOne(final FakePvrdma device) throws IOException {
        final PvrdmaDevice opened = open(device);
        create(opened, ObjectKind.PD);

        assertThat(opened.dumpState()).contains("journal of live objects: none, the device ");
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"pvrdma", "0000:0b:00.1", "qtest-/tmp/a b/qtest.sock@10.1", "..", "", "/", "ä",
        "0000:0b:00.1/../../etc/passwd"})
    void everyNameIsOneFileOfItsOwn(final String name) {
        final String file = Journal.fileName(name);
        assertThat(file).matches("[A-Za-z0-9_:-][A-Za-z0-9._:-]*\\.journal").hasSizeLessThan(200);
        assertThat(Path.of("/x").resolve(file).normalize().getParent()).isEqualTo(Path.of("/x"));
        assertThat(file).isNotEqualTo(Journal.fileName(name + "b"));
        assertThat(Journal.fileName("a b")).isNotEqualTo(Journal.fileName("a_b"));
    }
}
