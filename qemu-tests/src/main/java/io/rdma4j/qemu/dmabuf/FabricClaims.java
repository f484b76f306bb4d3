/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.dmabuf;

import static io.rdma4j.qemu.dmabuf.DmaBufMain.require;

import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrFlag;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.OpFlags;
import java.util.function.UnaryOperator;

/** A dma-buf through the fabric interfaces (FI_MR_DMABUF): how it is named, who reaches it, and who may close first. */
final class FabricClaims {
    private static final int PAGE = 4096;
    private static final int SIZE = 16 * PAGE;
    private static final int OFFSET = 2 * PAGE;
    private static final int LENGTH = 5 * PAGE;
    /** Above what a process has its memory at. */
    private static final long NOWHERE = 1L << 48;
    private static final String DONE = "FI_SUCCESS";

    private static MemoryRegion register(final FabricEnds ends, final Vgem owner, final long base) {
        return ends.domain.register(new MrAttributes().flags(MrFlag.DMABUF)
            .dmabuf(new MrAttributes.DmaBufRange(owner.fd.fd(), OFFSET, LENGTH, base)).requestedKey(7)
            .access(MrAccess.SEND, MrAccess.RECV, MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE));
    }

    /** The peer writes and reads at both ends of the part that was registered. */
    private static String target(final UnaryOperator<Hints> wishes, final boolean named, final boolean virtual) {
        try (Vgem owner = Vgem.of(SIZE); FabricEnds ends = new FabricEnds(wishes)) {
            final long base = named ? owner.bytes.addressOffset() : 0;
            try (MemoryRegion region = register(ends, owner, base)) {
                require(region.length() == LENGTH, "length is %d", region.length());
                require(region.base() == (virtual ? base + OFFSET : 0), "base is 0x%x, base_addr 0x%x", region.base(),
                    base);
                for (final int at : new int[] {0, PAGE - 50, LENGTH - 300}) {
                    both(ends, owner, region, at);
                }
                owner.requireGuard(0, OFFSET);
                owner.requireGuard(OFFSET + LENGTH, SIZE);
                final String beyond = ends.write(region.base() + LENGTH - 10, region.key(), 20);
                require(!beyond.equals(DONE), "a write beyond the part: %s", beyond);
                owner.requireGuard(OFFSET + LENGTH, SIZE);
                return region + ", " + ends.domain.info().mrMode() + "; beyond its end: " + beyond;
            }
        }
    }

    private static void both(final FabricEnds ends, final Vgem owner, final MemoryRegion region, final int at) {
        Vgem.fill(ends.bytes, 0, 300, at);
        final String written = ends.write(region.base() + at, region.key(), 300);
        require(written.equals(DONE), "write at %d: %s", at, written);
        Vgem.requirePattern(owner.bytes, OFFSET + at, 300, at);
        Vgem.fill(owner.bytes, OFFSET + at, 300, at + 1);
        final String read = ends.read(region.base() + at, region.key(), 300);
        require(read.equals(DONE), "read at %d: %s", at, read);
        Vgem.requirePattern(ends.bytes, 0, 300, at + 1);
    }

    String byOffset() {
        return target(hints -> hints, false, false);
    }

    String byVirtualAddress() {
        return target(hints -> hints.demand(MrMode.VIRT_ADDR), true, true);
    }

    String byVirtualAddressOfNobody() {
        return target(hints -> hints.demand(MrMode.VIRT_ADDR), false, true);
    }

    String byProviderKey() {
        return target(hints -> hints.demand(MrMode.PROV_KEY, MrMode.VIRT_ADDR), true, true);
    }

    /** This side sends from where it has mapped the dma-buf, with the region as descriptor. */
    String descriptor() {
        try (Vgem owner = Vgem.of(SIZE); FabricEnds ends = new FabricEnds(hints -> hints);
            MemoryRegion region = register(ends, owner, owner.bytes.addressOffset())) {
            Vgem.fill(owner.bytes, OFFSET + 100, 6000, 3);
            final long at = owner.bytes.addressOffset() + OFFSET + 100;
            final String sent = ends.send(() -> ends.here.send(at, 6000, region, 2));
            require(sent.equals(DONE), "send: %s", sent);
            Vgem.requirePattern(ends.bytes, 0, 6000, 3);
            final int before = ends.here.send(at - OFFSET, 10, region, 2);
            return require(before == -FiErrno.FI_EINVAL, "before the part: %s", FiErrno.name(before));
        }
    }

    /** By an accelerator's address: this process has nothing there, and copies from the region's own mapping. */
    String descriptorOfNobody() {
        try (Vgem owner = Vgem.of(SIZE); FabricEnds ends = new FabricEnds(hints -> hints);
            MemoryRegion region = register(ends, owner, NOWHERE)) {
            Vgem.fill(owner.bytes, OFFSET + 100, 64, 3);
            final Message message = new Message(1).add(NOWHERE + OFFSET + 100, 64, region);
            final String sent = ends.send(() -> ends.here.sendMessage(message, OpFlags.INJECT));
            require(sent.equals(DONE), "inject: %s", sent);
            Vgem.requirePattern(ends.bytes, 0, 64, 3);
            return region.toString();
        }
    }

    /** Of two authorization keys: it maps the dma-buf for each, and is called by where the first one has it. */
    String descriptorOfEachKey() {
        final FabricInfo info = Fabrics.getInfo(new Hints().address("emulated:").endpointType(EndpointType.RDM)
            .avAuthKeys(true).capabilities(Capability.MSG, Capability.HMEM).mrMode(MrMode.LOCAL, MrMode.HMEM)
            .demand(MrMode.LOCAL)).get(0);
        final byte[][] authKeys = {{1}, {2}};
        try (Vgem owner = Vgem.of(SIZE); Fabric fabric = Fabrics.open(info); Domain domain = fabric.openDomain(info);
            CompletionQueue queue = domain.openCompletionQueue(16);
            AddressVector vector = domain.openAddressVector(new AvAttributes())) {
            for (final byte[] authKey : authKeys) {
                vector.insertAuthKey(authKey, 0);
            }
            try (MemoryRegion region = domain.register(new MrAttributes().flags(MrFlag.DMABUF)
                .dmabuf(new MrAttributes.DmaBufRange(owner.fd.fd(), OFFSET, LENGTH, 0))
                .access(MrAccess.SEND, MrAccess.RECV).avAuthKey(vector, FiAddr.NOTAVAIL))) {
                for (final byte[] authKey : authKeys) {
                    try (AddressedEndpoint endpoint = domain.openAddressedEndpoint(new EndpointOptions()
                        .completionQueue(queue).addressVector(vector).authKey(authKey))) {
                        final int code = endpoint.receive(region.address() + 100, 64, region, FiAddr.UNSPEC, 1);
                        require(code == 0, "receive with key %d: %s", authKey[0], FiErrno.name(code));
                    }
                }
                return region.toString();
            }
        }
    }

    /** The file descriptor is closed first: the region lives on. Then the region: nobody reaches the memory then. */
    String order() {
        try (FabricEnds ends = new FabricEnds(hints -> hints); Vgem second = Vgem.of(SIZE)) {
            final MemoryRegion region;
            try (Vgem owner = Vgem.of(SIZE)) {
                region = register(ends, owner, 0);
            }
            Vgem.fill(ends.bytes, 0, 500, 9);
            final String written = ends.write(region.base() + 70, region.key(), 500);
            final String read = ends.read(region.base() + 70, region.key(), 500);
            require(written.equals(DONE) && read.equals(DONE), "%s, %s after the file was closed", written, read);
            Vgem.requirePattern(ends.bytes, 0, 500, 9);
            final long base = region.base();
            final long key = region.key();
            region.close();
            region.close();
            final String closed = ends.write(base, key, 8);
            require(!closed.equals(DONE), "a write after the region was closed: %s", closed);
            try (MemoryRegion next = register(ends, second, 0)) {
                Vgem.fill(ends.bytes, 0, 500, 4);
                final String again = ends.write(next.base(), next.key(), 500);
                require(again.equals(DONE), "the next one by the same key: %s", again);
                Vgem.requirePattern(second.bytes, OFFSET, 500, 4);
            }
            return "after the region was closed: " + closed;
        }
    }

    String refusals() {
        try (Vgem owner = Vgem.of(SIZE)) {
            final String seen;
            try (FabricEnds ends = new FabricEnds(hints -> hints)) {
                seen = refused(FiErrno.FI_EINVAL, () -> register(ends, owner, 8)) + "; "
                    + refused(FiErrno.FI_EINVAL, () -> ends.domain.register(new MrAttributes().flags(MrFlag.DMABUF)
                        .access(MrAccess.SEND).dmabuf(new MrAttributes.DmaBufRange(owner.fd.fd(), SIZE, 1, 0))));
            }
            try (FabricEnds without = new FabricEnds(hints ->
                hints.capabilities(Capability.MSG, Capability.RMA))) {
                return seen + "; " + refused(FiErrno.FI_EBADFLAGS, () -> register(without, owner, 0));
            }
        }
    }

    private static String refused(final int errno, final Runnable call) {
        try {
            call.run();
        } catch (final FabricException e) {
            return require(e.errno() == errno, "%s, expected %s", e.getMessage(), FiErrno.name(errno));
        }
        throw new IllegalStateException("it was not refused with " + FiErrno.name(errno));
    }
}
