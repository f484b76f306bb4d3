/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

import static io.rdma4j.fabric.shared.Stores.attributes;
import static io.rdma4j.fabric.shared.Stores.insert;
import static io.rdma4j.fabric.shared.Stores.open;
import static io.rdma4j.fabric.shared.Stores.reading;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.FiErrno;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Files as a crash, another version or somebody else leaves them. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
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
        put(bytes, new SharedLayout(SharedLayout.MOST, AddressFormat.DEVICE, AvType.TABLE, 0, 1).length);
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

    /** What is mapped of it is not there any more: whoever changes or closes it must not touch that. */
    @Test
    void whoLocksOrClosesAVectorThatWasCutOffLooksFirst() throws Exception {
        final StoreProcess other = new StoreProcess(folder);
        final AvStore store = open(attributes(NAME));
        final AvStore reader = open(reading(NAME));
        insert(store, 1);
        assertEquals("ok 100000", other.ask("open " + NAME));
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
            file.truncate(0);
        }
        assertEquals(FiErrno.FI_EIO, errno(store::lock));
        assertEquals(FiErrno.FI_EIO, errno(reader::lock));
        reader.close();
        store.close();
        other.kill();
        Files.delete(path);
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
