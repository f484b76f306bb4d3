/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static io.rdma4j.fabric.region.Domains.PAGE;
import static io.rdma4j.fabric.region.Domains.remote;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.testing.Allocations;
import io.rdma4j.testing.Patience;

import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/** What the data path asks of a region (checklist 34). */
@Timeout(60)
class DescriptorTest {
    private static final int CALLS = 200_000;

    @RegisterExtension
    final Domains domains = new Domains();

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(PAGE);
    private final long address = BufferUtil.address(buffer);
    private long sink;

    private void ask(final LocalDescriptor desc, final MappedKeys mapped, final long key) {
        for (int i = 0; i < CALLS; i++) {
            sink += desc.isUsable() && desc.allows(MrAccess.REMOTE_WRITE.bit()) ? desc.lkey(address + i % PAGE, 1) : 0;
            sink += desc.deviceAddress(address + i % PAGE, 1) + (desc.realm() == null ? 1 : 0);
            sink += mapped.find(key).length();
        }
    }

    @Test
    void nothingIsAllocated() {
        final Domain domain = domains.open();
        final FabricRegion region = (FabricRegion) domain.register(remote(buffer, 1));
        final byte[] raw = new byte[RawKey.LENGTH];
        final long key = domain.mapRaw(region.rawAttributes(raw), raw);
        final MappedKeys mapped = region.regions().mappedKeys();
        final double bytes = Allocations.perStep(1, CALLS / 20, () -> ask(region, mapped, key));
        assertThat(bytes).as("bytes in %d calls, result %d", CALLS, sink).isLessThan(CALLS / 10);
        domain.unmapKey(key);
        region.close();
    }

    @Test
    void bytesOutsideHaveNoAddress() {
        final Domain domain = domains.open();
        final FabricRegion region = (FabricRegion) domain.register(remote(buffer, 1));
        assertThat(region.deviceAddress(address, PAGE)).isNotEqualTo(-1);
        assertThat(region.deviceAddress(address + PAGE, 0)).as("an empty end").isNotEqualTo(-1);
        assertThat(region.deviceAddress(address - 1, 1)).isEqualTo(-1);
        assertThat(region.deviceAddress(address, PAGE + 1)).isEqualTo(-1);
        assertThat(region.deviceAddress(address + 1, Long.MAX_VALUE)).isEqualTo(-1);
        assertThat(region.deviceAddress(Long.MIN_VALUE, 1)).isEqualTo(-1);
        region.close();
        assertThat(region.isUsable()).isFalse();
        assertThat(region.realm()).isNull();
    }

    /** Another thread closes regions while this one asks: it gets an answer or a refusal, never an exception. */
    @Test
    void askingWhileRegionsAreClosedIsHarmless() throws InterruptedException {
        final Domain domain = domains.open();
        final AtomicReference<FabricRegion> current = new AtomicReference<>(
            (FabricRegion) domain.register(remote(buffer, 0)));
        final AtomicBoolean end = new AtomicBoolean();
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final Thread asking = new Thread(() -> {
            try {
                while (!end.get()) {
                    final FabricRegion region = current.get();
                    sink += region.isUsable() ? region.lkey(address, 1) : 0;
                    sink += region.deviceAddress(address, 1) + region.key() + region.toString().length();
                }
            } catch (final RuntimeException e) {
                failure.set(e);
            }
        });
        asking.setDaemon(true);
        asking.start();
        for (int i = 1; i < 1000; i++) {
            final FabricRegion last = current.getAndSet((FabricRegion) domain.register(remote(buffer, i)));
            last.close();
        }
        end.set(true);
        Patience.join(asking);
        assertThat(failure.get()).isNull();
        current.get().close();
    }
}
