/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.testing.Patience;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DmaBufTest {
    private static final int PAGE = (int) Libc.pageSize();
    private static final int SIZE = 8 * PAGE;
    private static final int EBADF = 9;

    private final FakeDmaBuf fake = new FakeDmaBuf(SIZE);
    private int mappings;

    @BeforeEach
    void countMappings() {
        mappings = MappedMemory.mappedCount();
    }

    @AfterEach
    void nothingIsLeft() {
        fake.close();
        assertThat(MappedMemory.mappedCount()).as("mappings of " + fake.log).isLessThanOrEqualTo(mappings);
    }

    private static RdmaException refusal(final int errno, final ThrowingCallable call) {
        final RdmaException e = catchThrowableOfType(RdmaException.class, call);
        assertThat(e).as("it must be refused").isNotNull();
        assertThat(e.errno()).as(e.getMessage()).isEqualTo(errno);
        return e;
    }

    @Test
    void showsTheBytesFromItsOffsetOn() {
        try (MappedMemory other = MappedMemory.map(0, SIZE, LibcConstants.PROT_READ | LibcConstants.PROT_WRITE,
                LibcConstants.MAP_SHARED, fake.file.fd(), 0);
            DmaBuf buffer = fake.open(PAGE + 100, 5000)) {
            final UnsafeBuffer all = new UnsafeBuffer(other.address(), SIZE);
            final UnsafeBuffer part = new UnsafeBuffer(buffer.address(), (int) buffer.length());
            all.putByte(PAGE + 100, (byte) 1);
            all.putByte(PAGE + 100 + 4999, (byte) 2);
            part.putByte(1, (byte) 3);
            assertThat(part.getByte(0)).isEqualTo((byte) 1);
            assertThat(part.getByte(4999)).isEqualTo((byte) 2);
            assertThat(all.getByte(PAGE + 101)).isEqualTo((byte) 3);
            assertThat(buffer.address() % PAGE).as("place in the page").isEqualTo(100);
            assertThat(buffer.offset()).isEqualTo(PAGE + 100);
            assertThat(buffer.size()).isEqualTo(SIZE);
            assertThat(buffer.isWritable()).isTrue();
            assertThat(buffer.exporter()).isEqualTo("fake");
        }
        assertThat(fake.log).containsExactly("map rw length " + (PAGE + 5100), "close");
    }

    @Test
    void allOfItIsThere() {
        try (DmaBuf buffer = fake.open(0, DmaBufRange.TO_THE_END)) {
            assertThat(buffer.length()).isEqualTo(SIZE);
            assertThat(buffer.offset()).isZero();
        }
    }

    @Test
    void theLastByteIsWithin() {
        try (DmaBuf buffer = fake.open(SIZE - 1, 1)) {
            new UnsafeBuffer(buffer.address(), 1).putByte(0, (byte) 7);
        }
        assertThat(fake.log).first().isEqualTo("map rw length " + SIZE);
    }

    @ParameterizedTest
    @CsvSource({"-1, 1", "0, 0", "0, -5", "0, 32769", "32768, 1", "32767, 2", "1, 9223372036854775807",
        "9223372036854775807, 1", "9223372036854775807, 9223372036854775807", "-9223372036854775808, 1"})
    void aPartThatIsNotWithinIsRefused(final long offset, final long length) {
        assertThat(SIZE).as("the numbers above").isEqualTo(32768);
        assertThat(refusal(RdmaException.EINVAL, () -> fake.open(offset, length)))
            .hasMessageContaining("offset " + offset).hasMessageContaining("fd " + fake.file.fd());
        assertThat(fake.log).as("the duplicate is closed, nothing mapped").isSubsetOf("close");
    }

    @Test
    void theSizeStandsInTheMessage() {
        assertThat(refusal(RdmaException.EINVAL, () -> fake.open(0, SIZE + 1)))
            .hasMessageContaining("length 32769").hasMessageContaining("the dma-buf has 32768 bytes");
    }

    @Test
    void otherFilesAreRefused() {
        fake.exporter = null;
        assertThat(refusal(RdmaException.EINVAL, () -> fake.open(0, PAGE)))
            .hasMessageContaining("no dma-buf but /memfd:fake-dma-buf").hasMessageContaining("fd " + fake.file.fd());
        assertThat(fake.log).containsExactly("close");
    }

    @Test
    void aDescriptorThatIsNotOpenIsRefused() {
        final int closed = FakeDmaBuf.class.hashCode() | 1 << 30; // Beyond any limit of open files.
        assertThat(refusal(EBADF, () -> DmaBuf.open(closed, 0, 1)))
            .hasMessageContaining("fd " + closed).hasMessageContaining("not open");
        assertThat(refusal(EBADF, () -> DmaBuf.open(-1, 0, 1))).hasMessageContaining("fd -1");
        assertThat(refusal(EBADF, () -> DmaBuf.open(-1))).hasMessageContaining("all of it");
    }

    @Test
    void realFilesThatAreNoDmaBufAreRefused() {
        assertThat(refusal(RdmaException.EINVAL, () -> DmaBuf.open(fake.file.fd())))
            .hasMessageContaining("no dma-buf but /memfd:fake-dma-buf");
        assertThat(refusal(RdmaException.EINVAL, () -> DmaBuf.open(fake.file.fd(), 0, 0)))
            .hasMessageContaining("length must be above 0");
    }

    @Test
    void theCallerMayCloseItsDescriptor() {
        try (FakeDmaBuf own = new FakeDmaBuf(PAGE)) {
            try (DmaBuf buffer = own.open(0, PAGE)) {
                own.file.close();
                new UnsafeBuffer(buffer.address(), PAGE).putLong(0, 5);
                buffer.beginAccess(DmaBufAccess.READ);
                assertThat(own.log).endsWith("sync 1");
            }
        }
    }

    @Test
    void isReadOnlyWhereItMustNotBeWritten() {
        fake.refuseWritable = RdmaException.EACCES;
        try (DmaBuf buffer = fake.open(0, PAGE)) {
            assertThat(buffer.isWritable()).isFalse();
            assertThat(buffer.toString()).contains("read-only");
            assertThat(new UnsafeBuffer(buffer.address(), PAGE).getByte(0)).isZero();
        }
        assertThat(fake.log).containsExactly("map rw length 4096", "map r length 4096", "close");
    }

    @Test
    void whatItsExporterDoesNotMapIsRefused() {
        fake.refuseWritable = RdmaException.EINVAL;
        final RdmaException e = refusal(RdmaException.EINVAL, () -> fake.open(10, 20));
        assertThat(e).hasMessageContaining("fake").hasMessageContaining("offset 10, length 20")
            .hasMessageContaining("size 32768");
        assertThat(fake.log).containsExactly("map rw length 30", "close");
    }

    /** An exporter may give any number. */
    @ParameterizedTest
    @ValueSource(ints = {RdmaException.EINVAL, RdmaException.ENODEV, RdmaException.EOPNOTSUPP})
    void whatItsExporterDoesNotMapMayBeRegisteredByItsDescriptor(final int errno) {
        fake.refuseWritable = errno;
        final RdmaException e = refusal(RdmaException.EINVAL, () -> fake.open(0, PAGE));
        assertThat(e).hasMessageContaining("MrOptions.dmaBuf");
        assertThat(((RdmaException) e.getCause()).errno()).isEqualTo(errno);
    }

    @Test
    void aLackOfMemoryIsToldAsSuch() {
        fake.refuseWritable = RdmaException.ENOMEM;
        assertThat(refusal(RdmaException.ENOMEM, () -> fake.open(0, PAGE)).getMessage())
            .doesNotContain("MrOptions");
    }

    @ParameterizedTest
    @ValueSource(ints = {RdmaException.EACCES, RdmaException.EPERM})
    void whatCannotEvenBeReadIsRefused(final int errno) {
        fake.refuseWritable = errno;
        fake.refuseReadable = errno;
        refusal(RdmaException.EACCES, () -> fake.open(0, PAGE));
        assertThat(fake.log).endsWith("close");
    }

    @Test
    void accessIsAnnouncedByTheKernelsNumbers() {
        try (DmaBuf buffer = fake.open(0, PAGE)) {
            for (final DmaBufAccess access : DmaBufAccess.values()) {
                buffer.beginAccess(access);
                buffer.endAccess(access);
            }
            assertThat(refusal(RdmaException.EINVAL, () -> buffer.beginAccess(null))).hasMessageContaining("no access");
            refusal(RdmaException.EINVAL, () -> buffer.endAccess(null));
            fake.refuseSync = RdmaException.of("ioctl").errno(RdmaException.ETIMEDOUT).build();
            refusal(RdmaException.ETIMEDOUT, () -> buffer.beginAccess(DmaBufAccess.READ));
        }
        assertThat(fake.log).as("a failed sync leaves no hold behind").containsExactly("map rw length 4096",
            "sync 1", "sync 5", "sync 2", "sync 6", "sync 3", "sync 7", "sync 1", "close");
    }

    @Test
    void closedWhileItSyncsItKeepsItsDescriptorUntilThat() {
        final DmaBuf buffer = fake.open(0, PAGE);
        fake.duringSync = () -> {
            buffer.close();
            assertThat(fake.log).doesNotContain("close");
            assertThat(buffer.isMapped()).isTrue();
        };
        buffer.endAccess(DmaBufAccess.WRITE);
        assertThat(fake.log).endsWith("sync 6", "close");
        assertThat(buffer.isMapped()).isFalse();
    }

    @Test
    void afterCloseNothingWorks() {
        final DmaBuf buffer = fake.open(0, PAGE);
        buffer.close();
        buffer.close();
        assertThat(fake.log).filteredOn("close"::equals).hasSize(1);
        assertThat(buffer.isOpen()).isFalse();
        assertThat(buffer.toString()).contains("closed").doesNotContain("held");
        for (final ThrowingCallable use : List.<ThrowingCallable>of(buffer::address, buffer::hold,
            () -> buffer.beginAccess(DmaBufAccess.READ), () -> buffer.endAccess(DmaBufAccess.READ))) {
            assertThat(refusal(RdmaException.EBADFD, use)).hasMessageContaining("closed");
        }
    }

    @Test
    void aHoldKeepsItMapped() {
        final DmaBuf buffer = fake.open(0, PAGE);
        final UnsafeBuffer bytes = new UnsafeBuffer(buffer.address(), PAGE);
        final DmaBuf.Hold first = buffer.hold();
        final DmaBuf.Hold second = buffer.hold();
        buffer.close();
        assertThat(buffer.isOpen()).isFalse();
        assertThat(buffer.isMapped()).isTrue();
        assertThat(buffer.toString()).contains("closed but held");
        bytes.putLong(0, 9);
        first.close();
        first.close();
        assertThat(buffer.isMapped()).as("one hold closed twice is not two holds").isTrue();
        assertThat(bytes.getLong(0)).isEqualTo(9);
        second.close();
        assertThat(buffer.isMapped()).isFalse();
        assertThat(second.toString()).contains("closed");
        assertThat(fake.log).containsExactly("map rw length 4096", "close");
    }

    @Test
    void aHoldThatEndsFirstUnmapsNothing() {
        final DmaBuf buffer = fake.open(0, PAGE);
        buffer.hold().close();
        assertThat(buffer.isMapped()).isTrue();
        buffer.close();
        assertThat(buffer.isMapped()).isFalse();
    }

    @Test
    void manyCloseItOnce() throws InterruptedException {
        for (int round = 0; round < 200; round++) {
            fake.log.clear();
            final DmaBuf buffer = fake.open(0, PAGE);
            final DmaBuf.Hold hold = buffer.hold();
            final Thread other = new Thread(hold::close);
            other.start();
            buffer.close();
            Patience.join(other);
            assertThat(fake.log).as("round %d", round).containsExactly("map rw length 4096", "close");
        }
    }

    @Test
    void aRefusalIsExplainedByWhatIsKnown() {
        final RdmaException fault = RdmaException.of("map memory for DMA").errno(RdmaException.EFAULT).build();
        final RdmaException full = RdmaException.of("map memory for DMA").errno(RdmaException.ENOMEM).build();
        final DmaBuf buffer = fake.open(PAGE, PAGE);
        assertThat(buffer.explain(fault)).as("ordinary pages").isSameAs(fault);
        fake.flags = "rd wr sh mr mw me ms pf de dd sd";
        assertThat(buffer.explain(full)).as("another reason").isSameAs(full);
        final RdmaException explained = buffer.explain(fault);
        assertThat(explained.errno()).isEqualTo(RdmaException.EFAULT);
        assertThat(explained).hasCause(fault).hasMessageContaining("VM_PFNMAP").hasMessageContaining(fake.flags)
            .hasMessageContaining("offset 4096, length 4096");
        fake.flags = "rd wr sh io";
        assertThat(buffer.explain(fault)).hasCause(fault);
        fake.flags = "rd wr shio pfx";
        assertThat(buffer.explain(fault)).isSameAs(fault);
        refusal(RdmaException.EINVAL, () -> buffer.explain(null));
        fake.flags = "pf";
        buffer.close();
        assertThat(buffer.explain(fault)).as("after close").isSameAs(fault);
        fake.refuseWritable = RdmaException.EPERM;
        try (DmaBuf readable = fake.open(0, PAGE)) {
            assertThat(readable.explain(fault)).hasMessageContaining("for reading only").hasCause(fault);
        }
    }

    @Test
    void theEmptyOneHasNothingToMap() {
        try (FakeDmaBuf empty = new FakeDmaBuf(0)) {
            assertThatThrownBy(() -> empty.open(0, DmaBufRange.TO_THE_END)).isInstanceOf(RdmaException.class)
                .hasMessageContaining("has 0 bytes");
        }
    }
}
