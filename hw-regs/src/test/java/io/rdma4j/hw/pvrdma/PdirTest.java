/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PdirTest {

    @Test
    void reachesOneGibibyte() {
        assertThat(Pdir.PAGE_SIZE).isEqualTo(4096).isEqualTo(1 << Pdir.PAGE_SHIFT);
        assertThat(Pdir.ENTRIES * Pdir.ENTRY_LENGTH).as("a table is a page").isEqualTo(4096);
        assertThat(Pdir.MAX_PAGES).isEqualTo(262_144);
        assertThat((long) Pdir.MAX_PAGES * Pdir.PAGE_SIZE).isEqualTo(1L << 30);
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 0", "1, 0, 1", "511, 0, 511", "512, 1, 0", "513, 1, 1", "1023, 1, 511", "262143, 511, 511"})
    void splitsPageNumbers(int page, int dir, int table) {
        assertThat(Pdir.dirIndex(page)).isEqualTo(dir);
        assertThat(Pdir.tableIndex(page)).isEqualTo(table);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1", "511, 1", "512, 1", "513, 2", "1024, 2", "1025, 3", "262143, 512", "262144, 512"})
    void countsTables(int npages, int tables) {
        assertThat(Pdir.tables(npages)).isEqualTo(tables);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 262_145, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void refusesMorePagesThanADirectoryReaches(int npages) {
        assertThatThrownBy(() -> Pdir.tables(npages)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(String.valueOf(npages)).hasMessageContaining("262144");
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 0, 0", "262143, 0, 511, 511", "262144, 1, 0, 0", "262145, 1, 0, 1", "262656, 1, 1, 0",
        "134217727, 511, 511, 511"})
    void splitsPageNumbersOfThreeLevels(int page, int root, int dir, int table) {
        assertThat(Pdir.rootIndex(page)).isEqualTo(root);
        assertThat(Pdir.dirIndex(page)).isEqualTo(dir);
        assertThat(Pdir.tableIndex(page)).isEqualTo(table);
    }

    @ParameterizedTest
    @CsvSource({"0, false, 0, 0", "1, false, 1, 1", "262144, false, 1, 512", "262145, true, 2, 513",
        "524288, true, 2, 1024", "134217728, true, 512, 262144"})
    void countsDirectoriesAndTablesOfThreeLevels(int npages, boolean large, int directories, int tables) {
        assertThat(Pdir.isLarge(npages)).isEqualTo(large);
        assertThat(Pdir.directories(npages)).isEqualTo(directories);
        assertThat(Pdir.largeTables(npages)).isEqualTo(tables);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 134_217_729, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void refusesMorePagesThanARootPageReaches(int npages) {
        assertThat((long) Pdir.LARGE_MAX_PAGES * Pdir.PAGE_SIZE).isEqualTo(512L << 30);
        assertThatThrownBy(() -> Pdir.largeTables(npages)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(String.valueOf(npages)).hasMessageContaining("134217728");
        assertThatThrownBy(() -> Pdir.directories(npages)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(String.valueOf(npages)).hasMessageContaining("134217728");
    }

    @ParameterizedTest(name = "{0} + {1}: {2} pages")
    @CsvSource({
        "0x141200, 10000, 3",
        "0x141000, 8192, 2",
        "0x141000, 8193, 3",
        "0x141fff, 1, 1",
        "0x141fff, 2, 2",
        "0x141000, 0, 0",
        "0x141fff, 0, 0",
        "0x141000, 1, 1",
        "0x141001, 4096, 2",
        "0x141001, 4095, 1",
        "0x0, 0x40000000, 262144",
        "0x1, 0x40000000, 262145",
        "0x0, 0x7fffffffffffffff, 2251799813685248",
        "0xfff, 0x7fffffffffffffff, 2251799813685249",
    })
    void countsThePagesThatARangeTouches(String addr, String len, long pages) {
        assertThat(Pdir.pagesSpanned(Long.decode(addr), Long.decode(len))).isEqualTo(pages);
    }

    @Test
    void takesAddressesAsUnsigned() {
        assertThat(Pdir.pagesSpanned(0x7fff_ffff_ffff_f800L, 4096)).isEqualTo(2);
        assertThat(Pdir.pagesSpanned(0xffff_ffff_ffff_f000L, 4096)).as("the last page of all").isEqualTo(1);
        assertThat(Pdir.pagesSpanned(-1L, 1)).as("the last byte of all").isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"0xfffffffffffff000, 4097", "-1, 2", "0, -1", "4096, -9223372036854775808"})
    void refusesWhatIsNoRange(String addr, String len) {
        final long address = addr.startsWith("0x") ? Long.parseUnsignedLong(addr.substring(2), 16) : Long.decode(addr);
        assertThatThrownBy(() -> Pdir.pagesSpanned(address, Long.decode(len)))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(Long.toHexString(address)).hasMessageContaining(len);
    }
}
