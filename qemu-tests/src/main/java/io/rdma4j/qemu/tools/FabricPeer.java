/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.tools;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.verbs.PinnedMemory;

import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.zip.CRC32;

/** A reliable endpoint with memory that peers may use by the device's keys. Of one thread. */
final class FabricPeer implements AutoCloseable {
    private static final Set<MrMode> DEVICE_KEYS = EnumSet.of(MrMode.PROV_KEY, MrMode.VIRT_ADDR, MrMode.ALLOCATED);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int LENGTH = 4096;
    /** The word that atomics change is behind what is written; its old value comes behind what is read back. */
    private static final int WORD = LENGTH;
    private static final int BACK = 2 * LENGTH;
    private static final int RESULT = 3 * LENGTH;
    private static final int ENTRIES = 16;

    private final FabricInfo info;
    private final Fabric fabric;
    private final Domain domain;
    private final CompletionQueue queue;
    private final AddressVector vector;
    private final AddressedEndpoint endpoint;
    private final PinnedMemory memory;
    private final MemoryRegion region;
    private int done;
    private String failure;
    private long peer;
    private long remote;
    private long key;

    FabricPeer(final String device) {
        info = Fabrics.getInfo(new Hints().address(device)
            .mrMode(EnumSet.complementOf(EnumSet.of(MrMode.BASIC, MrMode.SCALABLE))).demand(DEVICE_KEYS)
            .endpointType(EndpointType.RDM).addressFormat(AddressFormat.DEVICE)
            .capabilities(Capability.MSG, Capability.RMA, Capability.ATOMIC)).get(0);
        if (!info.mrMode().containsAll(DEVICE_KEYS)) {
            throw new IllegalStateException("negotiated were " + info.mrMode());
        }
        fabric = Fabrics.open(info);
        domain = fabric.openDomain(info);
        queue = domain.openCompletionQueue(ENTRIES);
        vector = domain.openAddressVector(new AvAttributes());
        endpoint = domain.openAddressedEndpoint(new EndpointOptions().completionQueue(queue).addressVector(vector));
        memory = domain.allocate(4L * LENGTH);
        region = domain.register(new MrAttributes().buffer(memory).access(MrAccess.READ, MrAccess.WRITE,
            MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE));
        if (region.base() != memory.address()) {
            throw new IllegalStateException("peers are to use virtual addresses, but the base is " + region.base());
        }
    }

    /** What the other process needs to know. */
    String introduction() {
        return HexFormat.of().formatHex(endpoint.address().bytes()) + ' ' + region.base() + ' ' + region.key();
    }

    void meet(final String introduction) {
        final String[] words = introduction.strip().split(" ");
        peer = vector.insert(FabricAddress.of(AddressFormat.DEVICE, HexFormat.of().parseHex(words[0])));
        remote = Long.parseLong(words[1]);
        key = Long.parseLong(words[2]);
    }

    void progress() {
        queue.read(entry -> {
            done++;
            failure = entry.isError() ? FiErrno.name(entry.errno()) + ": " + entry.providerError() : null;
        }, ENTRIES);
    }

    private void run(final String what, final IntSupplier operation) {
        final long end = System.nanoTime() + PATIENCE_NANOS;
        final int before = done;
        int code = operation.getAsInt();
        while (code == -FiErrno.FI_EAGAIN && System.nanoTime() - end < 0) {
            progress();
            code = operation.getAsInt();
        }
        while (code == 0 && done == before && System.nanoTime() - end < 0) {
            progress();
        }
        if (code != 0 || done == before || failure != null) {
            throw new IllegalStateException(what + ": " + FiErrno.name(code) + ", "
                + (done == before ? "no completion" : failure));
        }
    }

    void fill() {
        for (int i = 0; i < LENGTH; i++) {
            memory.buffer().putByte(i, (byte) (i * 7 + 3));
        }
    }

    void write() {
        run("write", () -> endpoint.write(memory.address(), LENGTH, region, peer, remote, key, 1));
    }

    void readBack() {
        run("read", () -> endpoint.read(memory.address() + BACK, LENGTH, region, peer, remote, key, 1));
        for (int i = 0; i < LENGTH; i++) {
            if (memory.buffer().getByte(BACK + i) != memory.buffer().getByte(i)) {
                throw new IllegalStateException("byte " + i + " came back as " + memory.buffer().getByte(BACK + i));
            }
        }
    }

    long add(final long value) {
        run("addition", () -> endpoint.fetchAdd(memory.address() + RESULT, region, value, peer, remote + WORD, key, 1));
        return memory.buffer().getLong(RESULT);
    }

    long exchange(final long compare, final long swap) {
        run("exchange", () -> endpoint.compareSwap(memory.address() + RESULT, region, compare, swap, peer,
            remote + WORD, key, 1));
        return memory.buffer().getLong(RESULT);
    }

    void requireSum(final String what, final long was, final long expected) {
        if (was != expected) {
            throw new IllegalStateException(what + " found " + was + ", not " + expected);
        }
    }

    /** What was written here, and the word. */
    String seen() {
        return seen(memory.buffer().getLong(WORD));
    }

    String seen(final long word) {
        final byte[] bytes = new byte[LENGTH];
        memory.buffer().getBytes(0, bytes);
        final CRC32 sum = new CRC32();
        sum.update(bytes);
        return "bytes " + Long.toHexString(sum.getValue()) + " word " + word;
    }

    @Override
    public void close() {
        endpoint.close();
        vector.close();
        region.close();
        memory.close();
        queue.close();
        domain.close();
        fabric.close();
    }

    @Override
    public String toString() {
        return "modes " + info.mrMode();
    }
}
