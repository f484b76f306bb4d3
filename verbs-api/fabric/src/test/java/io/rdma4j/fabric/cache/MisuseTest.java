/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import static io.rdma4j.fabric.cache.Bench.PAGE;
import static io.rdma4j.fabric.cache.Bench.RO;
import static io.rdma4j.fabric.cache.Bench.RW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.verbs.AccessFlag;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Misuse gives errors that say what is wrong. */
@Timeout(60)
class MisuseTest {
    private static void assertErrno(final int errno, final ThrowingCallable call, final String... words) {
        assertThatThrownBy(call).isInstanceOf(FabricException.class)
            .satisfies(e -> assertThat(words).allSatisfy(word -> assertThat(e).hasMessageContaining(word)))
            .extracting(e -> ((FabricException) e).errno()).isEqualTo(errno);
    }

    @Test
    void rangesThatAreNone() {
        try (Bench bench = Bench.of("misuse-ranges")) {
            final long[][] ranges = {{0, 64}, {0, Long.MAX_VALUE - 4096}, {bench.base, 0}, {bench.base, -1}, {-1, 10},
                {bench.base, Long.MAX_VALUE}, {Long.MAX_VALUE, 1}, {Long.MIN_VALUE, Long.MAX_VALUE}};
            for (final long[] range : ranges) {
                assertErrno(FiErrno.FI_EINVAL, () -> bench.cache.acquire(range[0], range[1], RO), "length");
                assertErrno(FiErrno.FI_EINVAL, () -> bench.cache.acquire(range[0], range[1], bench.memory, RO));
                assertErrno(FiErrno.FI_EINVAL, () -> bench.cache.invalidate(range[0], range[1]));
                assertErrno(FiErrno.FI_EINVAL, () -> bench.cache.adopt(range[0], range[1], bench.memory));
            }
            assertErrno(FiErrno.FI_EINVAL, () -> bench.cache.adopt(bench.base, 1, null));
            assertErrno(FiErrno.FI_EINVAL, () -> bench.cache.adopt(bench.base, 1, new UnsafeBuffer(bench.base, 1)));
            assertThat(bench.cache.statistics().misses()).isZero();
        }
    }

    @Test
    void memoryThatIsNotThere() {
        try (Bench bench = Bench.of("misuse-hole")) {
            assertErrno(FiErrno.FI_EFAULT, () -> bench.cache.acquire(4096, 10, RO));
            assertThat(bench.cache.statistics().asMap()).containsEntry("entries", 0L).containsEntry("evictions", 0L);
        }
    }

    @Test
    void rightsForPeers() {
        try (Bench bench = Bench.of("misuse-rights")) {
            for (final AccessFlag flag : AccessFlag.values()) {
                if (flag != AccessFlag.LOCAL_WRITE) {
                    assertErrno(FiErrno.FI_EINVAL, () -> bench.acquire(0, 10, flag.bit()), "peers");
                }
            }
            assertErrno(FiErrno.FI_EINVAL, () -> bench.acquire(0, 10, -1));
        }
    }

    /** Whoever named a buffer that may be written had it registered for that before. */
    @Test
    void readOnlyBuffersToBeWritten() {
        try (Bench bench = Bench.of("misuse-read-only")) {
            bench.acquire(0, PAGE, bench.memory, RW).release();
            final ByteBuffer view = bench.memory.asReadOnlyBuffer();
            for (final Object owner : new Object[] {view, view.slice(), view.asLongBuffer(), new UnsafeBuffer(view)}) {
                assertErrno(FiErrno.FI_EFAULT, () -> bench.acquire(0, 10, owner, RW), "read-only");
                bench.acquire(0, 10, owner, RO).release();
            }
            assertThat(bench.cache.statistics().misses()).isEqualTo(1);
        }
    }

    @Test
    void oneReleaseTooMany() {
        try (Bench bench = Bench.ofCount("misuse-release", 1)) {
            final Entry kept = bench.use(0, 10);
            assertErrno(FiErrno.FI_EINVAL, kept::release, "not in use");
            final Entry used = bench.acquire(0, 10, RO);
            final Entry once = bench.acquire(20, 30, RO);
            once.release();
            assertErrno(FiErrno.FI_EINVAL, once::release, "not in use");
            used.release();
            assertThat(bench.use(0, 10)).as("still sound").isSameAs(used);
        }
    }

    @Test
    void aClosedCache() {
        try (Bench bench = Bench.of("misuse-closed")) {
            bench.use(0, PAGE);
            bench.cache.close();
            bench.cache.close();
            assertErrno(FiErrno.FI_EBADFD, () -> bench.acquire(0, PAGE, RO), "closed");
            assertErrno(FiErrno.FI_EBADFD, () -> bench.acquire(0, PAGE, bench.memory, RO));
            bench.cache.flush();
            bench.cache.invalidate(bench.base, 1);
            assertThat(bench.cache.toString()).contains("closed");
        }
    }

    @Test
    void aClosedDomain() {
        try (Bench bench = Bench.of("misuse-pd")) {
            final Entry entry = bench.use(0, PAGE);
            final Entry used = bench.acquire(0, PAGE, RO);
            bench.pd.close();
            assertErrno(FiErrno.FI_EBADFD, () -> bench.acquire(PAGE, 2 * PAGE, RO));
            assertThat(entry.region().isClosed()).isTrue();
            used.release();
        }
    }
}
