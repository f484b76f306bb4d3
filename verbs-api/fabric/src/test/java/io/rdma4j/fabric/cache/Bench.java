/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.CacheAttributes;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;

/** A device, memory, and a cache over a monitor that the test commands. Closing it checks that nothing is left. */
final class Bench implements AutoCloseable {
    static final int PAGE = 4096;
    static final int RW = AccessFlag.LOCAL_WRITE.bit();
    static final int RO = 0;
    static final int PAGES = 256;

    final RdmaContext context;
    final ProtectionDomain pd;
    final TestMonitor monitor;
    final RegionCache cache;
    final ByteBuffer memory = ByteBuffer.allocateDirect((PAGES + 1) * PAGE);
    /** Of the first byte, on a page boundary. */
    final long base = BufferUtil.address(memory) + PAGE - 1 & -PAGE;

    Bench(final String name, final CacheAttributes attributes) {
        this(name, attributes, new TestMonitor());
    }

    Bench(final String name, final CacheAttributes attributes, final TestMonitor monitor) {
        this.monitor = monitor;
        context = RdmaDevices.open("emulated:" + name);
        pd = context.allocatePd();
        cache = new RegionCache(pd, new CacheSettings(variable -> null, variable -> null,
            attributes.monitor(monitor)), new Adoptions(), () -> false);
    }

    static Bench of(final String name) {
        return new Bench(name, new CacheAttributes());
    }

    static Bench ofCount(final String name, final long count) {
        return new Bench(name, new CacheAttributes().maxCount(count));
    }

    Entry acquire(final long from, final long to, final int access) {
        return (Entry) cache.acquire(base + from, to - from, access);
    }

    Entry acquire(final long from, final long to, final Object owner, final int access) {
        return (Entry) cache.acquire(base + from, to - from, owner, access);
    }

    /** Acquires and releases; the entry is idle then. */
    Entry use(final long from, final long to) {
        final Entry entry = acquire(from, to, RO);
        entry.release();
        return entry;
    }

    void change(final long from, final long to) {
        monitor.change(base + from, to - from);
    }

    /** What the monitor's thread leaves is deregistered soon. */
    static void awaitClosed(final Entry entry) {
        Await.until(entry::toString, () -> entry.region().isClosed());
    }

    @Override
    public void close() {
        cache.close();
        assertThat(monitor.subscriptions).as("subscriptions left").hasValue(0);
        pd.close();
        context.close();
        assertThat(context.reachableBytes()).as("bytes left reachable").isZero();
    }
}
