/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.region.DirectoryEntry;
import io.rdma4j.fabric.region.DirectoryLayout;
import io.rdma4j.fabric.region.EndpointRealm;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.PinnedMemory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Random;
import java.util.concurrent.TimeUnit;

import org.agrona.concurrent.UnsafeBuffer;

/** The table of a peer that lies: errors of single operations at most, and an end to each search. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HostileDirectoryTest {
    private static final int CAPACITY = 64;
    private static final long NONCE = 12345;

    @RegisterExtension
    final Sides sides = new Sides();

    private Side a;
    private Side b;
    private MemoryRegion desc;
    private PinnedMemory memory;
    private io.rdma4j.verbs.MemoryRegion registered;
    private UnsafeBuffer table;

    @BeforeEach
    void openBoth() {
        a = sides.open(Mode.APPLICATION_KEY_OFFSETS.hints());
        b = sides.open(Mode.APPLICATION_KEY_OFFSETS.hints());
        desc = a.local();
        memory = b.context.allocate(CAPACITY * DirectoryLayout.ENTRY_LENGTH);
        table = memory.buffer();
        registered = ((EndpointRealm) b.ep).realm().pd()
            .register(memory, AccessFlag.REMOTE_READ, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
        connect(CAPACITY, PeerName.KEYS_BY_DIRECTORY);
    }

    private void connect(final int capacity, final int flags) {
        final PeerName true1 = PeerName.decode(b.ep.name());
        a.ep.connect(new PeerName(true1.flags() | flags, true1.messageQpn(), true1.authTag(), true1.gid(),
            true1.messagePsn(), true1.inQpn(), true1.outQpn(), true1.outPsn(), registered.iova(), NONCE,
            registered.rkey(), capacity).encode());
        b.ep.connect(a.ep.name());
    }

    @AfterEach
    void closeTable() {
        registered.close();
        memory.close();
    }

    private void everywhere(final DirectoryEntry entry, final int state) {
        for (int i = 0; i < CAPACITY; i++) {
            DirectoryLayout.write(table, i * DirectoryLayout.ENTRY_LENGTH, entry, state, NONCE);
        }
    }

    private DirectoryEntry entry(final long base, final long length, final int rkey) {
        return new DirectoryEntry(7, rkey, base, length, 0, 7, 0, 0);
    }

    /** What is true works. */
    private void stillWorks() {
        everywhere(entry(registered.iova(), 4096, registered.rkey()), DirectoryLayout.LIVE);
        a.succeeds(() -> a.ep.read(a.at(0), 64, desc, 0, 7, 1));
        assertThat(a.ep.isConnected()).isTrue();
        assertThat(b.ep.isConnected()).isTrue();
    }

    @Test
    void entriesThatAreNeverWhole() {
        final Random random = new Random(3);
        for (int i = 0; i < table.capacity(); i++) {
            table.putByte(i, (byte) random.nextInt());
        }
        a.fails(FiErrno.FI_EIO, () -> a.ep.write(a.at(0), 8, desc, 0, 7, 1));
        stillWorks();
    }

    @ParameterizedTest
    @ValueSource(ints = {DirectoryLayout.REMOVED, DirectoryLayout.LIVE, 4, 77, -1, Integer.MIN_VALUE})
    void noEntryIsFree(final int state) {
        everywhere(new DirectoryEntry(8, 1, 1, 1, 1, 7, 0, 0), state);
        a.fails(FiErrno.FI_EKEYREJECTED, () -> a.ep.write(a.at(0), 8, desc, 0, 7, 1));
        stillWorks();
    }

    @Test
    void statesThatThereAreNot() {
        for (final int state : new int[] {5, 99, -2}) {
            everywhere(entry(registered.iova(), 4096, registered.rkey()), state);
            a.fails(FiErrno.FI_EKEYREJECTED, () -> a.ep.write(a.at(0), 8, desc, 0, 7, 1));
        }
        stillWorks();
    }

    @Test
    void keysAndAddressesOfNothing() {
        everywhere(entry(registered.iova(), 4096, 0x7fff_fff0), DirectoryLayout.LIVE);
        a.fails(FiErrno.FI_EACCES, () -> a.ep.write(a.at(0), 8, desc, 0, 7, 1));
        everywhere(entry(-8, Long.MAX_VALUE, registered.rkey()), DirectoryLayout.LIVE);
        a.fails(FiErrno.FI_EACCES, () -> a.ep.write(a.at(0), 64, desc, 0, 7, 1));
        everywhere(entry(0, Long.MIN_VALUE, registered.rkey()), DirectoryLayout.LIVE);
        a.fails(FiErrno.FI_EINVAL, () -> a.ep.write(a.at(0), 64, desc, 0, 7, 1));
        stillWorks();
    }

    @Test
    void eventCellsOfNothing() {
        everywhere(new DirectoryEntry(7, registered.rkey(), registered.iova(), 4096, 0, 7, 5, 4096),
            DirectoryLayout.LIVE);
        a.fails(FiErrno.FI_EACCES, () -> a.ep.write(a.at(0), 8, desc, 512, 7, 1));
        stillWorks();
        everywhere(new DirectoryEntry(9, registered.rkey(), registered.iova(), 4096, 0, 7, registered.rkey(), 3),
            DirectoryLayout.LIVE);
        a.fails(FiErrno.FI_EINVAL, () -> a.ep.write(a.at(0), 8, desc, 512, 9, 1));
        a.succeeds(() -> a.ep.read(a.at(0), 8, desc, 512, 9, 1));
    }

    /** The table says something new each time, and never the truth. */
    @Test
    void keyThatIsAnotherOneEachTime() throws InterruptedException {
        everywhere(entry(registered.iova(), 4096, 0x6fff_ffff), DirectoryLayout.LIVE);
        final Thread liar = new Thread(() -> {
            for (int i = 0; !Thread.currentThread().isInterrupted(); i++) {
                everywhere(entry(registered.iova(), 4096, 0x7000_0000 + i), DirectoryLayout.LIVE);
            }
        });
        liar.start();
        try {
            a.post(() -> a.ep.write(a.at(0), 8, desc, 0, 7, 1));
            final Done one = a.next();
            assertThat(one.errno()).as(one.toString()).isIn(FiErrno.FI_EACCES, FiErrno.FI_EIO);
        } finally {
            liar.interrupt();
            Patience.join(liar);
        }
        stillWorks();
    }

    @Test
    void directoryThatGoesAway() {
        stillWorks();
        registered.close();
        a.fails(FiErrno.FI_EIO, () -> a.ep.write(a.at(0), 8, desc, 0, 8, 1));
        a.fails(FiErrno.FI_EIO, () -> a.ep.write(a.at(0), 8, desc, 0, 7, 1));
        b.post(() -> b.ep.receive(b.at(0), 8, null, 1));
        a.succeeds(() -> a.ep.send(a.at(0), 8, desc, 1));
        assertThat(b.next().errno()).isZero();
    }

    /** Cells are looked up with keys of the device, too. */
    @Test
    void keysOfTheDeviceWithoutAnEntry() {
        final Side[] both = sides.pair(() -> new Hints()
            .capabilities(Capability.MSG, Capability.RMA, Capability.RMA_EVENT)
            .mrMode(MrMode.PROV_KEY, MrMode.ALLOCATED).demand(MrMode.PROV_KEY));
        final MemoryRegion region = both[1].register(0);
        final MemoryRegion own = both[0].local();
        final Side c = both[0];
        c.succeeds(() -> c.ep.write(c.at(0), 8, own, 0, region.key(), 1));
        c.fails(FiErrno.FI_EKEYREJECTED, () -> c.ep.write(c.at(0), 8, own, 0, 0x7fff_fff0L, 2));
        c.succeeds(() -> c.ep.write(c.at(0), 8, own, 8, region.key(), 3));
    }
}
