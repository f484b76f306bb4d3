/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.soak;

import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcStatus;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

import org.agrona.concurrent.UnsafeBuffer;

/** The active end of a connection to an {@link EchoEnd}, with queue and memory of its own. One thread. */
final class SoakLink implements AutoCloseable {
    /** What may become of a request whose peer is gone. */
    static final Set<WcStatus> OF_A_DEAD_PEER =
        EnumSet.of(WcStatus.SUCCESS, WcStatus.RETRY_EXC_ERR, WcStatus.WR_FLUSH_ERR, WcStatus.RESP_TIMEOUT_ERR);
    private static final int HEADER = 40;
    private static final int LONGEST = 8192;
    private static final int LONGEST_DATAGRAM = 900;
    private static final int INLINE = 64;
    private static final int RECEIVES = 1 << 30;
    private static final long DATAGRAM_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** Places in the memory: what is sent, what comes back, what is read. */
    private static final int OUT = 0;
    private static final int BACK = EchoEnd.SLOTS * EchoEnd.SLOT;
    private static final int RESULT = 2 * BACK;
    private static final int MEMORY = RESULT + EchoEnd.SPACE;
    /** The last of the peer's words is for atomics. */
    private static final int WORD = EchoEnd.SPACE - Long.BYTES;

    final Partner partner;
    final String name;
    private final CompletionQueue cq;
    private final PinnedMemory memory;
    private final UnsafeBuffer bytes;
    private final MemoryRegion region;
    private final QueuePair qp;
    private final AddressHandle way;
    private final QpAddress remote;
    private final long remoteAddress;
    private final int rkey;
    private final SendRequest request = new SendRequest();
    private final UnsafeBuffer inline = new UnsafeBuffer(new byte[INLINE]);
    private final Set<Long> posted = new HashSet<>();
    private final Map<Long, WcStatus> done = new HashMap<>();
    private final Map<Long, Integer> lengths = new HashMap<>();
    private long next = 1;
    private long word;
    private long lost;
    private boolean listens;

    SoakLink(final ProtectionDomain pd, final Partner partner, final String name, final QpType type) {
        this.partner = partner;
        this.name = name;
        cq = pd.context().createCq(4 * EchoEnd.SLOTS);
        memory = pd.context().allocate(MEMORY);
        bytes = memory.buffer();
        region = pd.register(memory, Soak.ALL_RIGHTS);
        qp = pd.createQp(new QpOptions().type(type).cq(cq).maxSendWr(EchoEnd.SLOTS).maxReceiveWr(EchoEnd.SLOTS)
            .maxInline(INLINE));
        final String[] words = partner.ask("open " + name + ' ' + type + ' ' + qp.localAddress()).split(" ");
        remote = QpAddress.parse(words[0]);
        remoteAddress = Long.parseLong(words[1]);
        rkey = Integer.parseInt(words[2]);
        if (type == QpType.RC) {
            way = null;
            QpConnector.connect(qp, remote, new QpAttributes().timeout(EchoEnd.TIMEOUT));
        } else {
            QpConnector.activate(qp, EchoEnd.QKEY);
            way = pd.createAh(AhAttributes.to(remote.gid()));
        }
    }

    /** Datagrams that did not come back. */
    long lost() {
        return lost;
    }

    /** Something that is right when it has ended, or {@link PeerGone}. */
    void step(final SplittableRandom random) {
        if (way != null) {
            datagram(random);
            return;
        }
        switch (random.nextInt(8)) {
            case 0, 1 -> echo(random);
            case 2 -> burst(random);
            case 3, 4 -> writeAndRead(random);
            case 5, 6 -> atomic(random);
            default -> {
                cq.resize(random.nextInt(4, 32) * EchoEnd.SLOTS);
                partner.ask("resize " + name + ' ' + random.nextInt(4, 32) * EchoEnd.SLOTS);
            }
        }
    }

    /** A WRITE of 64 bytes, whose time is taken; nanoseconds. */
    long probe() {
        request.opcode(SendOpcode.RDMA_WRITE).sge(memory.address(), INLINE, region.lkey()).remote(remoteAddress, rkey);
        final long begun = System.nanoTime();
        succeed(post());
        return System.nanoTime() - begun;
    }

    private void echo(final SplittableRandom random) {
        final boolean small = random.nextInt(3) == 0;
        final int length = small ? random.nextInt(1, INLINE + 1) : random.nextInt(1, LONGEST + 1);
        final long seed = random.nextLong();
        final long back = receive(0);
        Soak.fill(bytes, OUT, length, seed);
        if (small) {
            inline.putBytes(0, bytes, OUT, length);
            request.opcode(SendOpcode.SEND).inline(inline, 0, length);
        } else if (random.nextBoolean()) {
            request.opcode(SendOpcode.SEND_WITH_IMM).immData((int) seed).sge(memory.address(), length, region.lkey());
        } else {
            request.opcode(SendOpcode.SEND).sge(memory.address(), length, region.lkey());
        }
        succeed(post());
        comesBack(back, 0, length, seed);
    }

    private void burst(final SplittableRandom random) {
        final int count = random.nextInt(2, EchoEnd.SLOTS + 1);
        final long[] sent = new long[count];
        final long[] back = new long[count];
        final long seed = random.nextLong();
        final int length = random.nextInt(1, LONGEST + 1);
        for (int i = 0; i < count; i++) {
            back[i] = receive(i);
            Soak.fill(bytes, OUT + i * EchoEnd.SLOT, length, seed + i);
            request.opcode(SendOpcode.SEND)
                .sge(memory.address() + OUT + i * EchoEnd.SLOT, length, region.lkey());
            sent[i] = post();
        }
        for (int i = 0; i < count; i++) {
            succeed(sent[i]);
            comesBack(back[i], i, length, seed + i);
        }
    }

    private void writeAndRead(final SplittableRandom random) {
        final int length = random.nextInt(1, WORD);
        final int offset = random.nextInt(WORD - length);
        final long seed = random.nextLong();
        Soak.fill(bytes, OUT, length, seed);
        request.opcode(SendOpcode.RDMA_WRITE).sge(memory.address() + OUT, length, region.lkey())
            .remote(remoteAddress + offset, rkey);
        final long write = post();
        request.opcode(SendOpcode.RDMA_READ).sge(memory.address() + RESULT, length, region.lkey())
            .remote(remoteAddress + offset, rkey);
        final long read = post();
        succeed(write);
        succeed(read);
        Soak.expect(bytes, RESULT, length, seed, "a READ after a WRITE by " + name);
    }

    private void atomic(final SplittableRandom random) {
        final long before = word;
        final long operand = random.nextInt();
        if (random.nextBoolean()) {
            request.opcode(SendOpcode.ATOMIC_FETCH_AND_ADD).atomic(operand, 0);
            word += operand;
        } else {
            final boolean fits = random.nextInt(4) > 0;
            request.opcode(SendOpcode.ATOMIC_CMP_AND_SWP).atomic(fits ? before : before + 1, operand);
            word = fits ? operand : before;
        }
        request.sge(memory.address() + RESULT, Long.BYTES, region.lkey()).remote(remoteAddress + WORD, rkey);
        succeed(post());
        if (bytes.getLong(RESULT) != before) {
            throw new AssertionError("an atomic by " + name + " found " + bytes.getLong(RESULT) + ", not " + before);
        }
    }

    /** It may be lost, and one that was given up may still come. */
    private void datagram(final SplittableRandom random) {
        final int length = random.nextInt(Long.BYTES, LONGEST_DATAGRAM);
        final long seed = random.nextLong();
        if (!listens) {
            listens = true;
            receive(0);
        }
        bytes.putLong(OUT, seed);
        Soak.fill(bytes, OUT + Long.BYTES, length - Long.BYTES, seed);
        request.opcode(SendOpcode.SEND).sge(memory.address() + OUT, length, region.lkey())
            .to(way, remote.qpn(), EchoEnd.QKEY);
        final long sent = post();
        Soak.until(this::toString, () -> taken(sent));
        final WcStatus status = end(sent);
        if (status != WcStatus.SUCCESS) {
            throw new PeerGone("a datagram: " + status);
        }
        final long begun = System.nanoTime();
        boolean mine = false;
        while (!mine && System.nanoTime() - begun < DATAGRAM_NANOS) {
            poll();
            final Long back = done.keySet().stream().filter(each -> each >= RECEIVES).findFirst().orElse(null);
            if (back != null) {
                final int came = lengths.remove(back) - HEADER;
                end(back);
                mine = bytes.getLong(BACK + HEADER) == seed;
                if (mine) {
                    check(came, length);
                    Soak.expect(bytes, BACK + HEADER + Long.BYTES, length - Long.BYTES, seed, name);
                }
                receive(0);
            }
        }
        lost += mine ? 0 : 1;
    }

    private void check(final int came, final int length) {
        if (came != length) {
            throw new AssertionError("of " + length + " bytes " + came + " came back to " + name);
        }
    }

    private void comesBack(final long back, final int slot, final int length, final long seed) {
        succeed(back);
        check(lengths.remove(back), length);
        Soak.expect(bytes, BACK + slot * EchoEnd.SLOT, length, seed, "an echo to " + name);
    }

    private long receive(final int slot) {
        final long wrId = RECEIVES + next++;
        require(qp.postReceive(wrId, memory.address() + BACK + (long) slot * EchoEnd.SLOT, EchoEnd.SLOT,
            region.lkey()));
        posted.add(wrId);
        return wrId;
    }

    private long post() {
        final long wrId = next++;
        require(qp.postSend(request.wrId(wrId).flags(SendRequest.SIGNALED)));
        posted.add(wrId);
        return wrId;
    }

    private void require(final int code) {
        if (code == ReturnCode.WRONG_STATE) {
            throw new PeerGone(name + " is in error");
        } else if (code != ReturnCode.OK) {
            throw new AssertionError(name + ": " + ReturnCode.nameOf(code));
        }
    }

    private void poll() {
        final int code = cq.poll(this::onCompletion, EchoEnd.SLOTS);
        if (code < 0) {
            throw new AssertionError(name + ": poll: " + ReturnCode.nameOf(code));
        }
    }

    private void onCompletion(final Completion completion) {
        final long wrId = completion.wrId();
        if (!posted.contains(wrId) || done.put(wrId, completion.status()) != null) {
            throw new AssertionError(name + ": request " + wrId + " has ended twice, or never was");
        }
        if (wrId >= RECEIVES && completion.status() == WcStatus.SUCCESS) {
            lengths.put(wrId, completion.byteLength());
        }
    }

    private boolean taken(final long wrId) {
        if (!done.containsKey(wrId)) {
            poll();
        }
        return done.containsKey(wrId);
    }

    private WcStatus end(final long wrId) {
        posted.remove(wrId);
        return done.remove(wrId);
    }

    private void succeed(final long wrId) {
        Soak.until(this::toString, () -> taken(wrId));
        final WcStatus status = end(wrId);
        if (status != WcStatus.SUCCESS) {
            if (OF_A_DEAD_PEER.contains(status)) {
                throw new PeerGone(name + ": " + status);
            }
            throw new AssertionError(name + ": " + status + ", " + qp.failure());
        }
    }

    /** Leaves something under way that a dead peer will not answer. */
    void leaveUnderWay(final SplittableRandom random) {
        for (int i = random.nextInt(1, EchoEnd.SLOTS / 2); i > 0 && way == null && posted.size() < EchoEnd.SLOTS / 2;
            i--) {
            request.opcode(random.nextBoolean() ? SendOpcode.RDMA_WRITE : SendOpcode.RDMA_READ)
                .sge(memory.address(), random.nextInt(1, WORD), region.lkey()).remote(remoteAddress, rkey);
            try {
                post();
            } catch (final PeerGone early) {
                return;
            }
        }
    }

    /** All that is under way ends; the peer is dead. */
    void awaitEnds() {
        if (way == null) {
            for (final Long wrId : Set.copyOf(posted)) {
                if (wrId < RECEIVES) {
                    Soak.until(this::toString, () -> taken(wrId));
                    final WcStatus status = end(wrId);
                    if (!OF_A_DEAD_PEER.contains(status)) {
                        throw new AssertionError(name + " after its peer's death: " + status);
                    }
                }
            }
        }
    }

    /** The partner closes its end, if it is there. */
    void closeBoth() {
        partner.ask("close " + name);
        close();
    }

    @Override
    public void close() {
        qp.close();
        if (way != null) {
            way.close();
        }
        region.close();
        memory.close();
        cq.close();
    }

    @Override
    public String toString() {
        return name + ": posted " + posted + ", ended " + done + ", " + qp + ", " + qp.failure();
    }
}
