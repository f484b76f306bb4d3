/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static io.rdma4j.fabric.Refusal.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.FencedPages;
import io.rdma4j.driver.libc.SystemFaults;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrFlag;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.WcStatus;

import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** What a region for several authorization keys is as a whole, whatever its parts do. */
@Timeout(60)
class KeyringPartsTest {
    private static final byte[] RED = {1};
    private static final byte[] GREEN = {2};
    private static final long KEY = 77;

    @RegisterExtension
    final Domains domains = new Domains();
    private final ByteBuffer memory = ByteBuffer.allocateDirect(2 * Domains.PAGE);

    private Domain open(final Consumer<Hints> asked) {
        return domains.open(hints -> asked.accept(hints.endpointType(EndpointType.RDM).avAuthKeys(true)));
    }

    private KeyringRegion register(final Domain domain, final MrAttributes attributes) {
        final AddressVector keys = domains.keep(domain.openAddressVector(new AvAttributes()));
        keys.insertAuthKey(RED, 0);
        keys.insertAuthKey(GREEN, 0);
        return (KeyringRegion) domain.register(attributes.requestedKey(KEY).avAuthKey(keys, FiAddr.NOTAVAIL));
    }

    private MrAttributes readable() {
        return new MrAttributes().buffer(memory).access(MrAccess.REMOTE_READ).context("mine");
    }

    @Test
    void itTellsWhatWasRegistered() {
        final Domain domain = open(hints -> hints.mrMode(MrMode.VIRT_ADDR).demand(MrMode.VIRT_ADDR));
        final KeyringRegion region = register(domain, readable());
        final long address = BufferUtil.address(memory);
        assertThat(region.domain()).isSameAs(domain);
        assertThat(region.address()).isEqualTo(address);
        assertThat(region.base()).isEqualTo(address);
        assertThat(region.length()).isEqualTo(2 * Domains.PAGE);
        assertThat(region.access()).isEqualTo(Set.of(MrAccess.REMOTE_READ));
        assertThat(region.context()).isEqualTo("mine");
        assertThat(region.rawKeySize()).isEqualTo(RawKey.LENGTH);
        assertRefused(FiErrno.FI_ENOSYS, () -> region.rawAttributes(new byte[RawKey.LENGTH]), "one for each");
        region.close();
    }

    /** Who does not ask for the part of a realm gets the first one's. */
    @Test
    void itIsTheDescriptorThatItsFirstPartIs() {
        final KeyringRegion region = register(open(hints -> { }), readable());
        final LocalDescriptor first = region.in(null);
        final long address = region.address();
        assertThat(region.realm()).isNotNull().isSameAs(first.realm());
        assertThat(region.isUsable()).isTrue();
        assertThat(region.isKept()).isTrue();
        assertThat(region.lkey(address, 8)).isNotZero().isEqualTo(first.lkey(address, 8));
        assertThat(region.deviceAddress(address + 1, 8)).isPositive().isEqualTo(first.deviceAddress(address + 1, 8));
        assertThat(region.processAddress(address + 1)).isEqualTo(address + 1);
        assertThat(region.allows(MrAccess.REMOTE_READ.bit())).isTrue();
        assertThat(region.allows(MrAccess.REMOTE_WRITE.bit())).isFalse();
        region.close();
        assertThat(region.isUsable()).isFalse();
    }

    @Test
    void aFlushWritesItsFile(@TempDir final Path folder) throws IOException {
        final Domain domain = open(hints -> hints.capabilities(Capability.RMA, Capability.RMA_PMEM));
        try (FencedPages room = new FencedPages(1)) {
            PersistenceTest.map(folder.resolve("data"), room.address(), Domains.PAGE);
            final KeyringRegion region = register(domain, new MrAttributes().buffer(room.address(), Domains.PAGE)
                .access(MrAccess.REMOTE_WRITE).flags(MrFlag.RMA_PMEM));
            for (final Runnable flush : List.<Runnable>of(region::flush, () -> region.flush(room.address(), 8))) {
                try (SystemFaults calls = SystemFaults.counting()) {
                    flush.run();
                    assertThat(calls.calls(false)).contains("msync");
                }
            }
            region.close();
        }
    }

    /** Of two parts the first one was let in already; and who could not be kept out again is told, too. */
    @Test
    void aRefreshThatFailsAtItsEndForOneKeyDisablesItForEach() {
        final AtomicInteger resumes = new AtomicInteger(2);
        final boolean[] suspends = {true};
        final RdmaContext context = HookedDevice.of(domains.context(), (method, arguments) -> {
            if (method.equals("resume") && resumes.incrementAndGet() == 2
                || method.equals("suspend") && resumes.get() == 2 && !suspends[0]) {
                throw RdmaException.of(method).errno(RdmaException.ENOMEM).build();
            }
        });
        final Domain domain = open(hints -> hints.context(context).mrMode(MrMode.MMU_NOTIFY)
            .demand(MrMode.MMU_NOTIFY));
        final KeyringRegion region = register(domain, readable());
        final Regions regions = ((FabricRegion) region.in(null)).regions();
        final Realm red = regions.openRealm(RED);
        final FabricRegion first = (FabricRegion) region.in(red);
        final RegionDevice.Keys keys = first.body().devices().keys();
        try (Wire wire = new Wire(red)) {
            assertThat(wire.read(keys.iova(), keys.rkey(), 8)).isEqualTo(WcStatus.SUCCESS);
            resumes.set(0);
            assertRefused(FiErrno.FI_ENOMEM, region::refresh);
            assertThat(region.isEnabled()).isFalse();
            assertThat(wire.read(keys.iova(), keys.rkey(), 8)).isEqualTo(WcStatus.REM_ACCESS_ERR);
            region.refresh();
            assertThat(region.isEnabled()).isTrue();
            assertThat(wire.read(keys.iova(), keys.rkey(), 8)).isEqualTo(WcStatus.SUCCESS);
        }
        resumes.set(0);
        suspends[0] = false;
        final FabricException failure = catchThrowableOfType(FabricException.class, region::refresh);
        assertThat(failure).hasMessageContaining("resume");
        assertThat(failure.getSuppressed()).as("the first part").hasSize(1);
        assertThat(failure.getSuppressed()[0]).hasMessageContaining("suspend");
        region.close();
        red.release();
    }
}
