/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.device.common.CommandError;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateMrRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateMrResponse;

import java.util.List;

import org.junit.jupiter.api.Test;

class TableRoomTest {
    private final TableRoom.Pool pool = new TableRoom.Pool(1_000);
    private final TableRoom first = new TableRoom(pool);
    private final TableRoom second = new TableRoom(pool);

    @Test
    void aDeviceHasAtMostHalfOfWhatOthersLeave() {
        first.take(499);
        assertThatThrownBy(() -> first.take(2)).isInstanceOf(CommandError.class)
            .hasMessageContainingAll("2 words", "499", "may have 500", "of 1000", "-Xmx")
            .satisfies(error -> assertThat(((CommandError) error).errno()).isEqualTo(CommandError.ENOMEM));
        first.take(1);
        assertThatThrownBy(() -> second.take(251)).isInstanceOf(CommandError.class);
        second.take(250);
        assertThat(pool.taken()).isEqualTo(750);
        // More than its share by now: it keeps what it has, and gets nothing.
        assertThatThrownBy(() -> first.take(1)).isInstanceOf(CommandError.class).hasMessageContaining("may have 500");
        first.take(0);
    }

    @Test
    void whatIsGivenBackIsThereAgain() {
        first.take(500);
        second.take(250);
        first.give(400);
        assertThat(first.own()).isEqualTo(100);
        assertThat(pool.taken()).isEqualTo(350);
        second.take(200);
        assertThatThrownBy(() -> second.take(1)).isInstanceOf(CommandError.class).hasMessageContaining("may have 450");
        first.give(100);
        second.give(450);
        assertThat(pool.taken()).isZero();
        second.take(500);
    }

    /** Two pages one way round, and the other: one of the two regions has its pages in a row, at most. */
    @Test
    void regionsOfScatteredPagesTakeSomeAndGiveItBack() {
        try (RawDriver driver = RawDriver.ready("emulated:table-room")) {
            driver.registerInOne(3 * 4096, AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE);
            assertThat(driver.device().describe()).doesNotContain("tables of regions");
            final long one = driver.page().iova();
            final long other = driver.page().iova();
            final List<Integer> handles = List.of(create(driver, one, other), create(driver, other, one));
            assertThat(driver.device().describe()).containsPattern("tables of regions \\d+ words");
            for (final int handle : handles) {
                assertThat(driver.destroy(Command.DESTROY_MR, handle)).isZero();
            }
            assertThat(driver.device().describe()).doesNotContain("tables of regions");
        }
    }

    private static int create(final RawDriver driver, final long... pages) {
        final long pdir = driver.pdir(pages);
        return new CreateMrResponse().wrap(driver.ok(Command.CREATE_MR, b -> new CreateMrRequest().wrap(b, 0)
            .set(CreateMrRequest.PD_HANDLE, driver.pd).set(CreateMrRequest.START, 4096)
            .set(CreateMrRequest.LENGTH, 4096 * pages.length).set(CreateMrRequest.NCHUNKS, pages.length)
            .set(CreateMrRequest.ACCESS_FLAGS, AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE)
            .set(CreateMrRequest.PDIR_DMA, pdir)), 0).get(CreateMrResponse.MR_HANDLE);
    }
}
