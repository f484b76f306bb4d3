/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.FileCalls;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.state.StateFolder;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A folder of the test's own, and devices that are closed after it. */
abstract class LiveFixture {
    static final long PID = ProcessHandle.current().pid();

    @TempDir
    Path folder;
    private final List<AutoCloseable> open = new ArrayList<>();

    @BeforeEach
    void useTheFolder() {
        System.setProperty(StateFolder.PROPERTY, folder.toString());
    }

    @AfterEach
    void closeAll() throws Exception {
        for (final AutoCloseable each : open) {
            each.close();
        }
        for (final String property : List.of(StateFolder.PROPERTY, LiveSettings.PROPERTY, LiveSettings.OBJECTS)) {
            System.clearProperty(property);
        }
    }

    final LiveDevice device(final String address) {
        final LiveDevice device = LiveDevice.open(address);
        open.add(device);
        return device;
    }

    final LiveView view(final Path file) {
        final LiveView view = LiveViews.open(file);
        open.add(view);
        return view;
    }

    final LiveView view(final LiveDevice device) {
        return view(device.file().orElseThrow());
    }

    final LiveView ofPid(final long pid, final String address) {
        final LiveView view = LiveViews.ofPid(pid, address);
        open.add(view);
        return view;
    }

    final <T extends AutoCloseable> T closing(final T each) {
        open.add(each);
        return each;
    }

    /** A descriptor of memory as processes share theirs. */
    final int memory(final byte... bytes) {
        return closing(memfd(bytes)).fd();
    }

    /** The same, which the test closes. */
    static Fd memfd(final byte... bytes) {
        final Fd fd = Fd.of(Libc.memfdCreate("live-test", LibcConstants.MFD_ALLOW_SEALING), "memory");
        final UnsafeBuffer source = new UnsafeBuffer(BufferUtil.allocateDirectAligned(Math.max(1, bytes.length), 64));
        source.putBytes(0, bytes);
        assertThat(Libc.pwrite(fd.fd(), source, bytes.length, 0)).isEqualTo(bytes.length);
        FileCalls.addSeals(fd.fd(), LibcConstants.F_SEAL_SHRINK);
        return fd;
    }

    /** The file of a device as a process leaves it that is killed, where there is no memfd. */
    final byte[] bytesOf(final String address) throws IOException {
        try (LiveDevice device = LiveDevice.open(address)) {
            Sample.fill(device);
            return bytesOf(device);
        }
    }

    static byte[] bytesOf(final LiveDevice device) {
        final byte[] bytes = new byte[Math.toIntExact(device.length())];
        device.memory().buffer(0, device.length()).getBytes(0, bytes);
        return withInt(bytes, LiveLayout.MEMORY_OFFSET, 0);
    }

    /** Where descriptors of this process lead, of all that begins with one of these. */
    static List<String> descriptors(final String... beginnings) throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.map(LiveFixture::target).filter(target -> Stream.of(beginnings).anyMatch(target::startsWith))
                .sorted().toList();
        }
    }

    private static String target(final Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (final IOException e) {
            // Closed meanwhile, such as that of the list itself.
            return "";
        }
    }

    static UnsafeBuffer buffer(final byte[] bytes) {
        return new UnsafeBuffer(bytes);
    }

    static byte[] with(final byte[] bytes, final int at, final long value) {
        final byte[] changed = bytes.clone();
        buffer(changed).putLong(at, value, ByteOrder.LITTLE_ENDIAN);
        return changed;
    }

    static byte[] withInt(final byte[] bytes, final int at, final int value) {
        final byte[] changed = bytes.clone();
        buffer(changed).putInt(at, value, ByteOrder.LITTLE_ENDIAN);
        return changed;
    }

    final Path write(final String name, final byte[] bytes) throws IOException {
        return Files.write(folder.resolve(name), bytes);
    }

    /** Something of everything. */
    static final class Sample {
        private Sample() {
        }

        static void fill(final LiveDevice device) {
            device.describe("a fake");
            device.counter("things").set(3);
            device.add(Kinds.PLAIN, 1).publish();
            device.add(Kinds.FULL, 2).set(0, 77).publish();
            device.error(new IllegalStateException("broken"));
            device.segment(new LiveSegment(0x1000, 0, 0x1000, 1 << 29, 0));
            device.command(1, 2, 0, buffer(new byte[] {1}), buffer(new byte[] {2}));
        }
    }
}
