/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static io.rdma4j.fabric.Refusal.assertRefused;
import static io.rdma4j.fabric.region.Domains.PAGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrFlag;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/** What is left when making something fails in the middle; {@link Domains} looks at the device. */
@Timeout(60)
class RealmsTest {
    @RegisterExtension
    final Domains domains = new Domains();

    private Realms failingBy(final Domain domain, final RuntimeException failure) {
        return new Realms(domain, () -> new PdLease(domains.context().allocatePd(), true),
            new RegionRules(domain.info(), domains.context()), pd -> {
            throw failure;
        });
    }

    @Test
    void aRealmThatCannotBeMadeLeavesNothing() {
        final Domain domain = domains.open();
        final RuntimeException failure = new IllegalStateException("no cache");
        assertThatThrownBy(() -> failingBy(domain, failure).open(null)).isSameAs(failure);
        assertThatThrownBy(() -> failingBy(domain, failure).openOwn(null)).isSameAs(failure);
    }

    @Test
    void theCauseIsTold() {
        final Domain domain = domains.open();
        final RdmaException failure = RdmaException.of("make cache").detail("no room").errno(RdmaException.ENOMEM)
            .build();
        assertRefused(FiErrno.FI_ENOMEM, () -> failingBy(domain, failure).open(null), "no room");
    }

    /** Nothing is registered at the addresses of a dma-buf that was unmapped (max_mr leaves no room to take rights). */
    @Test
    void aDmaBufThatWasGivenUpIsNotRegisteredAgain() {
        final Domain domain = domains.on("max_mr=8").open();
        final RegionRules rules = new RegionRules(domain.info(), domains.context());
        final Realm realm = Domains.regionsOf(domain).defaultRealm();
        try (PinnedMemory memory = domains.context().allocate(PAGE)) {
            final RegionPlan plan = new RegionPlan(null, new MrAttributes.DmaBufRange(0, 0, PAGE, 0),
                EnumSet.of(MrAccess.REMOTE_READ), EnumSet.of(MrFlag.DMABUF), 1, null, null, rules);
            final RegionDevices device =
                new RegionDevices(plan, RegionBuffers.of(memory.address(), PAGE, memory), 0, null);
            device.register(realm, true);
            final List<io.rdma4j.verbs.MemoryRegion> others = fill(realm.pd(), memory);
            device.hide(realm);
            assertThat(device.isRegistered()).as("no room to register it anew").isFalse();
            others.forEach(io.rdma4j.verbs.MemoryRegion::close);
            assertRefused(FiErrno.FI_EOPBADSTATE, () -> device.expose(realm), "dma-buf");
            device.close();
        }
    }

    private static List<io.rdma4j.verbs.MemoryRegion> fill(final ProtectionDomain pd, final PinnedMemory memory) {
        final List<io.rdma4j.verbs.MemoryRegion> made = new ArrayList<>();
        try {
            while (true) {
                made.add(pd.register(memory));
            }
        } catch (final RdmaException e) {
            assertThat(e.errno()).isEqualTo(RdmaException.ENOMEM);
        }
        return made;
    }
}
