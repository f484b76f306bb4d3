/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.edu;

import static io.rdma4j.qemu.edu.Claims.require;
import static io.rdma4j.qemu.edu.Claims.requireRefusal;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.Bar;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.driver.pci.InterruptVector;
import io.rdma4j.driver.pci.Interrupts;
import io.rdma4j.driver.pci.PciDevice;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * What edu cannot show. QEMU's {@code rocker} has MSI-X, and a register that makes any vector fire;
 * {@code pci-testdev} has a window of I/O ports, which cannot be mapped.
 */
final class OtherDeviceClaims {
    static final String ROCKER = "0000:00:" + EduMain.ROCKER_SLOT + ".0";
    static final String TESTDEV = "0000:00:" + EduMain.TESTDEV_SLOT + ".0";

    private static final int ROCKER_TEST_REG = 0x0010;
    private static final int ROCKER_TEST_IRQ = 0x0020;
    private static final int ROCKER_TEST_DMA_ADDR = 0x0028;
    private static final int ROCKER_TEST_DMA_SIZE = 0x0030;
    private static final int ROCKER_TEST_DMA_CTRL = 0x0034;
    private static final int ROCKER_TEST_DMA_CTRL_FILL = 1 << 1;
    private static final byte ROCKER_FILL = (byte) 0x96;
    private static final int ROCKER_MSIX_VEC_TEST = 2;

    /** In pci-testdev, once a test is selected at offset 0: its name. */
    private static final int NAME_OFFSET = 16;
    private static final int MMIO = 'm' | 'm' << 8 | 'i' << 16 | 'o' << 24;
    private static final int PORT = 'p' | 'o' << 8 | 'r' << 16 | 't' << 24;

    private static final int PAGE = 4096;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long NOTHING_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final Claims claims;

    OtherDeviceClaims(final Claims claims) {
        this.claims = claims;
    }

    void runAll() {
        claims.run("countsEachVector", () -> on(ROCKER, this::vectors));
        claims.run("enablesFewerAndAgain", () -> on(ROCKER, this::again));
        claims.run("dmaWithAnInterrupt", () -> on(ROCKER, this::dma));
        claims.run("windowOfPorts", () -> on(TESTDEV, this::ports));
    }

    private static String on(final String function, final Function<PciDevice, String> claim) {
        try (PciDevice pci = EduClaims.open(function)) {
            return claim.apply(pci);
        }
    }

    /** Vector 0 fires most often, the last one once. */
    private String vectors(final PciDevice pci) {
        final Interrupts interrupts = pci.interrupts();
        final int all = interrupts.available();
        require(all > 1 && interrupts.enable(all) == all, interrupts.toString());
        final Bar bar = pci.bar(0);
        final long[] counts = new long[all];
        for (int round = 1; round <= all; round++) {
            for (int i = 0; i < round; i++) {
                bar.writeInt(ROCKER_TEST_IRQ, i);
                counts[i] += interrupts.vector(i).await(PATIENCE_NANOS);
            }
        }
        for (int i = 0; i < all; i++) {
            require(counts[i] == all - i && interrupts.vector(i).fired() == all - i
                && interrupts.vector(i).await(NOTHING_NANOS) == 0, Arrays.toString(counts) + ' ' + interrupts);
        }
        return Arrays.toString(counts) + ' ' + interrupts;
    }

    private String again(final PciDevice pci) {
        final Interrupts interrupts = pci.interrupts();
        final int some = interrupts.enable(2);
        final int all = interrupts.enable(1000);
        final InterruptVector last = interrupts.vector(all - 1);
        pci.bar(0).writeInt(ROCKER_TEST_IRQ, all - 1);
        final long count = last.await(PATIENCE_NANOS);
        interrupts.disable();
        return require(some == 2 && all == interrupts.available() && count == 1, some + " then " + all + ", " + last);
    }

    private String dma(final PciDevice pci) {
        pci.interrupts().enable(pci.interrupts().available());
        final InterruptVector vector = pci.interrupts().vector(ROCKER_MSIX_VEC_TEST);
        final Bar bar = pci.bar(0);
        bar.writeInt(ROCKER_TEST_REG, 21);
        try (DmaMemory memory = pci.dma().allocate(2 * PAGE)) {
            bar.writeInt(ROCKER_TEST_DMA_ADDR, (int) memory.iova());
            bar.writeInt(ROCKER_TEST_DMA_ADDR + Integer.BYTES, (int) (memory.iova() >>> Integer.SIZE));
            bar.writeInt(ROCKER_TEST_DMA_SIZE, PAGE);
            bar.writeInt(ROCKER_TEST_DMA_CTRL, ROCKER_TEST_DMA_CTRL_FILL);
            final long count = vector.await(PATIENCE_NANOS);
            return require(count == 1 && memory.buffer().getByte(PAGE - 1) == ROCKER_FILL
                && memory.buffer().getByte(PAGE) == 0 && bar.readInt(ROCKER_TEST_REG) == 42, vector.toString());
        }
    }

    private String ports(final PciDevice pci) {
        final Bar memory = pci.bar(0);
        final Bar ports = pci.bar(1);
        requireRefusal(ports::buffer, RdmaException.EOPNOTSUPP, "readInt and writeInt");
        memory.writeInt(0, 0);
        final int mapped = memory.readInt(NAME_OFFSET);
        ports.writeInt(0, 0);
        final int read = ports.readInt(NAME_OFFSET);
        return require(memory.isMapped() && !ports.isMapped() && mapped == MMIO && read == PORT,
            String.format("%s 0x%x, %s 0x%x", memory, mapped, ports, read));
    }
}
