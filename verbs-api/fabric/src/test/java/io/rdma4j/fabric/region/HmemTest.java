/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static io.rdma4j.fabric.Refusal.assertInvalid;
import static io.rdma4j.fabric.Refusal.assertRefused;
import static io.rdma4j.fabric.region.Domains.PAGE;
import static io.rdma4j.fabric.region.Domains.local;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.HmemIface;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrAttributes.DmaBufRange;
import io.rdma4j.fabric.MrFlag;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.RdmaContext;

import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Memory of accelerators, and dma-bufs (checklist 13-15, 17). */
@Timeout(60)
class HmemTest {
    private static final Set<MrFlag> NONE = EnumSet.noneOf(MrFlag.class);

    @RegisterExtension
    final Domains domains = new Domains();

    @TempDir
    Path dev;

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(PAGE);

    private void node(final String name) throws IOException {
        final Path path = dev.resolve(name);
        Files.createDirectories(path.getParent());
        Files.createFile(path);
    }

    @ParameterizedTest
    @CsvSource({"CUDA, nvidiactl, nvidia1, 1", "ROCR, kfd, dri/renderD129, 1", "ZE, dri/renderD128, dri/renderD131, 3",
        "NEURON, neuron0, neuron2, 2", "SYNAPSEAI, accel/accel0, hl4, 4"})
    void eachInterfaceIsKnownByItsDeviceNodes(
        final HmemIface iface, final String control, final String device, final long index) throws IOException {
        final HmemChecks checks = new HmemChecks(dev);
        assertRefused(FiErrno.FI_ENOSYS, () -> checks.check(iface, index, NONE), iface.name(), "not on this machine");
        node(control);
        assertRefused(FiErrno.FI_ENODEV, () -> checks.check(iface, index, NONE), "no device " + index);
        checks.check(iface, index, EnumSet.of(MrFlag.HMEM_HOST_ALLOC));
        node(device);
        checks.check(iface, index, NONE);
        assertInvalid(() -> checks.check(iface, -1, NONE), "device -1");
        assertInvalid(() -> checks.check(iface, 1L << 40, NONE), "out of range");
        assertRefused(FiErrno.FI_ENOSYS, () -> checks.check(iface, index, EnumSet.of(MrFlag.HMEM_DEVICE_ONLY)),
            "dma-buf");
    }

    @Test
    void levelZeroDevicesHaveADriver() throws IOException {
        final HmemChecks checks = new HmemChecks(dev);
        node("dri/renderD130");
        checks.check(HmemIface.ZE, MrAttributes.zeDevice(7, 2), NONE);
        assertThat(MrAttributes.zeDevice(7, 2)).isEqualTo(0x7_0002);
        assertThat(MrAttributes.zeDevice(0xffff, 0xffff)).isEqualTo(0xffff_ffffL);
        assertInvalid(() -> MrAttributes.zeDevice(-1, 0));
        assertInvalid(() -> MrAttributes.zeDevice(0, 1 << 16));
    }

    @Test
    void systemMemoryHasNoDevice() {
        final Domain domain = domains.open(hints ->
            hints.capabilities(Capability.MSG, Capability.RMA, Capability.HMEM).mrMode(MrMode.HMEM));
        domain.register(local(buffer).iface(HmemIface.SYSTEM, 99)).close();
        assertInvalid(() -> domain.register(local(buffer).flags(MrFlag.HMEM_DEVICE_ONLY)), "SYSTEM");
        assertInvalid(() -> domain.register(local(buffer).flags(MrFlag.HMEM_HOST_ALLOC)), "SYSTEM");
        assertRefused(FiErrno.FI_EBADFLAGS, () -> domain.register(local(buffer).iface(HmemIface.CUDA, 0)
            .flags(MrFlag.HMEM_HOST_ALLOC, MrFlag.HMEM_DEVICE_ONLY)), "contradict");
    }

    /** A machine may have the interface; none has that device of it. */
    @ParameterizedTest
    @EnumSource(value = HmemIface.class, names = {"CUDA", "ROCR", "NEURON"})
    void aDeviceThatIsNotHereIsRefused(final HmemIface iface) {
        final Domain domain = domains.open(hints ->
            hints.capabilities(Capability.MSG, Capability.RMA, Capability.HMEM).mrMode(MrMode.HMEM));
        final FabricException refusal =
            catchThrowableOfType(FabricException.class, () -> domain.register(local(buffer).iface(iface, 0xffff)));
        assertThat(refusal).hasMessageContaining(iface.name());
        assertThat(refusal.errno()).isIn(FiErrno.FI_ENOSYS, FiErrno.FI_ENODEV);
    }

    /** FI_MR_HMEM is about memory of accelerators; FI_MR_LOCAL is about all memory. */
    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    void hostMemoryNeedsADescriptorIfAllLocalMemoryDoes(final boolean local, final boolean hmem) {
        final Set<MrMode> modes = EnumSet.noneOf(MrMode.class);
        if (local) {
            modes.add(MrMode.LOCAL);
        }
        if (hmem) {
            modes.add(MrMode.HMEM);
        }
        final Domain domain = domains.open(hints -> {
            hints.mrMode(modes).demand(modes);
            if (hmem) {
                hints.capabilities(Capability.MSG, Capability.RMA, Capability.HMEM);
            }
        });
        assertThat(domain.info().mrMode().contains(MrMode.LOCAL)).isEqualTo(local);
        assertThat(domain.info().mrMode().contains(MrMode.HMEM)).isEqualTo(hmem);
        final CompletionQueue cq = domain.openCompletionQueue(512);
        final MsgEndpoint endpoint = domain.openEndpoint(new EndpointOptions().completionQueue(cq));
        final long address = BufferUtil.address(buffer);
        assertThat(endpoint.receive(address, 8, null, 1)).as("null").isEqualTo(local ? -FiErrno.FI_EINVAL : 0);
        try (MemoryRegion region = domain.register(local(buffer))) {
            assertThat(endpoint.receive(address, 8, region, 2)).as("a valid one").isZero();
            endpoint.close();
        }
        cq.close();
    }

    /** Neither when it is registered by its interface nor when a transfer names its region (checklist 57). */
    @Test
    void whatIsRegisteredDoesNotComeByTheCache() {
        final Domain domain = domains.open(hints ->
            hints.capabilities(Capability.MSG, Capability.RMA, Capability.HMEM).mrMode(MrMode.HMEM));
        final CompletionQueue cq = domain.openCompletionQueue(512);
        final MsgEndpoint endpoint = domain.openEndpoint(new EndpointOptions().completionQueue(cq));
        final long address = BufferUtil.address(buffer);
        try (MemoryRegion region = domain.register(local(buffer).iface(HmemIface.SYSTEM, 0))) {
            assertThat(endpoint.receive(address, 8, region, 1)).isZero();
            assertThat(domain.cache().statistics().asMap()).containsEntry("hits", 0L).containsEntry("misses", 0L)
                .containsEntry("uncached", 0L);
            assertThat(endpoint.receive(address, 8, null, 2)).isZero();
            assertThat(domain.cache().statistics().misses()).as("what is not registered does").isOne();
            endpoint.close();
        }
        cq.close();
    }

    private static MrAttributes dmabuf(final int fd, final long offset, final long length, final long base) {
        return new MrAttributes().access(MrAccess.SEND).flags(MrFlag.DMABUF)
            .dmabuf(new DmaBufRange(fd, offset, length, base));
    }

    @Test
    void aDmaBufMustMakeSense() {
        final Domain domain = domains.open(hints ->
            hints.capabilities(Capability.MSG, Capability.RMA, Capability.HMEM).mrMode(MrMode.HMEM));
        assertRefused(9, () -> domain.register(dmabuf(-1, 0, PAGE, 0)));
        assertRefused(9, () -> domain.register(dmabuf(1_000_000, 0, PAGE, 0)), "not open");
        assertInvalid(() -> domain.register(dmabuf(0, 0, PAGE, 0)), "no dma-buf");
        assertInvalid(() -> domain.register(dmabuf(0, 0, 0, 0)), "above 0");
        assertInvalid(() -> domain.register(dmabuf(0, -1, PAGE, 0)));
        assertInvalid(() -> domain.register(dmabuf(0, 0, PAGE, 1)), "not page-aligned");
        assertInvalid(() -> domain.register(dmabuf(0, PAGE, PAGE, -PAGE)), "wraps around");
        assertInvalid(() -> domain.register(dmabuf(0, PAGE, PAGE, -2 * PAGE)), "no dma-buf");
        assertInvalid(() -> domain.register(dmabuf(0, 0, 1, PAGE)), "no dma-buf");
        assertInvalid(() -> domain.register(dmabuf(0, 0, PAGE, 0).dmabuf(null)), "no dma-buf");
        assertInvalid(() -> domain.register(dmabuf(0, 0, PAGE, 0).buffer(buffer)), "buffers, too");
        assertInvalid(() -> domain.register(local(buffer).dmabuf(new DmaBufRange(0, 0, 1, 0))), "flag DMABUF is not");
    }

    /** Keys of the device are for addresses of the device: there a dma-buf cannot have one of choice. */
    @Test
    void aDmaBufCanOnlyBeNamedAsTheDeviceCan() {
        final RdmaContext context = HookedDevice.proxy(RdmaContext.class, (proxy, method, arguments) -> {
            if (arguments != null && arguments[0] == Feature.IOVA_OF_CHOICE) {
                return method.getName().equals("whyNot") ? "addresses as they are" : (Object) false;
            }
            return HookedDevice.call(domains.context(), method, arguments);
        });
        for (final Set<MrMode> modes : List.of(EnumSet.of(MrMode.HMEM, MrMode.VIRT_ADDR, MrMode.PROV_KEY),
            EnumSet.of(MrMode.HMEM, MrMode.VIRT_ADDR), EnumSet.of(MrMode.HMEM, MrMode.PROV_KEY))) {
            final Domain domain = domains.open(hints -> hints.context(context).mrMode(modes).demand(modes)
                .capabilities(Capability.MSG, Capability.RMA, Capability.HMEM));
            final String why = modes.size() == 3 ? "addresses as they are" : "no dma-buf";
            assertRefused(modes.size() == 3 ? FiErrno.FI_ENOSYS : FiErrno.FI_EINVAL,
                () -> domain.register(dmabuf(0, 0, PAGE, PAGE)), why);
        }
        final Domain able = domains.open(hints -> hints.mrMode(MrMode.HMEM, MrMode.VIRT_ADDR, MrMode.PROV_KEY)
            .demand(MrMode.HMEM, MrMode.VIRT_ADDR, MrMode.PROV_KEY)
            .capabilities(Capability.MSG, Capability.RMA, Capability.HMEM));
        assertInvalid(() -> able.register(dmabuf(0, 0, PAGE, PAGE)), "no dma-buf");
    }
}
