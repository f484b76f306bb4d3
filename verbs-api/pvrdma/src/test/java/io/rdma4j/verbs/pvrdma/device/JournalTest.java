/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.live.LiveDevice;
import io.rdma4j.driver.state.StateFolder;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CommandHeader;
import io.rdma4j.hw.pvrdma.cmd.HandleResponse;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The file of a journal, and what becomes of one that cannot be trusted. */
class JournalTest {
    private static final String NAME = "0000:0b:00.1";

    @TempDir
    Path folder;
    private final DriverCounters counters = new DriverCounters(LiveDevice.unpublished(NAME, "this is a test"));
    private final DriverLog log = new DriverLog();

    @AfterEach
    void close() {
        log.close();
    }

    private Path file() {
        return folder.resolve(NAME + ".journal");
    }

    private Journal open() {
        return Journal.open(folder, NAME, 17, counters);
    }

    /** The journal of a process that was killed: 3 objects. */
    private byte[] killed() throws IOException {
        final JournalFile file = JournalFile.open(file(), NAME, trouble -> { });
        file.put(0, new Journal.Entry(ObjectKind.PD, 5));
        file.put(7, new Journal.Entry(ObjectKind.QP, 0x11));
        file.put(JournalFile.SLOTS - 1, new Journal.Entry(ObjectKind.GID, 2, Gids.of(3)));
        file.lastQp(0x12);
        file.close(false);
        return Files.readAllBytes(file());
    }

    private static List<String> listed(final Journal journal) {
        return Arrays.stream(ObjectKind.values()).flatMap(kind -> journal.entries(kind).stream())
            .map(Journal.Entry::toString).toList();
    }

    @Test
    void givesBackWhatWasWritten() throws IOException {
        killed();
        try (Journal journal = open()) {
            assertThat(listed(journal)).containsExactly("QP 0x11", "PD 0x5", "GID 0x2");
            assertThat(journal.entries(ObjectKind.GID).get(0).gid()).isEqualTo(Gids.of(3));
            assertThat(journal.lastQp()).isEqualTo(0x11);
            assertThat(journal.underWay()).isNull();
            assertThat(journal.origin()).isEqualTo("process " + ProcessHandle.current().pid());
        }
        assertThat(log.warnings()).isEmpty();
    }

    @Test
    void isReadableForItsOwnerAlone() throws IOException {
        final Path below = folder.resolve("a/b");
        try (Journal journal = Journal.open(below, NAME, 17, counters)) {
            assertThat(journal).hasToString(below.toRealPath().resolve(NAME + ".journal") + ", lists 0");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(below))).isEqualTo("rwx------");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(
                below.resolve(NAME + ".journal")))).isEqualTo("rw-------");
        }
    }

    @Test
    void closingTwiceIsHarmlessAndWhatComesLaterIsIgnored() {
        final Journal journal = open();
        journal.close();
        journal.close();
        journal.drop(new Journal.Entry(ObjectKind.PD, 0));
        journal.forgetUnderWay();
        assertThat(listed(journal)).isEmpty();
        assertThat(journal.underWay()).isNull();
        assertThat(journal.lastQp()).isEqualTo(-1);
        assertThat(file()).doesNotExist();
        open().close();
    }

    /** By another process of the user, or because a disk is full: what the device does is not at stake. */
    @Test
    void oneThatIsCutOffMeanwhileIsInNobodysWay() throws IOException {
        try (Journal journal = open()) {
            final UnsafeBuffer request = new UnsafeBuffer(ByteBuffer.allocate(Command.REQUEST_MAX));
            new CommandHeader().wrap(request, 0).set(CommandHeader.CMD, Command.CREATE_PD.id());
            final UnsafeBuffer response = new UnsafeBuffer(ByteBuffer.allocate(Command.RESPONSE_MAX));
            try (FileChannel other = FileChannel.open(file(), StandardOpenOption.WRITE)) {
                other.truncate(0);
            }
            for (int handle = 0; handle < 300; handle++) {
                journal.before(request);
                new HandleResponse().wrap(response, 0).set(HandleResponse.HANDLE, handle);
                journal.after(request, 0, response);
            }
            assertThat(journal.size()).isEqualTo(300);
            assertThat(Files.size(file())).isGreaterThan(300 * JournalFile.SLOT_LENGTH);
        }
    }

    static List<Arguments> untrusted() {
        return List.of(
            Arguments.of("cut", (UnaryOperator<byte[]>) b -> Arrays.copyOf(b, b.length / 2), "it has 131200 bytes"),
            Arguments.of("cut in the header", (UnaryOperator<byte[]>) b -> Arrays.copyOf(b, 20), "it has 20 bytes"),
            Arguments.of("longer", (UnaryOperator<byte[]>) b -> Arrays.copyOf(b, b.length + 1), "it has 262401 bytes"),
            Arguments.of("text", (UnaryOperator<byte[]>) b -> "not a journal\n".repeat(100).getBytes(),
                "it begins with 0x"),
            Arguments.of("other version", (UnaryOperator<byte[]>) b -> with(b, JournalFile.VERSION_OFFSET, 2),
                "it is of version 2, this is version 1"),
            Arguments.of("foreign", (UnaryOperator<byte[]>) b -> with(b, 76, '1'), "of the device 1000:0b:00.1"));
    }

    private static byte[] with(final byte[] bytes, final int offset, final int value) {
        bytes[offset] = (byte) value;
        return bytes;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("untrusted")
    void beginsAnewInsteadOfTrusting(
        final String what, final UnaryOperator<byte[]> change, final String complaint) throws IOException {
        Files.write(file(), change.apply(killed()));
        try (Journal journal = open()) {
            assertThat(listed(journal)).isEmpty();
            assertThat(counters.journalTroubles.get()).isEqualTo(1);
            assertThat(log.warnings()).singleElement().asString().containsPattern(complaint)
                .contains(file().toString(), "begun anew", "stays in the device " + NAME);
            assertThat(Files.size(file())).isEqualTo(JournalFile.LENGTH);
        }
        assertThat(file()).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100, JournalFile.LENGTH})
    void oneThatWasHardlyBegunIsNoTrouble(final int length) throws IOException {
        Files.write(file(), new byte[length]);
        try (Journal journal = open()) {
            assertThat(listed(journal)).isEmpty();
            assertThat(Files.size(file())).isEqualTo(JournalFile.LENGTH);
        }
        assertThat(counters.journalTroubles.get()).isEqualTo(0);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4, 8, 16, 31})
    void passesOverSlotsThatMakeNoSense(final int offset) throws IOException {
        final byte[] bytes = killed();
        bytes[JournalFile.SLOTS_OFFSET + 7 * JournalFile.SLOT_LENGTH + offset] ^= 0x18;
        Files.write(file(), bytes);
        try (Journal journal = open()) {
            assertThat(listed(journal)).containsExactly("PD 0x5", "GID 0x2");
            assertThat(counters.journalTroubles.get()).isEqualTo(1);
        }
    }

    @Test
    void anyBytesAreSurvived() throws IOException {
        final byte[] good = killed();
        final Map<Integer, Integer> seen = new HashMap<>();
        for (int seed = 0; seed < 200; seed++) {
            final Random random = new Random(seed);
            final byte[] bytes = good.clone();
            for (int i = 0; i < 1 + seed; i++) {
                final int range = seed % 2 == 0 ? JournalFile.SLOTS_OFFSET + 8 * JournalFile.SLOT_LENGTH : bytes.length;
                bytes[random.nextInt(range)] = (byte) random.nextInt();
            }
            Files.write(file(), bytes);
            try (Journal journal = open()) {
                final int size = journal.size();
                assertThat(listed(journal)).as("seed %d", seed).hasSize(size).hasSizeLessThanOrEqualTo(3);
                seen.merge(size, 1, Integer::sum);
            }
            Files.deleteIfExists(file());
        }
        assertThat(seen).as("how many slots were believed").containsKeys(0, 2, 3);
    }

    @Test
    void aFolderThatOthersMayWriteToIsNotUsed() throws IOException {
        final Path shared = Files.createDirectory(folder.resolve("shared"));
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertNoJournal(shared, "others may write there");
        try (var files = Files.list(shared)) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void aFileInPlaceOfTheFolderIsNoFolder() throws IOException {
        assertNoJournal(Files.createFile(folder.resolve("file")), "is no folder");
        assertNoJournal(folder.resolve("file/below"), "which is no folder");
    }

    @Test
    void aFolderThatCannotBeMadeIsNoTroubleForTheDevice() {
        assertNoJournal(Path.of("/proc/rdma4j"), "/proc");
    }

    @Test
    void aNameThatIsNoPathIsNoTroubleForTheDevice() {
        System.setProperty(StateFolder.PROPERTY, "no\0path");
        try (Journal journal = Journal.open(null, NAME, 17, counters)) {
            assertThat(journal.toString()).startsWith("none, no journal could be made: ");
        } finally {
            System.clearProperty(StateFolder.PROPERTY);
        }
        assertThat(counters.journalTroubles.get()).isEqualTo(1);
    }

    @Test
    void aLinkInPlaceOfTheFileIsNotFollowed() throws IOException {
        final Path target = Files.writeString(folder.resolve("target"), "precious");
        Files.createSymbolicLink(file(), target);
        assertNoJournal(folder, file().getFileName().toString());
        assertThat(target).hasContent("precious");
    }

    private void assertNoJournal(final Path where, final String why) {
        final int before = log.warnings().size();
        final long troubles = counters.journalTroubles.get();
        for (int i = 0; i < 2; i++) {
            try (Journal journal = Journal.open(where, NAME, 17, counters)) {
                assertThat(journal.toString()).startsWith("none, no journal could be made: ").containsPattern(why);
                assertThat(listed(journal)).isEmpty();
            }
        }
        assertThat(counters.journalTroubles.get() - troubles).isEqualTo(2);
        assertThat(log.warnings()).as("told once").hasSize(before + 1);
        assertThat(log.warnings().get(before)).contains(NAME + " has no journal", "RDMA4J_STATE_DIR");
    }

    @Test
    void isOpenOnce() {
        try (Journal journal = open()) {
            assertThatThrownBy(this::open).satisfies(e -> Errors.hasErrno(e, RdmaException.EBUSY))
                .hasMessageContaining(file().toString());
            assertThat(journal).hasToString(file() + ", lists 0");
        }
    }
}
