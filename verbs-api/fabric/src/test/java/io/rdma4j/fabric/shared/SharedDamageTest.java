/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

import static io.rdma4j.fabric.shared.Stores.attributes;
import static io.rdma4j.fabric.shared.Stores.check;
import static io.rdma4j.fabric.shared.Stores.insert;
import static io.rdma4j.fabric.shared.Stores.open;
import static io.rdma4j.fabric.shared.Stores.reading;
import static io.rdma4j.fabric.shared.Stores.remove;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.av.AvNames;
import io.rdma4j.fabric.av.AvStore;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files as a crash, another version or somebody else leaves them. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
@Tag("slow")
class SharedDamageTest extends OwnFolder {
    /** A file as a crash or somebody else leaves it. */
    private byte[] good() throws IOException {
        try (AvStore store = open(attributes(NAME))) {
            insert(store, 1);
            try (var in = Files.newInputStream(path)) {
                return in.readNBytes(SharedLayout.HEADER);
            }
        }
    }

    private void put(final byte[] bytes) throws IOException {
        put(bytes, SharedHolders.LENGTH);
    }

    /** Behind the bytes there is a hole. */
    private void put(final byte[] bytes, final long length) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(Files.write(path, bytes).toFile(), "rw")) {
            file.setLength(length);
        }
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
    }

    /** Of opening a file that somebody else has open. */
    private int errnoOfUsed(final AvAttributes attributes) throws IOException {
        try (FileChannel other = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            assertTrue(FileLocks.presence(other, path).isShared());
            return errno(() -> open(attributes));
        }
    }

    @Test
    void damagedFilesThatAreOpenAreRefusedAndStay() throws IOException {
        final byte[] good = good();
        final ByteBuffer bytes = ByteBuffer.wrap(good).order(ByteOrder.nativeOrder());
        for (final int length : new int[] {0, 1, 9, 100, 4095, 4096, 1 << 30}) {
            put(good, length);
            assertEquals(FiErrno.FI_EIO, errnoOfUsed(attributes(NAME)), length + " bytes");
            assertEquals(FiErrno.FI_EIO, errnoOfUsed(reading(NAME)), length + " bytes");
        }
        final int[] offsets = {0, 12, 16, 24, 28, 32, 48, 64, 72, 130, 260};
        for (final int offset : offsets) {
            final byte[] bad = good.clone();
            bad[offset] ^= 0x40;
            put(bad);
            assertEquals(FiErrno.FI_EIO, errnoOfUsed(attributes(NAME)), "byte " + offset);
        }
        bytes.putInt(SharedLayout.VERSION_OFFSET, SharedLayout.VERSION + 1);
        put(good);
        assertEquals(FiErrno.FI_EOPNOTSUPP, errnoOfUsed(attributes(NAME)));
        Files.delete(path);
    }

    @Test
    void damagedFilesThatNobodyHasOpenAreBegunAnew() throws IOException {
        final byte[] good = good();
        final byte[] otherVersion = good.clone();
        ByteBuffer.wrap(otherVersion).order(ByteOrder.nativeOrder())
            .putInt(SharedLayout.VERSION_OFFSET, SharedLayout.VERSION + 1);
        final byte[] damaged = good.clone();
        damaged[0] ^= 0x40;
        for (final byte[] left : new byte[][] {otherVersion, damaged, java.util.Arrays.copyOf(good, 100), {}}) {
            put(left);
            assertEquals(FiErrno.FI_ENOENT, errno(() -> open(reading(NAME))));
            try (AvStore store = open(attributes(NAME))) {
                assertEquals(0, store.size());
            }
        }
    }

    @Test
    void whatNobodyHasOpenIsBegunAnewAndNotThereForReaders() throws IOException {
        put(good());
        assertEquals(FiErrno.FI_ENOENT, errno(() -> open(reading(NAME))));
        try (AvStore store = open(attributes(NAME))) {
            assertEquals(0, store.size());
        }
    }

    /** The memory is sealed, and not the file: all who have it open go on. */
    @ParameterizedTest
    @ValueSource(longs = {0, 100, SharedLayout.HEADER, SharedLayout.HEADER + 20})
    void whoHasAVectorOpenLosesNothingWhenItsFileIsCutOff(final long length) throws Exception {
        try (StoreProcess other = new StoreProcess(folder)) {
            final AvStore store = open(attributes(NAME));
            final AvStore reader = open(reading(NAME));
            insert(store, 0);
            assertEquals("ok 100000", other.ask("open " + NAME));
            cut(length);
            for (int i = 1; i < 2000; i++) {
                assertEquals(i, AvNames.place(insert(store, i)));
            }
            assertEquals(Long.toString(AvNames.handle(2000, 1)), other.ask("insert 2000"));
            assertEquals("1999", other.ask("find 1999"));
            assertEquals(2001, check(store, 2001));
            assertEquals(2001, check(reader, 2001));
            assertTrue(remove(store, 5));
            assertEquals("none", other.ask("find 5"));
            try (StoreProcess late = new StoreProcess(folder)) {
                assertEquals("errno " + FiErrno.FI_EIO, late.ask("open " + NAME));
                assertEquals("errno " + FiErrno.FI_EIO, late.ask("read " + NAME));
            }
            reader.close();
            store.close();
            assertEquals("2000", other.ask("find 2000"));
            assertEquals("closed", other.ask("close"));
        }
    }

    /** By another process: closing a channel would end the locks of this one. */
    private void cut(final long length) throws Exception {
        final Process cut = new ProcessBuilder("truncate", "-s", Long.toString(length), path.toString()).start();
        assertEquals(0, cut.waitFor());
    }

    /** What is noted of who has it open is only where one looks first. */
    @Test
    void whoeverStillHasItOpenLetsOthersIn() throws Exception {
        try (StoreProcess second = new StoreProcess(folder); StoreProcess third = new StoreProcess(folder)) {
            final StoreProcess first = new StoreProcess(folder);
            assertEquals("ok 100000", first.ask("open " + NAME));
            assertEquals("ok 100000", second.ask("open " + NAME));
            assertEquals(Long.toString(AvNames.handle(0, 1)), second.ask("insert 3"));
            first.kill();
            assertEquals("ok 100000", third.ask("open " + NAME));
            assertEquals("3", third.ask("find 0"));
            assertEquals("closed", second.ask("close"));
            try (AvStore here = open(reading(NAME))) {
                assertEquals("closed", third.ask("close"));
                assertEquals("ok 100000", second.ask("open " + NAME));
                assertEquals("true", second.ask("remove 0"));
                assertEquals(0, here.size());
            }
            assertEquals("closed", second.ask("close"));
        }
    }

    @Test
    void memoryOfAnotherVectorIsNotTaken() throws Exception {
        try (StoreProcess other = new StoreProcess(folder)) {
            assertEquals("ok 100000", other.ask("open " + NAME));
            final byte[] file = Files.readAllBytes(path);
            assertEquals("closed", other.ask("close"));
            assertEquals("ok 100000", other.ask("open " + NAME));
            // Of the one before, with the process and descriptor of this one.
            final byte[] now = Files.readAllBytes(path);
            System.arraycopy(now, SharedLayout.HEADER, file, SharedLayout.HEADER, now.length - SharedLayout.HEADER);
            Files.write(path, file);
            assertEquals(FiErrno.FI_EIO, errno(() -> open(attributes(NAME))));
            Files.write(path, now);
            open(attributes(NAME)).close();
            assertEquals("closed", other.ask("close"));
        }
    }

    @Test
    void filesOfOthersAndLinksAreRefused() throws IOException {
        final byte[] good = good();
        put(good);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-r--r--"));
        assertEquals(FiErrno.FI_EACCES, errno(() -> open(attributes(NAME))));
        Files.delete(path);
        Files.createSymbolicLink(path, folder.resolve("elsewhere"));
        assertEquals(FiErrno.FI_EACCES, errno(() -> open(attributes(NAME))));
        Files.delete(path);
        Files.createDirectory(path);
        assertEquals(FiErrno.FI_EACCES, errno(() -> open(attributes(NAME))));
        Files.delete(path);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertEquals(FiErrno.FI_EACCES, errno(() -> open(attributes(NAME))));
    }
}
