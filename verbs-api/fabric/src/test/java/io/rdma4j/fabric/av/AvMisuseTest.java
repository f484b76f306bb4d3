/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import static io.rdma4j.fabric.Refusal.assertInvalid;
import static io.rdma4j.fabric.Refusal.assertRefused;
import static io.rdma4j.fabric.av.AvRig.device;
import static io.rdma4j.fabric.av.AvRig.devices;
import static io.rdma4j.fabric.av.AvRig.packed;
import static io.rdma4j.fabric.av.AvRig.socket;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.AvFlag;
import io.rdma4j.fabric.AvInsert;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.testing.Patience;

import org.agrona.concurrent.UnsafeBuffer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** What cannot be is refused, and says why. */
@Timeout(60)
class AvMisuseTest {
    private final AvRig rig = new AvRig();
    private final FabricAddressVector vector = rig.open(AvType.TABLE);

    @Test
    void attributes() {
        assertInvalid(() -> rig.open((AvAttributes) null), "null");
        assertInvalid(() -> rig.open(new AvAttributes().type(null)), "type");
        assertInvalid(() -> rig.open(new AvAttributes().rxCtxBits(-1)), "-1", "16");
        assertInvalid(() -> rig.open(new AvAttributes().rxCtxBits(17)), "17");
        assertInvalid(() -> rig.open(new AvAttributes().count(-1)), "count");
        assertInvalid(() -> rig.open(new AvAttributes().epPerNode(-1)), "ep_per_node");
        assertInvalid(() -> rig.open(new AvAttributes().flags(AvFlag.READ)), "no name");
        for (final String name : new String[] {"", ".", "..", "a/b", "a b", "a\n", "x".repeat(129)}) {
            assertInvalid(() -> rig.open(new AvAttributes().name(name)), "name");
        }
        assertRefused(FiErrno.FI_ENOSYS, () -> rig.open(new AvAttributes().name("a")), "'a'");
        final FabricAddressVector large = rig.open(new AvAttributes().count(Long.MAX_VALUE).epPerNode(1L << 40));
        assertThat(large.memoryUse()).as("a hint").isLessThan(1 << 24);
        assertThat(rig.open(new AvAttributes().mapAddress(5)).mapAddress()).as("without a name").isZero();
    }

    @Test
    void insertions() {
        final UnsafeBuffer two = packed(device(1), device(2));
        final long[] names = new long[2];
        assertInvalid(() -> vector.insert(two, 0, -1, names, null), "count is -1");
        assertInvalid(() -> vector.insert(two, 0, 3, null, null), "3 addresses of 32 bytes");
        assertInvalid(() -> vector.insert(two, 1, 2, names, null), "at 1");
        assertInvalid(() -> vector.insert(two, -1, 1, names, null), "at -1");
        assertInvalid(() -> vector.insert(two, Integer.MAX_VALUE, 2, names, null));
        assertInvalid(() -> vector.insert(two, 0, Integer.MAX_VALUE, null, null));
        assertInvalid(() -> vector.insert(null, 0, 1, names, null), "null");
        assertInvalid(() -> vector.insert((FabricAddress[]) null, names, null), "null");
        assertInvalid(() -> vector.insert(new String[] {"x"}, names, null), "STR");
        assertInvalid(() -> vector.insert(devices(0, 3), names, null), "2 places for 3");
        assertInvalid(() -> vector.insert(devices(0, 2), names, new AvInsert().errors(new int[1])), "1 places for 2");
        assertInvalid(() -> vector.insert(devices(0, 2), null, new AvInsert().userIds(true)), "user identifiers");
        assertInvalid(() -> vector.insert(devices(0, 2), names, new AvInsert().authKey(0)), "authorization key");
        assertInvalid(() -> vector.insert(socket("10.0.0.1", 5)), "SOCKADDR_IN", "DEVICE");
        assertInvalid(() -> vector.insertService(null, "5", names, null), "node");
        assertInvalid(() -> vector.insertSymmetric(null, 1, "5", 1, names, null), "node");
        assertInvalid(() -> vector.insertSymmetric("fe80::1", 1, null, 1, names, null), "service");
        assertInvalid(() -> vector.insertSymmetric("fe80::1", -1, "qpn:5", 1, names, null), "-1");
        assertInvalid(() -> vector.insertSymmetric("fe80::1", 1, "qpn:5", -1, names, null), "-1");
        assertInvalid(() -> vector.insertSymmetric("fe80::1", 2, "qpn:5", 2, names, null), "2 places for 4");
        assertInvalid(() -> vector.insertSymmetric("localhost", 1, "qpn:5", 1, names, null), "localhost", "GID");
        assertThat(vector.size()).isZero();
        assertThat(names).containsOnly(0);
        final FabricAddressVector text = new AvRig(AddressFormat.STR).open(AvType.TABLE);
        assertInvalid(() -> text.insert(two, 0, 1, names, null), "strings");
        assertInvalid(() -> text.insert((String[]) null, names, null), "null");
    }

    @Test
    void otherCalls() {
        vector.insert(device(1));
        final UnsafeBuffer to = new UnsafeBuffer(new byte[32]);
        final long[] one = {0};
        vector.remove(null, 0, 0);
        assertInvalid(() -> vector.remove(null, 1, 0), "null");
        assertInvalid(() -> vector.remove(one, 2, 0), "2 names");
        assertInvalid(() -> vector.remove(one, -1, 0), "-1");
        assertRefused(FiErrno.FI_EBADFLAGS, () -> vector.remove(one, 1, 8), "0x8");
        assertRefused(FiErrno.FI_EBADFLAGS, () -> vector.userId(0, 1, 2));
        assertRefused(FiErrno.FI_EBADFLAGS, () -> vector.insertAuthKey(new byte[1], 2));
        assertInvalid(() -> vector.insertAuthKey(new byte[1], 0), "avAuthKeys");
        assertInvalid(() -> vector.lookupAuthKey(0));
        assertInvalid(() -> vector.lookup(FiAddr.UNSPEC), "0xffffffffffffffff");
        assertInvalid(() -> vector.userId(1, 1, 0), "0x1");
        assertThat(vector.lookup(0, null, 0, 1)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(vector.lookup(0, null, 1, 0)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(vector.lookup(0, to, -1, 1)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(vector.lookup(0, to, 0, -1)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(vector.lookup(0, to, 1, 32)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(vector.lookup(0, to, Integer.MAX_VALUE, Integer.MAX_VALUE)).isEqualTo(-FiErrno.FI_EINVAL);
        assertInvalid(() -> vector.straddr(null), "null");
        assertInvalid(() -> vector.straddr(socket("10.0.0.1", 5)), "DEVICE");
        assertInvalid(() -> vector.straddr(device(1), null, 0, 1), "null");
        assertInvalid(() -> vector.straddr(device(1), to, 1, 32), "32 bytes at 1");
        rig.avAuthKeys = true;
        assertInvalid(() -> vector.insertAuthKey(null, 0), "null");
        assertInvalid(() -> vector.insertAuthKey(new byte[0], 0), "empty");
        assertThat(vector.size()).isEqualTo(1);
    }

    @Test
    void nothingWorksWhenItIsClosed() throws Exception {
        final long name = vector.insert(device(1));
        vector.close();
        vector.close();
        assertThat(vector.isClosed()).isTrue();
        assertThat(rig.open).isEmpty();
        final UnsafeBuffer buffer = packed(device(1));
        final long[] names = new long[1];
        final List<ThrowingCallable> calls = List.of(() -> vector.insert(device(1)),
            () -> vector.insert(buffer, 0, 1, names, null), () -> vector.insert(devices(0, 1), names, null),
            () -> vector.insert(new String[1], names, null), () -> vector.insertService("a", "b", names, null),
            () -> vector.insertSymmetric("fe80::1", 1, "qpn:1", 1, names, null),
            () -> vector.remove(names, 1, 0), () -> vector.lookup(name), () -> vector.straddr(device(1)),
            () -> vector.straddr(device(1), buffer, 0, 1), () -> vector.userId(name, 1, 0),
            () -> vector.insertAuthKey(new byte[1], 0), () -> vector.lookupAuthKey(1),
            () -> vector.bind(rig.queue(), 0), () -> vector.use("an endpoint"));
        calls.forEach(call -> assertRefused(FiErrno.FI_EBADFD, call));
        // Who closed it holds nothing that another thread would wait for.
        assertThat(CompletableFuture.supplyAsync(vector::memoryUse).get(Patience.nanos(), TimeUnit.NANOSECONDS))
            .isZero();
        assertThat(vector.lookup(name, buffer, 0, 32)).isEqualTo(-FiErrno.FI_EBADFD);
        assertThat(vector.memoryUse()).isZero();
        assertThat(vector.toString()).contains("closed");
        assertThat(vector.type()).isEqualTo(AvType.TABLE);
    }

    /** As of a lookup that found the vector open, just before it was closed. */
    @Test
    void aLookupThatClosingOvertookSaysSo() {
        final Contents contents = new Contents(new HeapStore(AvType.TABLE, AddressFormat.DEVICE, 0));
        contents.close();
        assertThat(contents.inserted(0, packed(device(1)), 0, 32)).isEqualTo(-FiErrno.FI_EBADFD);
        assertRefused(FiErrno.FI_EBADFD, () -> contents.inserted(0), "look up", "closed");
    }

    @Test
    void endpointsKeepItOpen() {
        vector.use("one endpoint");
        vector.use("another");
        assertRefused(FiErrno.FI_EBUSY, vector::close, "2 endpoint");
        vector.unuse("one endpoint");
        vector.unuse("a stranger");
        assertRefused(FiErrno.FI_EBUSY, vector::close, "another");
        assertThat(vector.isClosed()).isFalse();
        assertThat(vector.insert(device(1))).isZero();
        vector.unuse("another");
        vector.close();
        assertThat(rig.open).isEmpty();
        vector.unuse("another");
    }

    @Test
    void sharedVectorsAreLimited() {
        final AvAttributes named = new AvAttributes().type(AvType.MAP).name("shared-1.x_Y").mapAddress(1 << 20);
        rig.stores = (domain, format, attributes) -> {
            assertThat(domain).isEqualTo(AvRig.DOMAIN);
            assertThat(format).isEqualTo(AddressFormat.DEVICE);
            return new SharedStandIn(attributes.mapAddress(), false);
        };
        final FabricAddressVector shared = rig.open(named);
        final long name = shared.insert(device(1));
        assertThat(name).isEqualTo((1 << 20) + AvNames.handle(0, 1));
        assertThat(shared.mapAddress()).isEqualTo(1 << 20);
        assertThat(shared.name()).isEqualTo("shared-1.x_Y");
        assertThat(shared.lookup(name)).isEqualTo(device(1));
        assertThat(shared.nameOf(AvRig.GID_HIGH, 1, 1)).isEqualTo(name);
        assertInvalid(() -> shared.lookup(AvNames.handle(0, 1)));
        assertInvalid(() -> shared.lookup(1));
        assertRefused(FiErrno.FI_ENOSYS, () -> shared.userId(name, 1, 0), "shared");
        assertRefused(FiErrno.FI_ENOSYS,
            () -> shared.insert(devices(0, 1), new long[1], new AvInsert().userIds(true)));
        rig.stores = (domain, format, attributes) -> new SharedStandIn(attributes.mapAddress(), true);
        final FabricAddressVector reader = rig.open(named.flags(AvFlag.READ));
        assertRefused(FiErrno.FI_EACCES, () -> reader.insert(device(1)), "reading only");
        assertRefused(FiErrno.FI_EACCES, () -> reader.insert(devices(0, 1), new long[1], null));
        assertRefused(FiErrno.FI_EACCES, () -> reader.remove(new long[] {name}, 1, 0));
    }

    @Test
    void aCloseThatFailedIsTriedAgain() {
        final SharedStandIn store = new SharedStandIn(0, false);
        store.failures = 2;
        rig.stores = (domain, format, attributes) -> store;
        final FabricAddressVector shared = rig.open(new AvAttributes().name("shared"));
        assertRefused(FiErrno.FI_EAGAIN, shared::close);
        assertRefused(FiErrno.FI_EAGAIN, shared::close);
        assertThat(store.closed).isFalse();
        shared.close();
        assertThat(store.closed).isTrue();
        assertThat(rig.open).containsExactly(vector);
        shared.close();
    }

    /** The domain was closed meanwhile: nobody else would give the store back. */
    @Test
    void whatTheDomainRefusesLeavesNoStoreOpen() {
        final SharedStandIn store = new SharedStandIn(0, false);
        rig.stores = (domain, format, attributes) -> store;
        rig.refusal = FabricException.of("open").errno(FiErrno.FI_EBADFD).build();
        assertRefused(FiErrno.FI_EBADFD, () -> rig.open(new AvAttributes().name("shared")));
        assertThat(store.closed).isTrue();
        assertThat(rig.open).containsExactly(vector);
    }
}
