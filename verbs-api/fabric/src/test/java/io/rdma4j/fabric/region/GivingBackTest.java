/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static io.rdma4j.fabric.region.Domains.PAGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.List;

/** What is closed leaves no memory that the device reaches. */
@Timeout(60)
class GivingBackTest {
    /** More than cells of one page. */
    private static final int MANY = 3 * PAGE / Long.BYTES;

    @RegisterExtension
    final Domains domains = new Domains();

    private long reachable() {
        return domains.context().reachableBytes();
    }

    private static MrAttributes remote() {
        return new MrAttributes().access(MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE);
    }

    /** Each piece is a region of the device, and peers read a table of them. */
    @Test
    void aRegionInPiecesLeavesNeitherPiecesNorTable() {
        final Domain domain = domains.open();
        try (PinnedMemory memory = domain.allocate(4 * PAGE)) {
            final long before = reachable();
            for (int round = 0; round < 3; round++) {
                final MemoryRegion region = domain.register(remote().requestedKey(1)
                    .buffer(memory.address() + 10, 100, memory).buffer(memory.address() + 600, 50, memory)
                    .buffer(memory.address() + 2 * PAGE + 8, 24, memory));
                assertThat(reachable()).as("with a table").isGreaterThan(before);
                region.close();
                assertThat(reachable()).isEqualTo(before);
            }
        }
    }

    @Test
    void aCellIsUsedAgainWhenItsRegionIsClosed() {
        final Domain domain = domains.open(hints ->
            hints.capabilities(Capability.MSG, Capability.RMA, Capability.RMA_EVENT)
                .mrMode(MrMode.ALLOCATED).demand(MrMode.ALLOCATED));
        try (PinnedMemory memory = domain.allocate(PAGE)) {
            domain.register(remote().requestedKey(1).buffer(memory)).close();
            final long before = reachable();
            for (int i = 0; i < MANY; i++) {
                domain.register(remote().requestedKey(1).buffer(memory)).close();
            }
            assertThat(reachable()).as("pages of cells").isEqualTo(before);
        }
    }

    @Test
    void cellsGoWithTheirDomain() {
        domains.open();
        final long before = reachable();
        final Domain domain = domains.open(Capability.RMA, Capability.RMA_EVENT);
        try (PinnedMemory memory = domain.allocate(PAGE)) {
            domain.register(remote().requestedKey(1).buffer(memory)).close();
        }
        domain.close();
        assertThat(reachable()).isEqualTo(before);
    }

    /** Who adds is told what was there, and another region's count is nobody's business. */
    @Test
    void aCellThatIsUsedAgainBeginsAtZero() {
        domains.open();
        final EventCells cells = new EventCells(domains.context());
        for (int i = 0; i < PAGE / Long.BYTES + 1; i++) {
            final EventCells.Place place = cells.take();
            assertThat(place.buffer().getLong(0)).isZero();
            place.buffer().putLong(0, 5);
            cells.giveBack(place);
        }
        cells.close();
    }

    /** Searches are short, and what is closed or could not be opened is given back. */
    @Test
    void aKeyDirectoryHasRoomForTwiceAsManyRegions() {
        domains.on("max_mr=8").open();
        final ProtectionDomain pd = domains.context().allocatePd();
        final long before = reachable();
        final KeyDirectory directory = KeyDirectory.open(pd, 100);
        assertThat(directory.capacity()).isEqualTo(256);
        assertThat(reachable() - before).isEqualTo(256 * DirectoryLayout.ENTRY_LENGTH);
        assertThat(directory.isReadable()).isTrue();
        assertThat(directory.iova()).isNotZero();
        assertThat(directory.rkey()).isNotZero();
        assertThat(directory.toString()).contains("256 entries");
        for (long key = 0; key < 100; key++) {
            directory.put(new DirectoryEntry(key, 1, 2, 3, 4, 5, 6, 7), true);
        }
        directory.close();
        assertThat(reachable()).isEqualTo(before);
        final PinnedMemory page = domains.context().allocate(PAGE);
        final List<io.rdma4j.verbs.MemoryRegion> others = RealmsTest.fill(pd, page);
        final long full = reachable();
        assertThatThrownBy(() -> KeyDirectory.open(pd, 100)).hasMessageContaining("ENOMEM");
        assertThat(reachable()).isEqualTo(full);
        others.forEach(io.rdma4j.verbs.MemoryRegion::close);
        page.close();
        pd.close();
    }

    /** One that is still registered: the others go. */
    @Test
    void allPagesOfCellsAreGivenBackAlsoIfOneCannotBe() {
        domains.open();
        final ProtectionDomain pd = domains.context().allocatePd();
        final long before = reachable();
        final EventCells cells = new EventCells(domains.context());
        final PinnedMemory first = cells.take().page();
        final io.rdma4j.verbs.MemoryRegion region = pd.register(first, AccessFlag.LOCAL_WRITE);
        for (int i = 0; i < PAGE / Long.BYTES; i++) {
            cells.take();
        }
        assertThatThrownBy(cells::close).hasMessageContaining("EBUSY");
        region.close();
        first.close();
        assertThat(reachable()).isEqualTo(before);
        pd.close();
    }
}
