/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.soak;

import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AtomicOp;
import io.rdma4j.fabric.AtomicRequest;
import io.rdma4j.fabric.AtomicType;
import io.rdma4j.fabric.CacheAttributes;
import io.rdma4j.fabric.CachedRegion;
import io.rdma4j.fabric.CompletionEntry;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.RdmaContext;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.IntSupplier;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/** Reliable datagrams with a {@link FabricEcho}, and what else a domain has: cache, vector, regions. One thread. */
final class FabricLoad implements AutoCloseable {
    /** What may become of an operation whose peer is gone. */
    private static final Set<Integer> OF_A_DEAD_PEER = Set.of(0, FiErrno.FI_ECONNRESET, FiErrno.FI_EHOSTUNREACH,
        FiErrno.FI_ECONNREFUSED, FiErrno.FI_ECANCELED, FiErrno.FI_ECONNABORTED, FiErrno.FI_ETIMEDOUT);
    private static final int LONGEST = 12_000;
    private static final int BACK = 16 * 1024;
    private static final int RESULT = 32 * 1024;
    private static final int MEMORY = RESULT + FabricEcho.SPACE;
    private static final int WORD = FabricEcho.SPACE - Long.BYTES;
    private static final int IDLE_REGIONS = 16;
    private static final int BUFFERS = 40;
    private static final int MOST_NAMES = 400;
    private static final int MOST_REGIONS = 12;
    private static final int BUFFER = 32 * 1024;

    private final FabricNode node;
    private final PinnedMemory memory;
    private final UnsafeBuffer bytes;
    private final List<ByteBuffer> buffers = new ArrayList<>();
    private final List<Long> names = new ArrayList<>();
    private final List<MemoryRegion> regions = new ArrayList<>();
    private final Set<Long> posted = new HashSet<>();
    private final Map<Long, Integer> done = new HashMap<>();
    private final Map<Long, Long> lengths = new HashMap<>();
    private AddressedEndpoint endpoint;
    private Partner partner;
    private long peer;
    private String nameThere;
    private long remoteAddress;
    private long key;
    private long word;
    private long next = 1;

    FabricLoad(final RdmaContext context) {
        node = new FabricNode(context, new CacheAttributes().maxCount(IDLE_REGIONS));
        memory = node.domain.allocate(MEMORY);
        bytes = memory.buffer();
    }

    /** Begins to talk to somebody, by a new endpoint. */
    void meet(final Partner other) {
        partner = other;
        endpoint = node.endpoint();
        final String[] words = other.ask("fabric").split(" ");
        peer = node.vector.insert(FabricAddress.parse(words[0]));
        remoteAddress = Long.parseLong(words[1]);
        key = Long.parseLong(words[2]);
        nameThere = other.ask("know " + endpoint.address());
        // Nobody else counts there, but the endpoint before this one did.
        bytes.putLong(RESULT, 0);
        succeed(post(context -> endpoint.read(memory.address() + RESULT, Long.BYTES, null, peer,
            remoteAddress + WORD, key, context)));
        word = bytes.getLong(RESULT);
    }

    /** Ends it; the other one may be dead. */
    void leave(final boolean alive) {
        if (endpoint != null) {
            endpoint.close();
            endpoint = null;
            node.vector.remove(new long[] {peer}, 1, 0);
            node.cq.read(entry -> { }, Integer.MAX_VALUE);
            posted.clear();
            done.clear();
            lengths.clear();
            if (alive) {
                partner.ask("forget " + nameThere);
            }
        }
    }

    void step(final SplittableRandom random) {
        switch (random.nextInt(12)) {
            case 0, 1, 2 -> echo(random);
            case 3, 4 -> writeAndRead(random);
            case 5, 6 -> atomic(random);
            case 7, 8 -> cached(random);
            case 9 -> vector(random);
            case 10 -> region(random);
            default -> {
                if (random.nextInt(20) == 0) {
                    leave(true);
                    meet(partner);
                }
            }
        }
    }

    private void echo(final SplittableRandom random) {
        final int length = random.nextInt(LONGEST);
        final long seed = random.nextLong();
        final long tag = random.nextLong() & ~FabricEcho.BACK;
        final long back = post(context -> endpoint.tagged().receive(memory.address() + BACK, BACK, null,
            random.nextBoolean() ? FiAddr.UNSPEC : peer, tag | FabricEcho.BACK, 0, context));
        Soak.fill(bytes, 0, length, seed);
        succeed(post(context -> endpoint.tagged().send(memory.address(), length, null, peer, tag, context)));
        Soak.until(this::toString, () -> taken(back));
        succeed(back);
        final long came = lengths.remove(back);
        if (came != length) {
            throw new AssertionError("of " + length + " bytes " + came + " came back");
        }
        Soak.expect(bytes, BACK, length, seed, "a tagged echo");
    }

    private void writeAndRead(final SplittableRandom random) {
        final int length = random.nextInt(1, LONGEST);
        final int offset = random.nextInt(WORD - length);
        final long seed = random.nextLong();
        Soak.fill(bytes, 0, length, seed);
        succeed(post(context ->
            endpoint.write(memory.address(), length, null, peer, remoteAddress + offset, key, context)));
        succeed(post(context ->
            endpoint.read(memory.address() + RESULT, length, null, peer, remoteAddress + offset, key, context)));
        Soak.expect(bytes, RESULT, length, seed, "an RMA read");
    }

    private void atomic(final SplittableRandom random) {
        final long before = word;
        final long operand = random.nextInt();
        final long there = remoteAddress + WORD;
        final long result = memory.address() + RESULT;
        switch (random.nextInt(3)) {
            case 0 -> {
                succeed(post(context -> endpoint.fetchAdd(result, null, operand, peer, there, key, context)));
                word += operand;
            }
            case 1 -> {
                succeed(post(context ->
                    endpoint.compareSwap(result, null, before, operand, peer, there, key, context)));
                word = operand;
            }
            default -> {
                bytes.putLong(0, operand);
                final AtomicRequest request = new AtomicRequest().operation(AtomicOp.BXOR, AtomicType.UINT64)
                    .operands(memory.address(), 1, null).result(result, null).peer(peer).remote(there, key);
                succeed(post(context -> endpoint.atomic(request.context(context), 0)));
                word ^= operand;
            }
        }
        if (bytes.getLong(RESULT) != before) {
            throw new AssertionError("an atomic found " + bytes.getLong(RESULT) + ", not " + before);
        }
    }

    /** Buffers of the program, which come and go, are read from by the cache's regions. */
    private void cached(final SplittableRandom random) {
        if (buffers.size() < BUFFERS) {
            buffers.add(ByteBuffer.allocateDirect(BUFFER));
        } else if (random.nextInt(8) == 0) {
            buffers.set(random.nextInt(BUFFERS), ByteBuffer.allocateDirect(BUFFER));
        }
        final ByteBuffer buffer = buffers.get(random.nextInt(buffers.size()));
        final int length = random.nextInt(1, BUFFER / 2);
        final long address = BufferUtil.address(buffer) + random.nextInt(BUFFER - length);
        if (random.nextBoolean()) {
            final CachedRegion found = node.domain.cache().acquire(address, length, buffer,
                AccessFlag.LOCAL_WRITE.bit());
            found.release();
            return;
        }
        node.domain.cache().adopt(BufferUtil.address(buffer), BUFFER, buffer);
        final long seed = random.nextLong();
        final UnsafeBuffer own = new UnsafeBuffer(buffer);
        final int offset = (int) (address - BufferUtil.address(buffer));
        Soak.fill(own, offset, length, seed);
        succeed(post(context -> endpoint.write(address, length, null, peer, remoteAddress, key, context)));
        Soak.fill(own, offset, length, 0);
        succeed(post(context -> endpoint.read(address, length, null, peer, remoteAddress, key, context)));
        Soak.expect(own, offset, length, seed, "a read into cached memory");
    }

    private void vector(final SplittableRandom random) {
        if (names.size() < MOST_NAMES && random.nextInt(3) > 0) {
            for (int i = random.nextInt(1, 40); i > 0; i--) {
                names.add(node.vector.insert(FabricAddress.device(new Gid(0xfe80_0000_0000_0000L,
                    random.nextLong(1, 1L << 60)), random.nextInt(1, 1 << 20), 1, node.domain.info().endpointType())));
            }
        } else {
            for (int i = random.nextInt(1, 60); i > 0 && !names.isEmpty(); i--) {
                node.vector.remove(new long[] {names.remove(random.nextInt(names.size()))}, 1, 0);
            }
        }
    }

    private void region(final SplittableRandom random) {
        if (regions.size() < MOST_REGIONS && random.nextInt(3) > 0) {
            final int offset = random.nextInt(MEMORY - 1);
            final long wanted = 1000 + next++;
            regions.add(node.domain.register(memory.address() + offset, random.nextInt(1, MEMORY - offset),
                EnumSet.of(MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE), wanted));
        } else if (!regions.isEmpty()) {
            regions.remove(random.nextInt(regions.size())).close();
        }
    }

    /** An operation by the context that it gets. */
    private interface Operation {
        int post(long context);
    }

    private long post(final Operation operation) {
        final long context = next++;
        final int[] code = new int[1];
        final IntSupplier once = () -> operation.post(context);
        Soak.until(this::toString, () -> {
            code[0] = once.getAsInt();
            if (code[0] == -FiErrno.FI_EAGAIN) {
                read();
            }
            return code[0] != -FiErrno.FI_EAGAIN;
        });
        if (OF_A_DEAD_PEER.contains(-code[0]) && code[0] != 0) {
            throw new PeerGone(FiErrno.name(code[0]));
        } else if (code[0] != 0) {
            throw new AssertionError(FiErrno.name(code[0]) + ", " + this);
        }
        posted.add(context);
        return context;
    }

    private void read() {
        final int code = node.cq.read(this::onCompletion, 16);
        if (code < 0) {
            throw new AssertionError("read of a queue: " + FiErrno.name(code));
        }
    }

    private void onCompletion(final CompletionEntry entry) {
        if (done.put(entry.context(), entry.errno()) != null) {
            throw new AssertionError("operation " + entry.context() + " has ended twice");
        }
        lengths.put(entry.context(), entry.length());
    }

    private boolean taken(final long context) {
        if (!done.containsKey(context)) {
            read();
        }
        return done.containsKey(context);
    }

    private void succeed(final long context) {
        Soak.until(this::toString, () -> taken(context));
        posted.remove(context);
        final int errno = done.remove(context);
        if (errno != 0 && OF_A_DEAD_PEER.contains(errno)) {
            throw new PeerGone(FiErrno.name(errno));
        } else if (errno != 0) {
            throw new AssertionError(FiErrno.name(errno) + ", " + this);
        }
    }

    /** Operations whose peer dies, or is dead: they end. */
    void leaveUnderWay(final SplittableRandom random) {
        for (int i = random.nextInt(1, 4); i > 0; i--) {
            final long context = next++;
            final int code = random.nextBoolean()
                ? endpoint.write(memory.address(), LONGEST, null, peer, remoteAddress, key, context)
                : endpoint.tagged().send(memory.address(), LONGEST, null, peer, 1, context);
            if (code == 0) {
                posted.add(context);
            } else if (!OF_A_DEAD_PEER.contains(-code) && code != -FiErrno.FI_EAGAIN) {
                throw new AssertionError(FiErrno.name(code) + ", " + this);
            }
        }
    }

    void awaitEnds() {
        for (final Long context : Set.copyOf(posted)) {
            Soak.until(this::toString, () -> taken(context));
            final int errno = done.remove(context);
            posted.remove(context);
            if (!OF_A_DEAD_PEER.contains(errno)) {
                throw new AssertionError("after the peer's death: " + FiErrno.name(errno) + ", " + this);
            }
        }
    }

    @Override
    public void close() {
        leave(false);
        regions.forEach(MemoryRegion::close);
        memory.close();
        node.close();
    }

    @Override
    public String toString() {
        return "posted " + posted + ", ended " + done + ", " + endpoint;
    }
}
