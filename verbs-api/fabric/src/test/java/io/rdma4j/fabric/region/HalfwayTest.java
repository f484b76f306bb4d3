/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static io.rdma4j.fabric.Refusal.assertRefused;
import static io.rdma4j.fabric.region.Domains.PAGE;
import static io.rdma4j.fabric.region.Domains.remote;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrFlag;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.verbs.MrOptions;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.WcStatus;

import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.nio.ByteBuffer;
import java.util.function.BiPredicate;
import java.util.function.Consumer;

/**
 * Calls of the device that fail when others were done already: what they did is taken back. {@link Domains} looks
 * whether something is left on the device.
 */
@Timeout(60)
class HalfwayTest {
    @RegisterExtension
    final Domains domains = new Domains();

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(4 * PAGE);
    /** Which calls of the device fail. */
    private BiPredicate<String, Object[]> fails = (method, arguments) -> false;

    private Domain open(final Consumer<Hints> asked) {
        return domains.open(hints -> asked.accept(hints.context(HookedDevice.of(domains.context(),
            (method, arguments) -> {
                if (fails.test(method, arguments)) {
                    // Not for lack of room, which would be looked for elsewhere.
                    throw RdmaException.of(method).detail("pretended").errno(FiErrno.FI_EIO).build();
                }
            }))));
    }

    private static boolean isCell(final Object... arguments) {
        return arguments[0] instanceof MrOptions && ((MrOptions) arguments[0]).length() == Long.BYTES;
    }

    private static boolean isTable(final Object... arguments) {
        return arguments[0] instanceof PinnedMemory;
    }

    private static MrAttributes inPieces(final long address) {
        return new MrAttributes().buffer(address + 10, 100).buffer(address + 2 * PAGE + 600, 50).requestedKey(1)
            .access(MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE);
    }

    @Test
    void aRegionForWhoseCellThereIsNoMemoryLeavesNoRealm() {
        final Domain domain = open(hints -> hints.capabilities(Capability.RMA, Capability.RMA_EVENT));
        fails = (method, arguments) -> method.equals("allocate");
        assertRefused(FiErrno.FI_EIO, () -> domain.register(remote(buffer, 1).authKey(new byte[] {1})), "pretended");
    }

    @Test
    void aRegionWhoseTableOfPiecesCannotBeRegisteredLeavesNoMemory() {
        final Domain domain = open(hints -> { });
        final long reachable = domains.context().reachableBytes();
        fails = (method, arguments) -> method.equals("register") && isTable(arguments);
        assertRefused(FiErrno.FI_EIO, () -> domain.register(inPieces(BufferUtil.address(buffer))), "pretended");
        assertThat(domains.context().reachableBytes()).isEqualTo(reachable);
    }

    /** It is counted from the beginning on, or not enabled. */
    @Test
    void aRegionWhoseCellCannotBeRegisteredIsReachedByNobody() {
        final Domain domain = open(hints -> hints.capabilities(Capability.RMA, Capability.ATOMIC, Capability.RMA_EVENT)
            .mrMode(MrMode.RMA_EVENT).demand(MrMode.RMA_EVENT));
        final FabricRegion region = (FabricRegion) domain.register(remote(buffer, 1).flags(MrFlag.RMA_EVENT));
        final RegionDevices devices = region.body().devices();
        fails = (method, arguments) -> method.equals("register") && isCell(arguments);
        assertRefused(FiErrno.FI_EIO, region::enable, "pretended");
        assertThat(region.isEnabled()).isFalse();
        fails = (method, arguments) -> false;
        try (Wire wire = new Wire(devices.keys().realm())) {
            assertThat(wire.read(devices.keys().iova(), devices.keys().rkey(), 8)).isEqualTo(WcStatus.REM_ACCESS_ERR);
            region.enable();
            assertThat(wire.read(devices.keys().iova(), devices.keys().rkey(), 8)).isEqualTo(WcStatus.SUCCESS);
        }
        region.close();
    }

    /** The cell was there already, in the first endpoint's protection domain. */
    @Test
    void aRegionWhosePagesCameLateAndWhoseTableFailedIsCountedThroughAnotherEndpoint() {
        final Domain domain = open(hints -> hints.capabilities(Capability.RMA, Capability.ATOMIC, Capability.RMA_EVENT)
            .mrMode(MrMode.MMU_NOTIFY, MrMode.ENDPOINT).demand(MrMode.MMU_NOTIFY, MrMode.ENDPOINT));
        final CompletionQueue cq = domain.openCompletionQueue(16);
        final Endpoint endpoint = domain.openEndpoint(new EndpointOptions().completionQueue(cq));
        final long address = Libc.mmap(0, 4 * PAGE, LibcConstants.PROT_NONE,
            LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS, -1, 0);
        final MemoryRegion region = domain.register(inPieces(address));
        region.bind(endpoint);
        region.enable();
        assertThat(region.isEnabled()).as("its pages are missing").isFalse();
        Libc.mmap(address, 4 * PAGE, LibcConstants.PROT_READ | LibcConstants.PROT_WRITE,
            LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS | LibcConstants.MAP_FIXED, -1, 0);
        fails = (method, arguments) -> method.equals("register") && isTable(arguments);
        assertRefused(FiErrno.FI_EIO, region::refresh, "pretended");
        fails = (method, arguments) -> false;
        endpoint.close();
        final Endpoint second = domain.openEndpoint(new EndpointOptions().completionQueue(cq));
        region.bind(second);
        region.enable();
        region.refresh();
        assertThat(add(region)).as("to the cell, through the second endpoint").isEqualTo(WcStatus.SUCCESS);
        second.close();
        region.close();
        cq.close();
        Libc.munmap(address, 4 * PAGE);
    }

    private static WcStatus add(final MemoryRegion region) {
        final RegionDevices devices = ((FabricRegion) region).body().devices();
        final DirectoryEntry entry = devices.entry();
        try (Wire wire = new Wire(devices.keys().realm())) {
            return wire.add(entry.cellIova(), entry.cellRkey(), 1);
        }
    }

    /** Nor does the endpoint's directory tell of a region that is not there. */
    @Test
    void aRegionThatCouldNotBeEnabledIsInNoDirectoryOfItsEndpoint() {
        final Domain domain = open(hints -> hints.capabilities(Capability.RMA, Capability.ATOMIC, Capability.RMA_EVENT)
            .mrMode(MrMode.ENDPOINT).demand(MrMode.ENDPOINT));
        final CompletionQueue cq = domain.openCompletionQueue(16);
        final Endpoint endpoint = domain.openEndpoint(new EndpointOptions().completionQueue(cq));
        final MemoryRegion region = domain.register(remote(buffer, 1));
        region.bind(endpoint);
        fails = (method, arguments) -> method.equals("register") && isCell(arguments);
        assertRefused(FiErrno.FI_EIO, region::enable, "pretended");
        fails = (method, arguments) -> false;
        assertThat(((EndpointRealm) endpoint).realm().directory().read(1)).isNull();
        region.enable();
        assertThat(((EndpointRealm) endpoint).realm().directory().read(1)).isNotNull();
        endpoint.close();
        region.close();
        cq.close();
    }

    /** Only pages may come later, not room for it. */
    @Test
    void withMmuNotifyWhatTheDeviceRefusesForAnotherReasonIsRefused() {
        final Domain domain = open(hints -> hints.mrMode(MrMode.MMU_NOTIFY).demand(MrMode.MMU_NOTIFY));
        fails = (method, arguments) -> method.equals("register");
        assertRefused(FiErrno.FI_EIO, () -> domain.register(remote(buffer, 1)), "pretended");
        fails = (method, arguments) -> false;
        domain.register(remote(buffer, 1)).close();
    }
}
