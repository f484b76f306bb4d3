/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.SharedFile;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostMemoryTest {
    private static final int MIB = 1 << 20;

    private final FakeSource source = new FakeSource();
    private final List<String> warnings = new ArrayList<>();
    private int collections;
    private final HostMemory.StepsDown stepsDown = new HostMemory.StepsDown(warnings::add);

    /** Has what it is told to have. */
    private static final class FakeSource implements PageSource {
        private final Set<PageKind> missing = EnumSet.noneOf(PageKind.class);
        private final List<PageKind> asked = new ArrayList<>();
        private int comesBackAfter;
        private long retired;
        private long retiredEver;
        private long free;
        private PageKind instead;
        private int errno = RdmaException.ENOMEM;

        @Override
        public HostBlock allocate(final PageKind kind, final int length) {
            asked.add(kind);
            if (missing.contains(kind) && (comesBackAfter == 0 || --comesBackAfter > 0)) {
                throw RdmaException.of("take " + kind).errno(errno).build();
            }
            final HostBlock block = JvmPages.INSTANCE.allocate(kind, length);
            return new HostBlock(block.memory(), kind.roundUp(length), instead == null ? kind : instead, () -> { });
        }

        @Override
        public HostBlock allocateShared(final PageKind kind, final int length) {
            final HostBlock block = allocate(kind, length);
            return new HostBlock(block.memory(), block.mappedLength(), block.pages(), () -> { },
                new SharedFile(kind.ordinal(), 0));
        }

        @Override
        public String advice(final PageKind kind, final long length) {
            return "get more of " + kind;
        }

        @Override
        public long retiredBytes(final PageKind kind) {
            return retired;
        }

        @Override
        public long retiredEver(final PageKind kind) {
            return retiredEver;
        }

        @Override
        public long freeBytes(final PageKind kind) {
            return free;
        }

        private void retire(final long bytes) {
            retired += bytes;
            retiredEver += bytes;
        }
    }

    private HostBlock allocate(final PagePreference preference, final long length) {
        return memory(preference).allocate(length, "test:");
    }

    private HostMemory memory(final PagePreference preference) {
        return new HostMemory(preference, source, stepsDown, () -> collections++);
    }

    @ParameterizedTest
    @CsvSource({
        "AUTO, 1, KB4", "AUTO, 2097152, MB2", "AUTO, 2093057, MB2", "AUTO, 2093056, KB4",
        "MB2, 4096, KB4", "MB2, 3000000, MB2", "THP, 3000000, THP", "THP, 1000000, KB4",
        "KB4, 3000000, KB4", "GB1, 3000000, MB2", "GB1, 1000, KB4"})
    void takesPagesThatTheMemoryFills(final PagePreference preference, final long length, final PageKind kind) {
        final HostBlock block = allocate(preference, length);

        assertThat(block.pages()).isEqualTo(kind);
        assertThat((long) block.memory().capacity()).isEqualTo(length + 4095 & -4096);
        assertThat(source.asked).containsExactly(kind);
        assertThat(warnings).isEmpty();
    }

    @Test
    void littleMemoryThatMustStayTakesAHugePage() {
        final HostMemory host = new HostMemory(PagePreference.AUTO, true, source, stepsDown, () -> { });
        assertThat(host.allocate(4096, null).pages()).isEqualTo(PageKind.MB2);
        assertThat(host.allocateShared(4096, null).pages()).isEqualTo(PageKind.MB2);
        source.missing.add(PageKind.MB2);
        assertThat(host.allocate(4096, null).pages()).isEqualTo(PageKind.KB4);
        assertThat(warnings).singleElement().asString().contains("no 2 MiB hugepages, taking 4 KiB pages instead");
    }

    @Test
    void wantsGigabytePagesOnlyForGigabytes() {
        assertThat(PagePreference.GB1.kindsFor(1L << 30, false))
            .containsExactly(PageKind.GB1, PageKind.MB2, PageKind.THP, PageKind.KB4);
        assertThat(PagePreference.AUTO.kindsFor(1L << 30, false)).doesNotContain(PageKind.GB1);
        assertThat(PagePreference.AUTO.sharedKindsFor(4096, true)).as("that must not move")
            .containsExactly(PageKind.MB2, PageKind.KB4);
        assertThat(PagePreference.KB4.kindsFor(1L << 30, true)).containsExactly(PageKind.KB4);
    }

    /** Small pages that others can see are of more use than large ones that they cannot. */
    @ParameterizedTest
    @CsvSource({"AUTO, MB2 KB4", "MB2, MB2 KB4", "THP, THP", "KB4, KB4"})
    void sharedMemoryIsOfTransparentPagesOnlyIfTheyAreAskedFor(final PagePreference preference, final String kinds) {
        source.missing.add(PageKind.MB2);

        final HostBlock block = memory(preference).allocateShared(4 * MIB - 1, "test:");

        assertThat(block.shared()).contains(new SharedFile(block.pages().ordinal(), 0));
        assertThat(block.memory().capacity()).isEqualTo(4 * MIB);
        assertThat(source.asked).extracting(PageKind::name).containsExactly(kinds.split(" "));
        assertThatThrownBy(() -> memory(preference).allocateShared(0, "test:")).hasMessageContaining("length 0");
    }

    @Test
    void warnsOnceAtEachStepDown() {
        source.missing.addAll(List.of(PageKind.MB2, PageKind.THP));

        assertThat(allocate(PagePreference.AUTO, 4 * MIB).pages()).isEqualTo(PageKind.KB4);
        assertThat(allocate(PagePreference.AUTO, 4 * MIB).pages()).isEqualTo(PageKind.KB4);

        assertThat(source.asked).containsExactly(PageKind.MB2, PageKind.THP, PageKind.KB4, PageKind.MB2, PageKind.THP,
            PageKind.KB4);
        assertThat(warnings).containsExactly(
            "no 2 MiB hugepages, taking transparent hugepages instead: take 2 MiB hugepages failed [ENOMEM]; "
                + "get more of 2 MiB hugepages (said once)",
            "no transparent hugepages, taking 4 KiB pages instead: take transparent hugepages failed [ENOMEM]; "
                + "get more of transparent hugepages (said once)");
    }

    @Test
    void saysSoWhenThereIsNoMemoryAtAll() {
        source.missing.addAll(EnumSet.allOf(PageKind.class));

        assertThatThrownBy(() -> allocate(PagePreference.AUTO, 4 * MIB))
            .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(RdmaException.ENOMEM))
            .hasMessageContaining("allocate DMA memory failed on 'test:': 4 MiB of 4 KiB pages")
            .hasMessageContaining("get more of 4 KiB pages");
    }

    @Test
    void waitsForTheCollectorWhereClosedMemoryMayComeBack() {
        source.missing.add(PageKind.MB2);
        source.comesBackAfter = 4;
        source.retire(4 * MIB);

        assertThat(allocate(PagePreference.AUTO, 4 * MIB).pages()).isEqualTo(PageKind.MB2);
        assertThat(source.asked).hasSize(4);
        assertThat(collections).as("one finds all that there is to find").isEqualTo(1);
        assertThat(warnings).isEmpty();
    }

    @Test
    void waitsAlsoInAThreadThatWasInterrupted() {
        source.missing.add(PageKind.MB2);
        source.comesBackAfter = 4;
        source.retire(4 * MIB);

        Thread.currentThread().interrupt();
        assertThat(allocate(PagePreference.AUTO, 4 * MIB).pages()).isEqualTo(PageKind.MB2);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void asksForACollectionAgainOnlyWhenMoreWasRetired() {
        source.missing.add(PageKind.MB2);
        source.retire(4 * MIB);
        final HostMemory memory = memory(PagePreference.MB2);

        for (int i = 0; i < 3; i++) {
            assertThat(memory.allocate(2 * MIB, null).pages()).isEqualTo(PageKind.THP);
        }
        assertThat(collections).as("somebody holds what was retired").isEqualTo(1);
        final int asked = source.asked.size();
        assertThat(memory.allocate(2 * MIB, null).pages()).isEqualTo(PageKind.THP);
        assertThat(source.asked).as("no waiting either").hasSize(asked + 2);

        source.retire(2 * MIB);
        memory.allocate(2 * MIB, null);
        assertThat(collections).isEqualTo(2);
    }

    @Test
    void asksForNoCollectionThatCannotHelp() {
        source.missing.add(PageKind.MB2);
        source.retire(2 * MIB);
        source.free = 2 * MIB;

        assertThat(allocate(PagePreference.MB2, 5 * MIB).pages()).isEqualTo(PageKind.THP);
        assertThat(collections).as("retired and free are 4 MiB, 6 are needed").isZero();
        source.errno = RdmaException.EOPNOTSUPP;
        assertThat(allocate(PagePreference.MB2, 4 * MIB).pages()).isEqualTo(PageKind.THP);
        assertThat(collections).as("no shortage").isZero();
        source.errno = 28;
        assertThat(allocate(PagePreference.MB2, 4 * MIB).pages()).isEqualTo(PageKind.THP);
        assertThat(collections).as("ENOSPC is what fallocate says").isEqualTo(1);
    }

    @Test
    void saysOnceThatTheKernelGaveSmallPages() {
        source.instead = PageKind.KB4;

        assertThat(allocate(PagePreference.THP, 4 * MIB).pages()).isEqualTo(PageKind.KB4);
        assertThat(allocate(PagePreference.THP, 4 * MIB).pages()).isEqualTo(PageKind.KB4);

        assertThat(source.asked).containsExactly(PageKind.THP, PageKind.THP);
        assertThat(warnings).hasSize(1);
        assertThat(warnings.get(0)).startsWith("no transparent hugepages, taking 4 KiB pages instead: the kernel put "
            + "small pages under some of 4 MiB").endsWith("(said once)");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Integer.MAX_VALUE, Long.MAX_VALUE, Long.MIN_VALUE})
    void refusesLengthsOutOfRange(final long length) {
        assertThatThrownBy(() -> allocate(PagePreference.AUTO, length))
            .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(RdmaException.EINVAL))
            .hasMessageContaining(Long.toString(length));
        assertThat(source.asked).isEmpty();
    }

    @Test
    void readsTheOptionOfAnAddress() {
        assertThat(PagePreference.parse("auto")).isEqualTo(PagePreference.AUTO);
        assertThat(PagePreference.parse("1g")).isEqualTo(PagePreference.GB1);
        assertThat(PagePreference.parse("2M")).isEqualTo(PagePreference.MB2);
        assertThat(PagePreference.parse("THP")).isEqualTo(PagePreference.THP);
        assertThat(PagePreference.parse("4k")).isEqualTo(PagePreference.KB4);
        assertThatThrownBy(() -> PagePreference.parse("3M")).hasMessageContaining("pages=3M")
            .hasMessageContaining("auto, 1G, 2M, thp, 4K");
    }
}
