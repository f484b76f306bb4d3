/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.sysfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where pages are in the machine, by a made-up pagemap. */
class PageMapTest {
    private static final int PAGE = 4096;

    @TempDir
    private Path folder;

    @Test
    void framesOfAProcess() throws IOException {
        final Path file = folder.resolve("pagemap");
        final ByteBuffer words = ByteBuffer.allocate(20_000 * Long.BYTES).order(ByteOrder.nativeOrder());
        for (int page = 0; page < 20_000; page++) {
            words.putLong(1L << 63 | 1L << 61 | 1L << 56 | (page + 7L));
        }
        Files.write(file, words.array());
        try (PageMap map = new PageMap(file, PAGE)) {
            final List<Long> wrong = new ArrayList<>();
            for (long page = 1; page < 20_000; page++) {
                if (map.physical(page * PAGE + 5) != (page + 7) * PAGE + 5) {
                    wrong.add(page);
                }
            }
            assertThat(wrong).isEmpty();
            assertThat(map.physical(3 * PAGE)).as("backwards").isEqualTo(10 * PAGE);
            assertThat(map.physical(20_000L * PAGE)).as("behind the end").isEqualTo(PageMap.ABSENT);
            assertThat(map.physical(0)).isEqualTo(PageMap.ABSENT);
            assertThat(map.physical(-PAGE)).isEqualTo(PageMap.ABSENT);
            assertThat(map.physical(Long.MAX_VALUE)).isEqualTo(PageMap.ABSENT);
            assertThat(map.refusal()).isNull();
        }
    }

    @Test
    void frameZeroMeansNoRightAndNobodyAsksAgain() throws IOException {
        final Path file = folder.resolve("pagemap");
        final ByteBuffer words = ByteBuffer.allocate(3 * Long.BYTES).order(ByteOrder.nativeOrder());
        words.putLong(0).putLong(1L << 63).putLong(1L << 63 | 9);
        Files.write(file, words.array());
        try (PageMap map = new PageMap(file, PAGE)) {
            assertThat(map.physical(PAGE)).isEqualTo(PageMap.NO_RIGHT);
            assertThat(map.refusal()).contains("no right to see physical addresses", "CAP_SYS_ADMIN");
            assertThat(map.physical(2 * PAGE)).isEqualTo(PageMap.NO_RIGHT);
        }
    }
}
