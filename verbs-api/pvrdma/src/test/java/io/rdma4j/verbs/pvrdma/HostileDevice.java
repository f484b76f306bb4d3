/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.driver.pci.DmaMapping;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.driver.pci.PciDevice;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The emulated device, which also writes anything at any time into what the driver has given it: responses, CQEs,
 * indices, events, capabilities, page lists. What it writes is a real word with some bits changed, or a number that
 * somebody may trust.
 */
final class HostileDevice extends OtherPlatform {
    private static final int[] NUMBERS = {0, 1, 2, 4, 63, 64, 65, 127, 128, 255, 256, 4095, 4096, 1 << 16, 1 << 24,
        1 << 31, -1, -2, Integer.MAX_VALUE};

    /** Words at the beginning of a page: indices, headers, the first elements. */
    private static final int MEANING = 64;
    private static final int TRIES = 32;
    /** One of so many. */
    private static final int LIES = 50;

    private final SplittableRandom random;
    private final List<UnsafeBuffer> given = new ArrayList<>();
    private final DmaDomain domain;
    private boolean lies;
    private long written;

    HostileDevice(final PciDevice inner, final SplittableRandom random) {
        super(inner);
        this.random = random;
        domain = new Watched(inner.dma());
    }

    @Override
    public DmaDomain dma() {
        return domain;
    }

    @Override
    int told(final int value) {
        return lies && random.nextInt(LIES) == 0 ? changed(value) : value;
    }

    /** From now on registers are not what they are either. */
    void lie() {
        lies = true;
    }

    /** How many words were changed. */
    long written() {
        return written;
    }

    /** Changes so many words. */
    void scribble(final int words) {
        for (int i = 0; i < words; i++) {
            final UnsafeBuffer memory = given.get(random.nextInt(given.size()));
            final int page = pageInUse(memory);
            // What is at the beginning of a page has a meaning more often.
            final int at = page + random.nextInt(random.nextBoolean() ? MEANING : DmaDomain.PAGE_SIZE / Integer.BYTES)
                * Integer.BYTES;
            memory.putIntVolatile(at, changed(memory.getInt(at)));
        }
        written += words;
    }

    private int changed(final int word) {
        return switch (random.nextInt(4)) {
            case 0 -> NUMBERS[random.nextInt(NUMBERS.length)];
            case 1 -> word ^ 1 << random.nextInt(Integer.SIZE);
            case 2 -> word + random.nextInt(9) - 4;
            default -> random.nextInt();
        };
    }

    /** Most of what the driver takes is in reserve. */
    private int pageInUse(final UnsafeBuffer memory) {
        int page = 0;
        for (int i = 0; i < TRIES; i++) {
            page = random.nextInt(memory.capacity() / DmaDomain.PAGE_SIZE) * DmaDomain.PAGE_SIZE;
            for (int at = 0; at < DmaDomain.PAGE_SIZE; at += Long.BYTES) {
                if (memory.getLong(page + at) != 0) {
                    return page;
                }
            }
        }
        return page;
    }

    /** Remembers what the driver took. */
    private final class Watched implements DmaDomain {
        private final DmaDomain under;

        Watched(final DmaDomain under) {
            this.under = under;
        }

        private DmaMemory seen(final DmaMemory memory) {
            given.add(new UnsafeBuffer(memory.buffer()));
            return memory;
        }

        @Override
        public DmaMemory allocate(final long length) {
            return seen(under.allocate(length));
        }

        @Override
        public DmaMemory allocateShared(final long length) {
            return seen(under.allocateShared(length));
        }

        @Override
        public DmaMapping map(final long address, final long length, final Object owner) {
            return under.map(address, length, owner);
        }

        @Override
        public boolean mapsAnyMemory() {
            return under.mapsAnyMemory();
        }

        @Override
        public boolean mapsOnDemand() {
            return under.mapsOnDemand();
        }

        @Override
        public DmaMapping mapOnDemand(final long address, final long length) {
            return under.mapOnDemand(address, length);
        }

        @Override
        public boolean refreshes() {
            return under.refreshes();
        }

        @Override
        public boolean storesByProcessor() {
            return under.storesByProcessor();
        }

        @Override
        public long reachableBytes() {
            return under.reachableBytes();
        }

        @Override
        public void onReachable(final LongConsumer listener) {
            under.onReachable(listener);
        }
    }
}
