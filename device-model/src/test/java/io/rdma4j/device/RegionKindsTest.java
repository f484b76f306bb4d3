/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.device.raw.RawPair.ALL;
import static io.rdma4j.hw.pvrdma.AccessFlags.PVRDMA_ZERO_BASED;
import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SIGNALED;
import static io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_LOC_PROT_ERR;
import static io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_REM_ACCESS_ERR;
import static io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_SUCCESS;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateMrRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateMrResponse;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Regions that count from 0, and regions of more pages than one directory reaches. */
class RegionKindsTest {
    private static final int EINVAL = -22;
    private static final int ENOMEM = -12;
    private static final int EFAULT = -14;
    /** One page more than a directory reaches, and a table more. */
    private static final int LARGE = Pdir.MAX_PAGES + 513;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 123, 4095})
    void countsFrom0WhateverItsPlaceInThePage(int offset) {
        try (RawPair pair = RawPair.connected("emulated:zerobased")) {
            final RawRegion region = pair.driver.register(pair.driver.pd, 9000, offset, ALL | PVRDMA_ZERO_BASED);
            assertThat(pair.write(0, 9000, region.rkey)).isEqualTo(PVRDMA_WC_SUCCESS);
            assertThat(region.bytes(0, 9000)).isEqualTo(pair.from.bytes(0, 9000));
            pair.b.receive(1, pair.to.start(), 9000, pair.to.lkey);
            pair.a.send(2, 100, 8900, region.lkey);
            assertThat(pair.cqB.await().status()).isEqualTo(PVRDMA_WC_SUCCESS);
            assertThat(pair.to.bytes(0, 8900)).isEqualTo(pair.from.bytes(100, 8900));
            pair.cqA.await();

            assertThat(pair.write(8999, 1, region.rkey)).isEqualTo(PVRDMA_WC_SUCCESS);
            assertThat(pair.write(9000, 1, region.rkey)).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
            pair.restart();
            assertThat(pair.write(-1, 1, region.rkey)).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
            pair.restart();
            assertThat(pair.write(-1, 2, region.rkey)).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
            pair.restart();
            assertThat(pair.write(region.start(), 1, region.rkey)).as("its address in the process")
                .isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
            pair.restart();
            pair.a.send(2, region.start(), 1, region.lkey);
            assertThat(pair.cqA.await().status()).isEqualTo(PVRDMA_WC_LOC_PROT_ERR);
        }
    }

    /** A directory of three levels whose pages are all the same one, but for the last. */
    private static long directory(RawDriver driver, long common, long last) {
        final DmaMemory same = driver.page();
        for (int i = 0; i < Pdir.ENTRIES; i++) {
            same.buffer().putLong(i * 8, common);
        }
        final DmaMemory end = driver.page();
        end.buffer().putLong(0, last);
        final DmaMemory root = driver.page();
        final DmaMemory first = driver.page();
        final DmaMemory second = driver.page();
        root.buffer().putLong(0, first.iova());
        root.buffer().putLong(8, second.iova());
        for (int i = 0; i < Pdir.ENTRIES; i++) {
            first.buffer().putLong(i * 8, same.iova());
        }
        second.buffer().putLong(0, same.iova());
        second.buffer().putLong(8, end.iova());
        return root.iova();
    }

    private static int create(RawDriver driver, long pdir, long start, long length, int pages) {
        return driver.run(Command.CREATE_MR, b -> new CreateMrRequest().wrap(b, 0)
            .set(CreateMrRequest.PD_HANDLE, driver.pd).set(CreateMrRequest.START, start)
            .set(CreateMrRequest.LENGTH, length).set(CreateMrRequest.ACCESS_FLAGS, ALL)
            .set(CreateMrRequest.PDIR_DMA, pdir).set(CreateMrRequest.NCHUNKS, pages));
    }

    @Test
    void reachesMoreThanOneDirectoryDoes() {
        try (RawPair pair = RawPair.connected("emulated:large")) {
            final RawDriver driver = pair.driver;
            final DmaMemory common = driver.page();
            final DmaMemory last = driver.page();
            final long start = 0x7000_0000_0000L;
            final long length = (long) LARGE * Pdir.PAGE_SIZE;
            assertThat(create(driver, directory(driver, common.iova(), last.iova()), start, length, LARGE)).isZero();
            final CreateMrResponse created = new CreateMrResponse().wrap(driver.response.buffer(), 0);
            final int rkey = created.get(CreateMrResponse.RKEY);
            final int lkey = created.get(CreateMrResponse.LKEY);

            assertThat(pair.write(start + length - 4096 - 100, 200, rkey)).isEqualTo(PVRDMA_WC_SUCCESS);
            for (int i = 0; i < 100; i++) {
                assertThat(common.buffer().getByte(3996 + i)).isEqualTo(pair.from.get(i));
                assertThat(last.buffer().getByte(i)).isEqualTo(pair.from.get(100 + i));
            }
            pair.a.post(w -> w.send(3, WrOpcode.PVRDMA_WR_RDMA_WRITE, PVRDMA_SEND_SIGNALED)
                .rdma(pair.to.start(), pair.to.rkey).sge(start + (3L << 28) + 3996, 100, lkey)
                .sge(start + length - 4096, 100, lkey));
            assertThat(pair.cqA.await().status()).isEqualTo(PVRDMA_WC_SUCCESS);
            assertThat(pair.to.bytes(0, 200)).isEqualTo(pair.from.bytes(0, 200));
            assertThat(pair.write(start + length - 1, 2, rkey)).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
        }
    }

    @Test
    void copiesWholeMessagesAcrossTheFirstGibibyte() {
        try (RawPair pair = RawPair.connected("emulated:largecopy")) {
            final RawDriver driver = pair.driver;
            final DmaMemory common = driver.page();
            final DmaMemory last = driver.page();
            assertThat(create(driver, directory(driver, common.iova(), last.iova()), 0, (long) LARGE << 12, LARGE))
                .isZero();
            final int rkey = new CreateMrResponse().wrap(driver.response.buffer(), 0).get(CreateMrResponse.RKEY);
            for (long at = (1L << 30) - 8192; at <= (1L << 30) + 4096; at += 4096) {
                pair.from.putLong(0, at);
                assertThat(pair.write(at, 8, rkey)).isEqualTo(PVRDMA_WC_SUCCESS);
                assertThat(common.buffer().getLong(0)).isEqualTo(at);
            }
        }
    }

    @Test
    void checksEachLevelOfALargeDirectory() {
        try (RawPair pair = RawPair.connected("emulated:largebad")) {
            final RawDriver driver = pair.driver;
            final long length = (long) LARGE * Pdir.PAGE_SIZE;
            final long page = driver.page().iova();
            assertThat(create(driver, 0, 0, length, LARGE)).isEqualTo(EINVAL);
            assertThat(create(driver, driver.page().iova(), 0, length, LARGE)).as("root empty").isEqualTo(EINVAL);
            assertThat(create(driver, 0x7777_7000L, 0, length, LARGE)).isEqualTo(EFAULT);
            assertThat(create(driver, directory(driver, page, 0), 0, length, LARGE)).isEqualTo(EINVAL);
            assertThat(create(driver, directory(driver, page, page + 8), 0, length, LARGE)).isEqualTo(EINVAL);
            assertThat(create(driver, directory(driver, page, 0x7777_7000L), 0, length, LARGE)).isEqualTo(EFAULT);
            final long good = directory(driver, page, page);
            assertThat(create(driver, good, 0, length, LARGE - 1)).isEqualTo(EINVAL);
            assertThat(create(driver, good, 0, length, -1)).isEqualTo(EINVAL);
            assertThat(create(driver, good, 0, length + 1, LARGE)).isEqualTo(EINVAL);
            assertThat(create(driver, good, 0, 512L << 30 | 1, Pdir.LARGE_MAX_PAGES + 1)).isEqualTo(EINVAL);
            assertThat(create(driver, good, -4096, length, LARGE)).as("wraps around").isEqualTo(EINVAL);
            assertThat(create(driver, good, 0, length, LARGE)).isZero();
        }
    }

    @Test
    void refusesATableThatWouldTakeTheHeapOfTheProcess() {
        try (RawPair pair = RawPair.connected("emulated:largest")) {
            final RawDriver driver = pair.driver;
            final long page = driver.page().iova();
            final long root = directory(driver, page, page);
            assertThat(create(driver, root, 0, 512L << 30, Pdir.LARGE_MAX_PAGES)).as("all pages are the same one")
                .isEqualTo(ENOMEM);
        }
    }

    @Test
    void aDeviceWithoutExtensionsHasOneDirectory() {
        try (RawPair pair = RawPair.connected("emulated:small?extensions=false")) {
            final RawDriver driver = pair.driver;
            final long page = driver.page().iova();
            assertThat(create(driver, directory(driver, page, page), 0, (long) LARGE * Pdir.PAGE_SIZE, LARGE))
                .isEqualTo(EINVAL);
        }
    }
}
