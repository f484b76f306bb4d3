/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.device.raw.RawPair.ALL;
import static io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_REM_ACCESS_ERR;
import static io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_SUCCESS;
import static io.rdma4j.hw.pvrdma.cmd.CreateMrResponse.*;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.device.raw.RawWindow;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateMrRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateMrResponse;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys cannot be guessed, and a key that was given back names nothing for long. */
class KeysTest {

    private static CreateMrResponse create(RawDriver driver, long pdir) {
        return new CreateMrResponse().wrap(driver.ok(Command.CREATE_MR, b -> new CreateMrRequest().wrap(b, 0)
            .set(CreateMrRequest.PD_HANDLE, driver.pd).set(CreateMrRequest.START, 4096)
            .set(CreateMrRequest.LENGTH, 4096).set(CreateMrRequest.ACCESS_FLAGS, ALL)
            .set(CreateMrRequest.PDIR_DMA, pdir).set(CreateMrRequest.NCHUNKS, 1)), 0);
    }

    private static void addNew(Set<Integer> keys, int key, int number) {
        if (!keys.add(key)) {
            throw new AssertionError(String.format("key 0x%x of number %d was there before", key, number));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"max_mr=1", "max_mr=1&max_mw=0", "max_mr=2", "max_mr=100", "max_mr=262144"})
    void noKeyComesBackSoon(String limit) {
        try (RawDriver driver = RawDriver.ready("emulated:keys?" + limit)) {
            final long pdir = driver.pdir(driver.page().iova());
            final Set<Integer> lkeys = new HashSet<>();
            final Set<Integer> rkeys = new HashSet<>();
            for (int i = 0; i < 20_000; i++) {
                final CreateMrResponse created = create(driver, pdir);
                addNew(lkeys, created.get(LKEY), i);
                addNew(rkeys, created.get(RKEY), i);
                assertThat(driver.destroy(Command.DESTROY_MR, created.get(MR_HANDLE))).isZero();
            }
        }
    }

    @Test
    void noKeyComesBackSoonInATableThatIsNearlyFull() {
        try (RawDriver driver = RawDriver.ready("emulated:fullkeys?max_mr=262144&max_mw=0")) {
            final long pdir = driver.pdir(driver.page().iova());
            for (int i = 0; i < (1 << 18) - 1; i++) {
                create(driver, pdir);
            }
            final Set<Integer> rkeys = new HashSet<>();
            for (int i = 0; i < 15_000; i++) {
                final CreateMrResponse created = create(driver, pdir);
                addNew(rkeys, created.get(RKEY), i);
                assertThat(driver.destroy(Command.DESTROY_MR, created.get(MR_HANDLE))).isZero();
            }
        }
    }

    @Test
    void noKeyOfAWindowComesBackSoon() {
        try (RawDriver driver = RawDriver.ready("emulated:windowkeys?max_mr=1&max_mw=1")) {
            final Set<Integer> upper = new HashSet<>();
            for (int i = 0; i < 20_000; i++) {
                final RawWindow window = driver.createMw(1 + i % 2);
                addNew(upper, window.rkey >>> 8, i);
                assertThat(driver.destroy(Command.DESTROY_MW, window.handle)).isZero();
            }
        }
    }

    @Test
    void neighboursHaveNothingInCommon() {
        try (RawDriver driver = RawDriver.ready("emulated:neighbours")) {
            final long pdir = driver.pdir(driver.page().iova());
            final Set<Integer> steps = new HashSet<>();
            int last = 0;
            for (int i = 0; i < 1000; i++) {
                final CreateMrResponse created = create(driver, pdir);
                assertThat(created.get(RKEY)).isNotEqualTo(created.get(LKEY));
                assertThat(Math.abs((long) created.get(RKEY) - last)).as("step %d", i).isGreaterThan(0xff);
                steps.add((created.get(RKEY) >>> 8) - (last >>> 8));
                last = created.get(RKEY);
            }
            assertThat(steps).as("different steps from key to key").hasSizeGreaterThan(30);
        }
    }

    @Test
    void differFromRunToRun() {
        final Set<Integer> first = new HashSet<>();
        for (int i = 0; i < 8; i++) {
            try (RawDriver driver = RawDriver.ready("emulated:rerun")) {
                first.add(create(driver, driver.pdir(driver.page().iova())).get(RKEY));
            }
        }
        assertThat(first).hasSizeGreaterThan(6);
    }

    @Test
    void guessesFail() {
        try (RawPair pair = RawPair.connected("emulated:guesses")) {
            for (int i = 0; i < 500; i++) {
                pair.driver.register(64, ALL);
            }
            final Random random = new Random(42);
            for (int i = 0; i < 3000; i++) {
                final int guess = switch (i % 4) {
                    case 0 -> pair.to.rkey + random.nextInt(2000) + 1;
                    case 1 -> pair.to.rkey ^ 1 << random.nextInt(32);
                    case 2 -> i;
                    default -> random.nextInt();
                };
                assertThat(pair.write(pair.to.start(), 1, guess)).as("key 0x%x", guess)
                    .isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
                pair.restart();
            }
            assertThat(pair.write(pair.to.start(), 1, pair.to.rkey)).isEqualTo(PVRDMA_WC_SUCCESS);
        }
    }

    @Test
    void theKeyOfAClosedRegionReachesNoneOfThoseAfterIt() {
        try (RawPair pair = RawPair.connected("emulated:closed?max_mr=3")) {
            final RawRegion closed = pair.driver.register(4096, ALL);
            assertThat(pair.write(closed.start(), 1, closed.rkey)).isEqualTo(PVRDMA_WC_SUCCESS);
            assertThat(pair.driver.destroy(Command.DESTROY_MR, closed.handle)).isZero();
            for (int i = 0; i < 50; i++) {
                final RawRegion next = pair.driver.register(4096, ALL);
                assertThat(pair.write(next.start(), 1, closed.rkey)).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
                pair.restart();
                assertThat(pair.driver.destroy(Command.DESTROY_MR, next.handle)).isZero();
            }
        }
    }
}
