/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static io.rdma4j.fabric.region.Domains.PAGE;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.CacheStatistics;
import io.rdma4j.fabric.CachedRegion;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.RegistrationCache;
import io.rdma4j.verbs.PinnedMemory;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Where an operation finds its own memory: what a descriptor must be, and when the cache is asked (checklist 23). */
@Timeout(60)
class LocalMemoryTest {
    private static final int ACCESS = 1;

    @RegisterExtension
    final Domains domains = new Domains();

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(2 * PAGE);
    private final long address = BufferUtil.address(buffer);

    /** The ways to use a descriptor. */
    private enum Way {
        FIND, COPIED, CHECK;

        int look(
            final LocalMemory local, final long address, final long length, final MemoryRegion desc,
            final MrAccess right) {
            return switch (this) {
                case FIND -> local.find(address, length, desc, null, right, ACCESS);
                case COPIED -> local.findCopied(address, length, desc, right);
                case CHECK -> local.check(address, length, desc, right);
            };
        }
    }

    /** Lends whatever it is asked for, until it refuses. */
    private static final class Lender implements RegistrationCache {
        private static final int LKEY = 4711;
        private static final long SHIFT = 0x10_0000;

        private final List<String> asked = new ArrayList<>();
        private int lent;
        private int errno;

        @Override
        public CachedRegion acquire(final long address, final long length, final int access) {
            return acquire(address, length, "nobody", access);
        }

        @Override
        public CachedRegion acquire(final long address, final long length, final Object owner, final int access) {
            asked.add(length + " of " + owner + ", " + access);
            if (errno != 0) {
                throw FabricException.of("lend").detail("not any more").errno(errno).build();
            }
            lent++;
            return new CachedRegion() {
                @Override
                public int lkey() {
                    return LKEY;
                }

                @Override
                public long deviceAddress(final long of) {
                    return of + SHIFT;
                }

                @Override
                public void release() {
                    lent--;
                }
            };
        }

        @Override
        public void adopt(final long address, final long length, final Object owner) {
        }

        @Override
        public void invalidate(final long address, final long length) {
        }

        @Override
        public void flush() {
        }

        @Override
        public boolean isEnabled() {
            return true;
        }

        @Override
        public CacheStatistics statistics() {
            return null;
        }
    }

    private Domain open(final MrMode... modes) {
        final Set<MrMode> set = EnumSet.noneOf(MrMode.class);
        set.addAll(Arrays.asList(modes));
        return domains.open(hints -> hints.mrMode(set).demand(set));
    }

    private static LocalMemory local(final Domain domain) {
        return new LocalMemory(Domains.regionsOf(domain).defaultRealm(), domain.info());
    }

    /** For a realm of nobody else, with some cache; null for none. */
    private LocalMemory local(final Domain domain, final RegistrationCache cache) {
        final Realm realm = new Realms(domain, () -> new PdLease(domains.context().allocatePd(), true),
            new RegionRules(domain.info(), domains.context()), pd -> cache).openOwn(null);
        domains.keep((AutoCloseable) realm::release);
        return new LocalMemory(realm, domain.info());
    }

    private MemoryRegion register(final Domain domain, final MrAccess... access) {
        return domains.keep(domain.register(new MrAttributes().buffer(address, PAGE)
            .access(EnumSet.copyOf(Arrays.asList(access)))));
    }

    @ParameterizedTest
    @EnumSource
    void aDescriptorHasToBeRightHoweverItIsUsed(final Way way) {
        final Domain domain = open();
        final LocalMemory local = local(domain);
        final MemoryRegion region = register(domain, MrAccess.SEND);
        final MrAccess right = MrAccess.SEND;
        assertThat(way.look(local, address, PAGE, region, right)).isZero();
        assertThat(local.descriptor()).isSameAs(region);
        assertThat(way.look(local, address, PAGE, region, MrAccess.RECV)).isEqualTo(-FiErrno.FI_EACCES);
        assertThat(local.descriptor()).as("of a look that was refused").isNull();
        assertThat(way.look(local, address, PAGE + 1, region, right)).as("its end").isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(local.descriptor()).as("of a look that was refused").isNull();
        assertThat(way.look(local, address - 1, 2, region, right)).as("its begin").isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(way.look(local, address, 1, register(open(), right), right)).isEqualTo(-FiErrno.FI_EDOMAIN);
        final MemoryRegion other = HookedDevice.proxy(MemoryRegion.class, (proxy, method, arguments) -> domain);
        assertThat(way.look(local, address, 1, other, right)).as("not ours").isEqualTo(-FiErrno.FI_EINVAL);
        region.close();
        assertThat(way.look(local, address, 1, region, right)).as("closed").isEqualTo(-FiErrno.FI_EINVAL);
    }

    @Test
    void theDeviceFindsMemoryByItsDescriptor() {
        final Domain domain = open();
        final LocalMemory local = local(domain);
        final FabricRegion region = (FabricRegion) register(domain, MrAccess.SEND);
        assertThat(local.find(address + 8, 100, region, null, MrAccess.SEND, ACCESS)).isZero();
        assertThat(local.deviceAddress()).isEqualTo(region.deviceAddress(address + 8, 100)).isNotZero();
        assertThat(local.lkey()).isEqualTo(region.lkey(address + 8, 100)).isNotZero();
        assertThat(local.processAddress()).isEqualTo(address + 8);
        assertThat(local.cached()).isNull();
        assertThat(local.find(address + 8, 0, region, null, MrAccess.SEND, ACCESS)).as("nothing").isZero();
        assertThat(local.deviceAddress() + local.lkey()).isZero();
        assertThat(local.findCopied(address + 9, 8, region, MrAccess.SEND)).isZero();
        assertThat(local.processAddress()).isEqualTo(address + 9);
    }

    /** FI_MR_LOCAL is about what the device touches. */
    @ParameterizedTest
    @CsvSource({"true", "false"})
    void aDescriptorMayBeMissingUnlessAllLocalMemoryNeedsOne(final boolean needed) {
        final Domain domain = needed ? open(MrMode.LOCAL) : open();
        final Lender cache = new Lender();
        final LocalMemory local = local(domain, cache);
        final int code = needed ? -FiErrno.FI_EINVAL : 0;
        assertThat(local.find(address, 8, null, null, MrAccess.SEND, ACCESS)).isEqualTo(code);
        assertThat(local.check(address, 8, null, MrAccess.SEND)).isEqualTo(code);
        assertThat(cache.lent).isEqualTo(needed ? 0 : 1);
        local.letGo();
        assertThat(local.find(address, 0, null, null, MrAccess.SEND, ACCESS)).as("nothing").isZero();
        assertThat(local.findCopied(address, 8, null, MrAccess.SEND)).as("copied").isZero();
        assertThat(local.processAddress()).isEqualTo(address);
        assertThat(local.descriptor()).isNull();
        assertThat(cache.lent).isZero();
    }

    @Test
    void theCacheLendsWhatHasNoDescriptorUntilItIsLetGo() {
        final Lender cache = new Lender();
        final LocalMemory local = local(open(), cache);
        assertThat(local.find(address, 8, null, null, MrAccess.SEND, ACCESS)).isZero();
        assertThat(local.deviceAddress()).isEqualTo(address + Lender.SHIFT);
        assertThat(local.lkey()).isEqualTo(Lender.LKEY);
        assertThat(local.cached()).isNotNull();
        assertThat(cache.lent).isEqualTo(1);
        local.letGo();
        local.letGo();
        assertThat(local.cached()).isNull();
        assertThat(cache.lent).isZero();
        assertThat(local.find(address, 9, null, "me", MrAccess.SEND, ACCESS)).isZero();
        local.letGo();
        assertThat(cache.asked).containsExactly("8 of nobody, 1", "9 of me, 1");
        cache.errno = FiErrno.FI_ENOMEM;
        assertThat(local.find(address, 8, null, null, MrAccess.SEND, ACCESS)).isEqualTo(-FiErrno.FI_ENOMEM);
        assertThat(local(open(), null).find(address, 8, null, null, MrAccess.SEND, ACCESS)).as("without a cache")
            .isEqualTo(-FiErrno.FI_EINVAL);
    }

    /** Of another authorization key: for the device that is no right to this one. */
    @ParameterizedTest
    @CsvSource({"true", "false"})
    void aDescriptorOfAnotherRealmIsOnlyAPlace(final boolean needed) {
        final Domain domain = needed ? open(MrMode.LOCAL) : open();
        final Lender cache = new Lender();
        final LocalMemory local = local(domain, cache);
        final MemoryRegion region = register(domain, MrAccess.SEND);
        assertThat(local.find(address, 8, region, null, MrAccess.SEND, ACCESS))
            .isEqualTo(needed ? -FiErrno.FI_EDOMAIN : 0);
        assertThat(cache.lent).isEqualTo(needed ? 0 : 1);
        assertThat(local.descriptor()).isNull();
        local.letGo();
    }

    /** Before 1.22 a descriptor counted only with FI_MR_LOCAL or FI_MR_HMEM. */
    @ParameterizedTest
    @CsvSource({"21, , true", "22, , false", "21, LOCAL, false", "21, HMEM, false"})
    void aDescriptorThatDoesNotCountMayBeAnything(final int minor, final MrMode mode, final boolean ignored) {
        final Set<MrMode> modes = mode == null ? EnumSet.noneOf(MrMode.class) : EnumSet.of(mode);
        final Domain domain = domains.open(hints -> hints.apiVersion(1, minor).mrMode(modes).demand(modes)
            .capabilities(mode == MrMode.HMEM ? EnumSet.of(Capability.MSG, Capability.RMA, Capability.HMEM)
                : EnumSet.of(Capability.MSG, Capability.RMA)));
        final Lender cache = new Lender();
        final LocalMemory local = local(domain, cache);
        final MemoryRegion closed = register(domain, MrAccess.SEND);
        closed.close();
        for (final Way way : Way.values()) {
            assertThat(way.look(local, address, 8, closed, MrAccess.SEND)).as("%s", way)
                .isEqualTo(ignored ? 0 : -FiErrno.FI_EINVAL);
            local.letGo();
        }
        assertThat(cache.asked).hasSize(ignored ? 1 : 0);
    }

    @Test
    void memoryThatCannotBeIsRefusedBeforeAnybodyIsAsked() {
        final Lender cache = new Lender();
        final LocalMemory local = local(open(), cache);
        for (final long[] range : new long[][] {{address, -1}, {address, Long.MIN_VALUE}, {0, 1},
            {-PAGE, PAGE + 1}, {-1, 2}}) {
            final String name = Arrays.toString(range);
            assertThat(local.find(range[0], range[1], null, null, MrAccess.SEND, ACCESS)).as(name)
                .isEqualTo(-FiErrno.FI_EINVAL);
            assertThat(local.findCopied(range[0], range[1], null, MrAccess.SEND)).as(name)
                .isEqualTo(-FiErrno.FI_EINVAL);
        }
        assertThat(cache.asked).isEmpty();
        for (final long[] range : new long[][] {{0, 0}, {1, 1}, {-PAGE, PAGE}, {-1, 1},
            {Long.MAX_VALUE, 2}}) {
            assertThat(local.findCopied(range[0], range[1], null, MrAccess.SEND)).as(Arrays.toString(range)).isZero();
        }
    }

    /** What may be taken away is copied by the kernel. */
    @Test
    void onlyMemoryThatIsHeldMayBeCopiedByAThread() {
        final Domain domain = open();
        final LocalMemory local = local(domain);
        final PinnedMemory memory = domains.keep(domain.allocate(PAGE));
        final MemoryRegion held = domains.keep(domain.register(
            new MrAttributes().buffer(memory).access(MrAccess.SEND)));
        assertThat(local.find(memory.address(), 8, held, null, MrAccess.SEND, ACCESS)).isZero();
        assertThat(local.isKept(null)).isTrue();
        assertThat(local.findCopied(memory.address(), 8, held, MrAccess.SEND)).isZero();
        assertThat(local.isKept(null)).isTrue();
        assertThat(local.find(address, 8, register(domain, MrAccess.SEND), null, MrAccess.SEND, ACCESS)).isZero();
        assertThat(local.isKept(null)).as("memory of nobody").isFalse();
        assertThat(local.isKept(memory)).isTrue();
        assertThat(local.isKept(buffer)).isTrue();
        assertThat(local.isKept(this)).isFalse();
    }

    @Test
    void anAddressStaysOutsideTheHeap() {
        final UnsafeBuffer outside = new UnsafeBuffer(ByteBuffer.allocateDirect(16));
        assertThat(LocalMemory.isOutsideHeap(outside, 0, 16)).isTrue();
        assertThat(LocalMemory.isOutsideHeap(outside, 16, 0)).isTrue();
        assertThat(LocalMemory.isOutsideHeap(outside, 1, 16)).isFalse();
        assertThat(LocalMemory.isOutsideHeap(outside, -1, 2)).isFalse();
        assertThat(LocalMemory.isOutsideHeap(outside, 1, -1)).isFalse();
        assertThat(LocalMemory.isOutsideHeap(outside, Integer.MAX_VALUE, Integer.MAX_VALUE)).isFalse();
        assertThat(LocalMemory.isOutsideHeap(new UnsafeBuffer(new byte[16]), 0, 16)).isFalse();
        assertThat(LocalMemory.isOutsideHeap(null, 0, 0)).isFalse();
    }

    @Test
    void buffersOfAMessageAreFoundInOrderButThoseWithoutBytes() {
        final Lender cache = new Lender();
        final LocalBuffers buffers = new LocalBuffers(local(open(), cache), 2);
        assertThat(buffers.limit()).isEqualTo(2);
        final Message message = new Message(3).add(address, 3, null).add(address + 100, 5, null);
        assertThat(buffers.find(message, MrAccess.SEND, ACCESS)).isZero();
        assertThat(buffers.count()).isEqualTo(2);
        assertThat(buffers.total()).isEqualTo(8);
        assertThat(buffers.deviceAddress(1)).isEqualTo(address + 100 + Lender.SHIFT);
        assertThat(List.of(buffers.length(0), buffers.length(1))).containsExactly(3, 5);
        assertThat(buffers.lkey(1)).isEqualTo(Lender.LKEY);
        final CachedRegion taken = buffers.take(1);
        assertThat(buffers.take(1)).as("handed over once").isNull();
        assertThat(buffers.take(2)).as("beyond").isNull();
        buffers.letGo();
        assertThat(cache.lent).as("what was handed over").isEqualTo(1);
        assertThat(buffers.count()).isZero();
        assertThat(buffers.total()).as("also after they were let go").isEqualTo(8);
        taken.release();
        assertThat(buffers.find(message.add(address, 1, null), MrAccess.SEND, ACCESS)).as("beyond the limit")
            .isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(buffers.find(new Message(2).add(address, 0, null).add(address, 7, null), MrAccess.SEND, ACCESS))
            .isZero();
        assertThat(buffers.count()).isEqualTo(1);
        assertThat(buffers.length(0)).isEqualTo(7);
        buffers.letGo();
        assertThat(buffers.find(address, 4, null, null, MrAccess.SEND, ACCESS)).isZero();
        assertThat(buffers.count()).isEqualTo(1);
        assertThat(buffers.total()).isEqualTo(4);
        buffers.letGo();
        assertThat(buffers.find(0, 4, null, null, MrAccess.SEND, ACCESS)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(buffers.count()).isZero();
        assertThat(cache.lent).isZero();
    }

    @Test
    void aMessageThatIsRefusedKeepsNothing() {
        final Lender cache = new Lender();
        final LocalBuffers buffers = new LocalBuffers(local(open(), cache), 2);
        assertThat(buffers.find(new Message(2).add(address, 3, null).add(0, 5, null), MrAccess.SEND, ACCESS))
            .isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(cache.asked).hasSize(1);
        assertThat(cache.lent).isZero();
    }

    @Test
    void theBytesOfAMessageAreCollectedAsFarAsTheyAreThere() {
        final Domain domain = open(MrMode.LOCAL);
        final LocalBuffers buffers = new LocalBuffers(local(domain), 3);
        final UnsafeBuffer bytes = new UnsafeBuffer(buffer);
        bytes.putByte(0, (byte) 1);
        bytes.putShort(100, (short) 0x0303);
        final Message message = new Message(3).add(address, 1, null).add(address, 0, null).add(address + 100, 2, null);
        final UnsafeBuffer to = new UnsafeBuffer(new byte[8]);
        assertThat(buffers.findCopied(message, MrAccess.SEND)).isZero();
        assertThat(buffers.collect(message, to, 4)).isEqualTo(3);
        assertThat(to.byteArray()).containsExactly(0, 0, 0, 0, 1, 3, 3, 0);
        final Message missing = new Message(1).add(PAGE, 8, null);
        assertThat(buffers.findCopied(missing, MrAccess.SEND)).isZero();
        assertThat(buffers.collect(missing, to, 0)).isEqualTo(-FiErrno.FI_EFAULT);
        final MemoryRegion region = register(domain, MrAccess.RECV);
        assertThat(buffers.findCopied(new Message(1).add(address, 8, region), MrAccess.SEND))
            .isEqualTo(-FiErrno.FI_EACCES);
    }
}
