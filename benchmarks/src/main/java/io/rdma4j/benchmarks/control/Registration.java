/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.control;

import io.rdma4j.benchmarks.harness.Arguments;
import io.rdma4j.benchmarks.harness.Machine;
import io.rdma4j.benchmarks.harness.Spread;
import io.rdma4j.driver.dma.HostBlock;
import io.rdma4j.driver.dma.HostMemory;
import io.rdma4j.driver.dma.PageKind;
import io.rdma4j.driver.dma.PagePreference;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Measures how long it takes to register memory, beside the bare mlock of the same memory. The emulated device pins by
 * mlock where it is told to; without, what remains is the part after pinning: page directory, tables and CREATE_MR. The
 * three take turns on each piece of memory, as some machines are in a slow mode for a while.
 */
public final class Registration {
    private static final String USAGE = "usage: Registration [--quick] [--doc FILE]";
    private static final long MIB = 1 << 20;
    private static final int PAGE = 4096;
    private static final long[] SIZES = {MIB, 16 * MIB, 256 * MIB, 1024 * MIB};
    private static final int WARM_UP = 2000;
    private static final int BARE = 0;
    private static final int LOCKED = 1;
    private static final int PLAIN = 2;
    private static final int CLOSE = 3;

    private final int turns;
    private final ProtectionDomain locked;
    private final ProtectionDomain plain;
    private final List<String> notes = new ArrayList<>();

    private Registration(final boolean quick, final RdmaContext locked, final RdmaContext plain) {
        this.turns = quick ? 15 : 51;
        this.locked = locked.allocatePd();
        this.plain = plain.allocatePd();
    }

    /**
     * Prints the table, and writes it into a document if one is named.
     *
     * @param args see the usage message
     * @throws Exception if memory cannot be had, or locked
     */
    public static void main(final String[] args) throws Exception {
        final Arguments arguments = Arguments.parse(args, USAGE);
        try (RdmaContext locked = RdmaDevices.open("emulated:locked?mlock=true");
            RdmaContext plain = RdmaDevices.open("emulated:plain")) {
            final List<String> table = new Registration(arguments.quick(), locked, plain).run();
            table.forEach(System.out::println);
            arguments.writeDocument("registration", table);
        }
    }

    private List<String> run() {
        measure(new HostMemory(PagePreference.KB4).allocate(2 * MIB, null), MIB, WARM_UP);
        final List<String> lines = new ArrayList<>();
        lines.add("| memory | pages | mlock µs | registered with mlock µs | ratio | after pinning µs | mlock ns/page "
            + "| with mlock ns/page | after pinning ns/page | closed with munlock µs |");
        lines.add("|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|");
        for (final PagePreference preference : List.of(PagePreference.KB4, PagePreference.MB2)) {
            for (final long size : SIZES) {
                addRow(lines, preference, size);
            }
        }
        lines.add("");
        lines.add(String.format(Locale.ROOT, "Medians of %d turns; a page is one of 4 KiB in all rows, as it is in the "
            + "device's tables. The memory was touched before.%s", turns, String.join("", notes)));
        lines.addAll(Machine.describe());
        return lines;
    }

    private void addRow(final List<String> lines, final PagePreference preference, final long size) {
        final HostBlock memory = new HostMemory(preference).allocate(Math.max(size, 2 * MIB), null);
        if (preference == PagePreference.MB2 && memory.pages() != PageKind.MB2) {
            notes.add(String.format(" There were too few hugepages for %d MiB.", size / MIB));
        }
        measure(memory, size, Math.max(3, turns / 3));
        final double[] medians = measure(memory, size, turns);
        final double pages = (double) size / PAGE;
        lines.add(String.format(Locale.ROOT, "| %d MiB | %s | %.0f | %.0f | %s | %.0f | %.1f | %.1f | %.1f | %.0f |",
            size / MIB, memory.pages(), medians[BARE] / 1e3, medians[LOCKED] / 1e3,
            String.format(Locale.ROOT, "%.2f", medians[LOCKED] / medians[BARE]), medians[PLAIN] / 1e3,
            medians[BARE] / pages, medians[LOCKED] / pages, medians[PLAIN] / pages, medians[CLOSE] / 1e3));
    }

    private double[] measure(final HostBlock memory, final long size, final int times) {
        final ByteBuffer region = memory.memory().duplicate().limit((int) size);
        final long[][] nanos = new long[CLOSE + 1][times];
        for (int turn = 0; turn < times; turn++) {
            nanos[BARE][turn] = bare(memory.address(), size);
            register(plain, region, nanos[PLAIN], new long[times], turn);
            register(locked, region, nanos[LOCKED], nanos[CLOSE], turn);
            // So that both mlocks come some time after a munlock.
            register(plain, region, new long[times], new long[times], turn);
        }
        return Arrays.stream(nanos).mapToDouble(Registration::median).toArray();
    }

    private static long bare(final long address, final long size) {
        final long before = System.nanoTime();
        Libc.mlock(address, size);
        final long after = System.nanoTime();
        Libc.munlock(address, size);
        return after - before;
    }

    private static void register(
        final ProtectionDomain pd, final ByteBuffer memory, final long[] registered, final long[] closed,
        final int turn) {
        final long before = System.nanoTime();
        final MemoryRegion region = pd.register(memory, AccessFlag.LOCAL_WRITE);
        final long between = System.nanoTime();
        region.close();
        closed[turn] = System.nanoTime() - between;
        registered[turn] = between - before;
    }

    private static double median(final long[] values) {
        return Spread.of(Arrays.stream(values).asDoubleStream().toArray()).median();
    }
}
