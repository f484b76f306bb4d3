/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.OpenFileLock;
import io.rdma4j.driver.live.LiveViews.Listed;
import io.rdma4j.driver.live.LiveViews.Status;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are not what a live process publishes: what they are called, and what becomes of them. */
@Timeout(60)
class LiveViewsTest extends LiveFixture {
    private static final String NAME = "live-" + PID + "-999999.dat";

    private Listed listed() {
        assertThat(LiveViews.list()).hasSize(1);
        return LiveViews.list().get(0);
    }

    private void assertListed(final Status status, final String detail) {
        assertThat(listed().status()).as(listed().toString()).isEqualTo(status);
        assertThat(listed().detail()).contains(detail);
    }

    private static void assertFails(final Runnable call, final int errno, final String... texts) {
        assertThatExceptionOfType(RdmaException.class).isThrownBy(call::run)
            .satisfies(e -> assertThat(e.errno()).as(e.getMessage()).isEqualTo(errno))
            .satisfies(e -> List.of(texts).forEach(text -> assertThat(e.getMessage()).contains(text)));
    }

    @Test
    void aProcessThatEndedLeavesAStaleFileThatCanStillBeRead() throws Exception {
        final byte[] bytes = with(bytesOf("fake:a"), LiveLayout.PROCESS_OFFSET, deadPid());
        final Path file = write("live-" + deadPid() + "-0.dat", bytes);

        assertListed(Status.STALE, "process " + deadPid() + " has ended without closing the device");
        assertThat(listed().pid()).isEqualTo(deadPid());
        assertThat(listed().address()).isEqualTo("fake:a");
        final LiveView view = view(file);
        assertThat(view.isAlive()).isFalse();
        assertThat(view.objects(Kinds.FULL)).singleElement()
            .satisfies(qp -> assertThat(qp.attribute(0)).isEqualTo(77));
        assertThat(view.read(0x1000, 16)).isEmpty();
        assertThat(view.troubles()).singleElement().asString()
            .contains("memory cannot be read: process 4194305 has ended");
        assertFails(() -> LiveViews.ofPid(deadPid(), null), 3, "there is no process " + deadPid());

        device("fake:b");
        assertThat(file).as("removed by whoever opens a device").doesNotExist();
    }

    /** Above what Linux gives out. */
    private static long deadPid() {
        return (1 << 22) + 1;
    }

    @Test
    void anotherProcessOfTheSameNumber() throws Exception {
        final byte[] bytes = with(bytesOf("fake:a"), LiveLayout.START_OFFSET, 12);
        final Path file = write(NAME, bytes);
        assertListed(Status.STALE, "has ended without");
        assertFails(() -> LiveViews.ofPid(PID, null), RdmaException.ENODEV, "process " + PID + " publishes no device");
        device("fake:b");
        assertThat(file).doesNotExist();
    }

    @Test
    void aDeviceThatWasClosed() throws Exception {
        write(NAME, withInt(bytesOf("fake:a"), LiveLayout.STATUS_OFFSET, LiveLayout.CLOSED));
        assertListed(Status.STALE, "has closed the device");
    }

    @Test
    void ofAnotherBootOrMachine() throws Exception {
        final byte[] bytes = with(bytesOf("fake:a"), LiveLayout.BOOT_ID_OFFSET, 0x3131_3131_3131_3131L);
        final Path file = write(NAME, bytes);
        assertListed(Status.STALE, "before this machine was started, or on another");
        device("fake:b").close();
        assertThat(file).as("it may be in use on another machine").exists();

        write(NAME, withInt(with(bytes, LiveLayout.OPENED_OFFSET, 1), LiveLayout.LOCKED_OFFSET, 1));
        try (Fd there = Fd.open(file.toString(), LibcConstants.O_RDWR)) {
            assertThat(new OpenFileLock(there.fd()).tryTake()).isTrue();
            device("fake:b").close();
            assertThat(file).as("its process lives on another machine, which was started earlier").exists();
        }
        device("fake:b").close();
        assertThat(file).as("older than this boot").doesNotExist();
    }

    /** What stands for a time that is not known is no time of a process that is gone. */
    @Test
    void aDeadProcessOfNoTimeIsDead() throws Exception {
        final Path file = write("live-" + deadPid() + "-0.dat",
            with(with(bytesOf("fake:a"), LiveLayout.PROCESS_OFFSET, deadPid()), LiveLayout.START_OFFSET, -1));
        assertListed(Status.STALE, "has ended without closing the device");
        device("fake:b").close();
        assertThat(file).doesNotExist();
    }

    @Test
    void ofAnotherContainer() throws Exception {
        final Path file = write(NAME, with(bytesOf("fake:a"), LiveLayout.NAMESPACE_OFFSET, 7));
        assertListed(Status.ELSEWHERE, "is of another container");
        device("fake:b").close();
        assertThat(file).as("nobody knows whether it is in use").exists();
        assertThat(view(file).objects(Kinds.FULL)).hasSize(1);
    }

    /** So the heads of containers that ended do not grow in number. */
    @Test
    void ofAnotherContainerThatIsGone() throws Exception {
        final byte[] bytes = withInt(with(bytesOf("fake:a"), LiveLayout.NAMESPACE_OFFSET, 7),
            LiveLayout.LOCKED_OFFSET, 1);
        final Path file = write(NAME, bytes);
        try (Fd there = Fd.open(file.toString(), LibcConstants.O_RDWR)) {
            assertThat(new OpenFileLock(there.fd()).tryTake()).isTrue();
            device("fake:b").close();
            assertThat(file).as("its process lives, as its lock says").exists();
        }
        device("fake:b").close();
        assertThat(file).as("nobody has the lock any more").doesNotExist();
    }

    @Test
    void aDeviceHoldsTheLockOfItsHead() throws Exception {
        final LiveDevice device = device("fake:a");
        final Path file = device.file().orElseThrow();
        try (LiveImage image = LiveImage.OfFile.open(file);
             Fd open = Fd.open(file.toString(), LibcConstants.O_RDWR)) {
            assertThat(LiveHeader.read(image).isLocked()).isTrue();
            final OpenFileLock lock = new OpenFileLock(open.fd());
            assertThat(lock.isHeldElsewhere()).isTrue();
            device.close();
            assertThat(lock.isHeldElsewhere()).isFalse();
        }
    }

    /** What is in the way of the file's name is not deleted, whoever runs the test. */
    @Test
    void aDeviceWhoseFileCannotBeDeletedIsClosedAllTheSame() throws Exception {
        final String[] published = {folder.toString(), "/memfd:" + LiveMemory.MEMFD};
        final List<String> before = descriptors(published);
        final LiveDevice device = device("fake:a");
        final Path file = device.file().orElseThrow();
        final Path head = Files.move(file, folder.resolve(NAME));
        Files.createDirectories(file.resolve("in the way"));
        device.close();
        assertThat(descriptors(published)).isEqualTo(before);
        try (Fd open = Fd.open(head.toString(), LibcConstants.O_RDWR)) {
            assertThat(new OpenFileLock(open.fd()).isHeldElsewhere()).isFalse();
        }
        assertThat(LiveViews.look(head).orElseThrow().detail()).contains("process " + PID + " has closed the device");
        device("fake:b");
        assertThat(head).as("removed by whoever opens a device").doesNotExist();
    }

    @Test
    void ofAnotherVersion() throws Exception {
        final byte[] bytes = withInt(bytesOf("fake:a"), LiveLayout.VERSION_OFFSET, LiveLayout.VERSION + 1);
        final Path file = write(NAME, bytes);
        assertListed(Status.OTHER_VERSION, "it is of version 5, this is version 4");
        assertFails(() -> LiveViews.open(file), 71, file.toString(), "version 5", "the rdma4j that the process runs");
        assertFails(() -> LiveViews.ofPid(PID, null), 71, "version 5");
        device("fake:b").close();
        assertThat(file).exists();

        final Path left = write("live-4194305-1.dat", with(bytes, LiveLayout.PROCESS_OFFSET, deadPid()));
        device("fake:b").close();
        assertThat(left).as("what says whose it is means the same in all versions").doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 88, 4095, 4096, 100_000})
    void cutOff(final int length) throws Exception {
        final Path file = write(NAME, Arrays.copyOf(bytesOf("fake:a"), length));
        assertListed(Status.CORRUPT, length < 4096 ? "it has " + length + " bytes" : "it was cut off or damaged");
        assertFails(() -> LiveViews.open(file), RdmaException.EIO, file.toString(), listed().detail());
        assertFails(() -> LiveViews.ofPid(PID, null), RdmaException.EIO);
        device("fake:b").close();
        assertThat(file).as("nothing says whose it is").exists();
    }

    @ParameterizedTest
    @ValueSource(ints = {LiveLayout.OBJECT_ROOM_OFFSET, LiveLayout.FILE_LENGTH_OFFSET})
    void numbersThatDoNotFit(final int offset) throws Exception {
        final byte[] bytes = bytesOf("fake:a");
        for (final int value : new int[] {0, -1, 1, 4097, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            final Path file = write(NAME, withInt(bytes, offset, value));
            assertListed(Status.CORRUPT, "do not fit");
            assertFails(() -> LiveViews.open(file), RdmaException.EIO);
        }
    }

    @Test
    void foreignFiles() throws Exception {
        final Path file = write(NAME, "#!/bin/sh\necho no\n".repeat(1000).getBytes());
        assertListed(Status.CORRUPT, "it begins with 0x732f6e69622f2123");
        assertFails(() -> LiveViews.open(file), RdmaException.EIO, "name a file live-PID-N.dat");
        assertFails(() -> LiveViews.open(folder), RdmaException.EIO, "is no regular file");
        assertFails(() -> LiveViews.open(Path.of("/dev/zero")), RdmaException.EIO, "is no regular file");
        assertFails(() -> LiveViews.open(folder.resolve("none")), RdmaException.ENOENT, "does not exist");
        write("live-x-1.dat", new byte[10]);
        write("notes.txt", new byte[10]);
        assertThat(LiveViews.list()).hasSize(2).first().satisfies(one -> assertThat(one.pid()).isZero());
        device("fake:b").close();
        assertThat(folder).isDirectoryContaining(path -> path.endsWith("notes.txt"))
            .isDirectoryContaining(path -> path.endsWith("live-x-1.dat"));
    }

    @Test
    void aFileThatIsRemovedAfterTheFolderWasListedIsPassedOver() throws Exception {
        final Path file = write(NAME, bytesOf("fake:a"));
        assertThat(LiveViews.look(file)).isPresent();
        Files.delete(file);
        assertThat(LiveViews.look(file)).isEmpty();
        Files.createSymbolicLink(file, folder.resolve("nothing"));
        assertThat(LiveViews.look(file)).hasValueSatisfying(its ->
            assertThat(its.status()).isEqualTo(Status.CORRUPT));
    }

    @Test
    void draftsAreNotSeenAndThoseThatWereLeftAreRemoved() throws Exception {
        final Path fresh = write("live-4194305-1.new", new byte[10]);
        final Path old = write("live-4194305-2.new", new byte[10]);
        final Path own = write("live-" + PID + "-1000000.new", new byte[10]);
        for (final Path file : List.of(old, own)) {
            Files.setLastModifiedTime(file, FileTime.fromMillis(System.currentTimeMillis() - 3_600_000));
        }
        assertThat(LiveViews.list()).isEmpty();
        device("fake:b").close();
        assertThat(old).doesNotExist();
        assertThat(fresh).exists();
        assertThat(own).exists();
    }

    @Test
    void namesThatAreTakenArePassedOver() throws Exception {
        final LiveDevice first = device("fake:a");
        final String name = first.file().orElseThrow().getFileName().toString();
        final long number = Long.parseLong(name.substring(name.lastIndexOf('-') + 1, name.length() - 4));
        write("live-" + PID + '-' + (number + 1) + ".dat", new byte[10]);
        write("live-" + PID + '-' + (number + 2) + ".new", new byte[10]);

        assertThat(device("fake:b").file().orElseThrow()).hasFileName("live-" + PID + '-' + (number + 3) + ".dat");
        assertThat(folder.resolve("live-" + PID + '-' + (number + 1) + ".dat")).hasSize(10);
    }

    @Test
    void processesAndAddressesThatAreNotThere() {
        assertThat(LiveViews.list()).isEmpty();
        assertFails(() -> LiveViews.ofPid(deadPid(), null), 3, "no process of this user has a device open");
        assertFails(() -> LiveViews.ofPid(0, null), 3, "there is no process 0");
        assertFails(() -> LiveViews.ofPid(-1, "fake:"), 3, "there is no process -1");
        assertFails(() -> LiveViews.ofPid(PID, null), RdmaException.ENODEV, "publishes no device", "RDMA4J_LIVE=off");

        device("fake:a");
        assertFails(() -> LiveViews.ofPid(PID, "fake:b"), RdmaException.ENODEV, "fake:b", "publishes ['fake:a']");
        assertFails(() -> LiveViews.ofPid(deadPid(), null), 3, "processes with open devices: [" + PID + "]");
        assertThat(ofPid(PID, null).address()).isEqualTo("fake:a");

        device("fake:b");
        assertFails(() -> LiveViews.ofPid(PID, null), RdmaException.EINVAL,
            "has 2 open devices: ['fake:a', 'fake:b']", "name one of them");
        assertThat(ofPid(PID, "fake:b").address()).isEqualTo("fake:b");
    }

    /** Its name is what a process is chosen by. */
    @Test
    void aFileThatIsNamedAfterAnotherProcess() throws Exception {
        final long other = ProcessHandle.current().parent().orElseThrow().pid();
        final Path file = write("live-" + other + "-0.dat", bytesOf(device("fake:a")));
        final String detail = "it is of process " + PID + ", and named after another";
        assertThat(LiveViews.list()).filteredOn(listed -> listed.pid() == other).singleElement().satisfies(listed -> {
            assertThat(listed.status()).isEqualTo(Status.FOREIGN);
            assertThat(listed.detail()).isEqualTo(detail);
        });
        assertFails(() -> LiveViews.open(file), RdmaException.EIO, detail);
        assertFails(() -> LiveViews.ofPid(other, null), RdmaException.ENODEV, "publishes no device");
    }

    /** Layers above add options of their own, which the device does not see. */
    @Test
    void addressesThatDifferInOptionsAlone() {
        device("fake:a?x=1").describe("first");
        assertThat(ofPid(PID, "fake:a?x=1&gid=::1").description()).isEqualTo("first");
        assertThat(ofPid(PID, "fake:a").description()).isEqualTo("first");
        assertFails(() -> LiveViews.ofPid(PID, "fake:ab"), RdmaException.ENODEV);
        device("fake:a?x=2").describe("second");
        assertThat(ofPid(PID, "fake:a?x=2").description()).isEqualTo("second");
        assertFails(() -> LiveViews.ofPid(PID, "fake:a"), RdmaException.EINVAL, "'fake:a?x=1', 'fake:a?x=2'");
    }

    @Test
    void aFolderThatIsNoneListsNothing() throws IOException {
        System.setProperty("rdma4j.state.dir", write("file", new byte[1]).toString());
        assertThat(LiveViews.list()).isEmpty();
        System.setProperty("rdma4j.state.dir", "no\0path");
        assertThat(LiveViews.list()).isEmpty();
        assertFails(() -> LiveViews.ofPid(PID, null), RdmaException.ENODEV);
    }

    /** Somebody cuts the file off while it is read. */
    @Test
    void aFileThatShrinksUnderItsReader() throws Exception {
        final Path file = write(NAME, bytesOf("fake:a"));
        final LiveView view = view(file);
        assertThat(view.objects(Kinds.FULL)).hasSize(1);
        for (final int length : new int[] {1_000_000, 100_000, 5000, 100, 0}) {
            try (RandomAccessFile shrinking = new RandomAccessFile(file.toFile(), "rw")) {
                shrinking.setLength(length);
            }
            view.objects(Kinds.FULL);
            view.counters();
            view.errors();
            view.commands();
            view.segments();
            assertThat(view.read(0x1000, 8)).isEmpty();
            assertThat(view.description()).isNotNull();
            assertThat(view.address()).isEqualTo("fake:a");
        }
        assertThat(view.isAlive()).isFalse();
        assertThat(view.troubles()).isNotEmpty();
    }
}
