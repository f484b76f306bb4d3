/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.EventFd;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DmaBufLinuxTest {
    private static final int ENOTTY = 25;

    @TempDir
    private Path folder;
    private DmaBufLinux fake;

    @BeforeEach
    void makeProc() throws IOException {
        Files.createDirectories(folder.resolve("fdinfo"));
        Files.createDirectories(folder.resolve("fd"));
        fake = new DmaBufLinux(folder);
    }

    private void file(final int fd, final String info, final String link) throws IOException {
        Files.writeString(folder.resolve("fdinfo/" + fd), info);
        Files.createSymbolicLink(folder.resolve("fd/" + fd), Path.of(link));
    }

    @Test
    void theExporterIsNamedByTheKernel() throws IOException {
        file(7, "pos:\t0\nflags:\t02000002\nmnt_id:\t14\nino:\t5\nsize:\t65536\ncount:\t2\nexp_name:\tdrm\n",
            "/dmabuf:");
        assertThat(fake.exporter(7)).isEqualTo("drm");
    }

    @Test
    void oldKernelsTellItByTheLink() throws IOException {
        file(8, "pos:\t0\nflags:\t02000002\nmnt_id:\t14\n", "anon_inode:dmabuf");
        assertThat(fake.exporter(8)).isEqualTo("unknown");
    }

    @Test
    void aFileThatIsCalledLikeOneIsNone() throws IOException {
        file(9, "pos:\t0\nflags:\t0100002\nmnt_id:\t14\nino:\t5\n", "/dmabuf:");
        assertThat(fake.exporter(9)).isNull();
    }

    @Test
    void withoutProcItSaysSo() {
        final DmaBufLinux without = new DmaBufLinux(folder.resolve("none"));
        final RdmaException e = catchThrowableOfType(RdmaException.class, () -> without.exporter(3));
        assertThat(e.errno()).isEqualTo(RdmaException.EOPNOTSUPP);
        assertThat(e).hasMessageContaining("fd 3").hasMessageContaining("/proc must be mounted");
        assertThat(without.describe(3)).isEqualTo("an unknown file");
    }

    @Test
    void flagsAreThoseOfTheMappingAroundTheAddress() throws IOException {
        Files.writeString(folder.resolve("smaps"), "1000-2000 rw-p 00000000 00:00 0 \nRss: 4 kB\nVmFlags: rd wr \n"
            + "2000-4000 rw-s 00000000 00:0a 9    /dmabuf:a-b\nRss: 4 kB\nVmFlags: rd wr sh pf \n");
        assertThat(fake.flags(0x2000)).isEqualTo("rd wr sh pf");
        assertThat(fake.flags(0x3fff)).isEqualTo("rd wr sh pf");
        assertThat(fake.flags(0x1fff)).isEqualTo("rd wr");
        assertThat(fake.flags(0x4000)).isEmpty();
        assertThat(new DmaBufLinux(folder.resolve("none")).flags(0x2000)).isEmpty();
        try (MappedMemory memory = MappedMemory.anonymous(4096)) {
            assertThat(new DmaBufLinux().flags(memory.address())).startsWith("rd wr");
        }
    }

    @Test
    void realFilesAreNone() throws IOException {
        final DmaBufLinux linux = new DmaBufLinux();
        final Path plain = Files.createFile(folder.resolve("dmabuf:"));
        try (EventFd event = EventFd.create(); Fd file = Fd.open(plain.toString(), LibcConstants.O_RDWR);
            Fd memory = Fd.of(Libc.memfdCreate("dmabuf:", 0), "memfd"); Fd zero = Fd.open("/dev/zero", 0)) {
            for (final int fd : new int[] {event.fd(), file.fd(), memory.fd(), zero.fd()}) {
                assertThat(linux.exporter(fd)).as(linux.describe(fd)).isNull();
            }
        }
    }

    /** The number is that of linux/dma-buf.h: no other kind of file may know it. */
    @Test
    void syncReachesTheFile() {
        try (Fd memory = Fd.of(Libc.memfdCreate("sync", 0), "memfd")) {
            final RdmaException e =
                catchThrowableOfType(RdmaException.class, () -> new DmaBufLinux().sync(memory.fd(), 1));
            assertThat(e.errno()).isEqualTo(ENOTTY);
            assertThat(e).hasMessageContaining("DMA_BUF_IOCTL_SYNC");
        }
        final long write = 1;
        assertThat(DmaBufLinux.DMA_BUF_IOCTL_SYNC.number()).isEqualTo(write << 30 | 8 << 16 | 'b' << 8);
    }
}
