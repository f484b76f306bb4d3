/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Function;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import com.sun.jna.Pointer;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Malloc's large blocks are found from any address in them, and what is none is watched as far as that is certain. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class MallocBlocksTest {
    private static final int PAGE = MappingMachine.PAGE;
    private static final int MIB = 1 << 20;
    private static final MappingListener NOBODY = (guard, from, to) -> { };

    private MappingWatch watch;

    @BeforeEach
    void open() throws IOException {
        watch = MappingMachine.open();
    }

    @AfterEach
    void close() {
        watch.close();
    }

    private String whyNot(final long address, final long length) {
        try (MappingGuard guard = watch.watch(address, length, NOBODY)) {
            assertThat(guard.intact()).isEqualTo(guard.whyNot() == null);
            return guard.whyNot();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {33, 65, 100, 150})
    void addressesFarInsideOfTouchingBlocksAreRefused(final int mib) {
        refusesBlocksOf(mib);
    }

    /** Freeing blocks of up to 32 MiB teaches glibc to cut later ones from an arena, and to keep what it grew to. */
    @Test
    void addressesInLargeBlocksOfAnArenaAreRefused() {
        Native.free(Native.malloc(31L * MIB));
        final long first = Native.malloc(30L * MIB);
        final long second = Native.malloc(29L * MIB);
        Native.free(first);
        Native.free(second);
        refusesBlocksOf(33);
    }

    private void refusesBlocksOf(final int mib) {
        final long[] blocks = {Native.malloc((long) mib * MIB), Native.malloc((long) mib * MIB),
            Native.malloc((long) mib * MIB)};
        for (final long block : blocks) {
            final String reason = ownMapping(block) ? "block of malloc" : "to malloc|an arena of malloc";
            for (final long at : new long[] {0, (long) mib * MIB / 2, (long) (mib - 1) * MIB,
                (long) mib * MIB - PAGE}) {
                assertThat(whyNot(block + at, PAGE)).as("%d MiB, at %d", mib, at).containsPattern(reason);
                assertThat(whyNot(block + at, PAGE)).as("the second time").containsPattern(reason);
            }
        }
        for (final long block : blocks) {
            Native.free(block);
        }
    }

    /** {@code IS_MMAPPED} of glibc's {@code struct malloc_chunk}, whose last word is the one before the block. */
    private static boolean ownMapping(final long block) {
        return (Libc.directBuffer(block - Long.BYTES, Long.BYTES).getLong(0) & 2) != 0;
    }

    /** What locks or watches a part makes several mappings of the block. */
    @Test
    void theBlockIsFoundAcrossMappingsThatItWasSplitInto() {
        final long block = Native.malloc(80L * MIB);
        final long part = (block + 70L * MIB) & -PAGE;
        protect(part, 2 * PAGE, LibcConstants.PROT_READ);
        protect(part - 5 * PAGE, 2 * PAGE, LibcConstants.PROT_NONE);
        assertThat(whyNot(part + PAGE, 10)).contains("block of malloc");
        assertThat(whyNot(part + 3 * PAGE, 10)).contains("block of malloc");
        protect(part - 5 * PAGE, 2 * PAGE, MappingMachine.RW);
        protect(part, 2 * PAGE, MappingMachine.RW);
        Native.free(block);
    }

    @Test
    void aBlockThatBeginsWithinTheRangeIsFound() {
        final long mapping = MappingMachine.map(4L * PAGE);
        assertThat(whyNot(mapping, 4L * PAGE)).isNull();
        header(mapping + 2L * PAGE, PAGE);
        assertThat(whyNot(mapping, 2L * PAGE)).isNull();
        assertThat(whyNot(mapping, 3L * PAGE)).contains("block of malloc");
        assertThat(whyNot(mapping + 2L * PAGE, PAGE)).contains("block of malloc");
        assertThat(whyNot(mapping + 3L * PAGE, PAGE)).as("behind it").isNull();
        Libc.munmap(mapping, 4L * PAGE);
    }

    @Test
    void aBlockThatWasFoundAndIsGoneIsForgotten() {
        final long mapping = MappingMachine.map(4L * PAGE);
        header(mapping, 4L * PAGE);
        assertThat(whyNot(mapping + 3L * PAGE, PAGE)).contains("block of malloc");
        header(mapping, 0);
        assertThat(whyNot(mapping + 3L * PAGE, PAGE)).isNull();
        header(mapping + PAGE, PAGE);
        assertThat(whyNot(mapping + PAGE, PAGE)).contains("block of malloc");
        assertThat(whyNot(mapping + 3L * PAGE, PAGE)).isNull();
        Libc.munmap(mapping, 4L * PAGE);
    }

    /** The integers 0, 0, 2 and 1 read as the header of 4 GiB, of which most is not there. */
    @Test
    void whatWouldReachBeyondWhatIsMappedIsNoBlock() {
        final long mapping = MappingMachine.map(4L * PAGE);
        header(mapping, 1L << 32);
        assertThat(whyNot(mapping + 3L * PAGE, PAGE)).isNull();
        header(mapping, Long.MAX_VALUE & -PAGE);
        assertThat(whyNot(mapping + 3L * PAGE, PAGE)).isNull();
        Libc.munmap(mapping, 4L * PAGE);
    }

    private static void protect(final long address, final int length, final int rights) {
        final int result = Function.getFunction("c", "mprotect").invokeInt(new Object[] {new Pointer(address),
            new NativeLong(length), rights});
        assertThat(result).isZero();
    }

    private static void header(final long address, final long size) {
        Libc.directBuffer(address, 16).putLong(0, 0);
        Libc.directBuffer(address, 16).putLong(8, size == 0 ? 1 : size | 2);
    }

    @Test
    void largeMappingsAreWatchedDeepInside() {
        final long length = 512L * MIB;
        final long mapping = Libc.mmap(0, length, MappingMachine.RW, MappingMachine.ANONYMOUS, -1, 0);
        assertThat(whyNot(mapping + 500L * MIB, MIB)).isNull();
        assertThat(whyNot(mapping + 100, length - 100)).isNull();
        Libc.munmap(mapping, length);
    }

    @Test
    void whatIsTooFarFromTheBeginningIsRefused() {
        final long length = MallocBlocks.FARTHEST + 2L * MIB;
        final long mapping = Libc.mmap(0, length, MappingMachine.RW, MappingMachine.ANONYMOUS
            | LibcConstants.MAP_NORESERVE, -1, 0);
        assertThat(whyNot(mapping + length - PAGE, PAGE))
            .contains("it is not known", "MiB of private memory", "with a gap");
        assertThat(whyNot(mapping + MIB, PAGE)).isNull();
        Libc.munmap(mapping, length);
    }

    /** What is watched is not malloc's, so that nobody needs to look beyond it; as long as it is watched. */
    @Test
    void theSearchEndsAtWhatIsWatched() {
        final long length = MallocBlocks.FARTHEST + 2L * MIB;
        final long mapping = Libc.mmap(0, length, MappingMachine.RW, MappingMachine.ANONYMOUS
            | LibcConstants.MAP_NORESERVE, -1, 0);
        final long far = mapping + length - PAGE;
        final MappingGuard below = watch.watch(mapping + 100L * MIB, PAGE, NOBODY);
        assertThat(below.intact()).as(below.toString()).isTrue();
        assertThat(whyNot(far, PAGE)).isNull();
        assertThat(whyNot(mapping + 100L * MIB, 2L * PAGE)).isNull();
        header(mapping + 101L * MIB, length - 101L * MIB);
        assertThat(whyNot(far, PAGE)).contains("block of malloc");
        header(mapping + 101L * MIB, 0);
        below.close();
        assertThat(whyNot(far, PAGE)).contains("it is not known");
        Libc.munmap(mapping, length);
    }

    /** Pages of a readable mapping that cannot be read hide what is in them, and do not end the search. */
    @Test
    void whatCannotBeReadMayBeMallocs() {
        final long mapping = MappingMachine.map(8L * PAGE);
        header(mapping, 8L * PAGE);
        final String maps = String.format("%x-%x rw-p 00000000 00:00 0 \n", mapping, mapping + 8L * PAGE);
        protect(mapping + 3L * PAGE, PAGE, LibcConstants.PROT_NONE);
        assertThat(MappingAreas.of(maps).refusal(mapping + 5L * PAGE, mapping + 6L * PAGE))
            .contains("cannot be read");
        protect(mapping + 3L * PAGE, PAGE, MappingMachine.RW);
        assertThat(MappingAreas.of(maps).refusal(mapping + 5L * PAGE, mapping + 6L * PAGE))
            .contains("block of malloc");
        Libc.munmap(mapping, 8L * PAGE);
    }

    @Test
    void anUnknownMallocMakesAllPrivateMemoryItsOwn() {
        assertThat(MallocProbe.refusal(null, address -> true)).isNull();
        assertThat(MallocProbe.refusal("glibc.malloc.arena_max=2", address -> true)).isNull();
        assertThat(MallocProbe.refusal("glibc.malloc.hugetlb=2", address -> true)).contains("hugepages");
        assertThat(MallocProbe.refusal(null, address -> false)).contains("only shared mappings are watched");
        assertThat(MallocProbe.refusal(null, address -> address % PAGE == 16)).as("the end of a block")
            .contains("only shared mappings are watched");
    }
}
