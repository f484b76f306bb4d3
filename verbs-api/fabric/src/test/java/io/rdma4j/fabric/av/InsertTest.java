/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import static io.rdma4j.fabric.Refusal.assertInvalid;
import static io.rdma4j.fabric.av.AvRig.bad;
import static io.rdma4j.fabric.av.AvRig.device;
import static io.rdma4j.fabric.av.AvRig.devices;
import static io.rdma4j.fabric.av.AvRig.find;
import static io.rdma4j.fabric.av.AvRig.packed;
import static io.rdma4j.fabric.av.AvRig.socket;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.AvFlag;
import io.rdma4j.fabric.AvInsert;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.testing.CutOffFile;
import io.rdma4j.verbs.Gid;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** Inserting, looking up and removing, one call after the other (checklist 66-92). */
@Timeout(120)
class InsertTest {
    private static final long NONE = FiAddr.NOTAVAIL;

    private final AvRig rig = new AvRig();

    @Test
    void theProviderChoosesTable() {
        assertThat(rig.open(new AvAttributes()).type()).isEqualTo(AvType.TABLE);
        assertThat(rig.open(AvType.MAP).type()).isEqualTo(AvType.MAP);
        assertThat(rig.open(AvType.TABLE).toString()).contains("TABLE", "0 addresses");
    }

    @Test
    void theContextIsTheProgramsOwn() {
        final Object mine = new Object();
        assertThat(rig.open(new AvAttributes().context(mine)).context()).isSameAs(mine);
        assertThat(rig.open(new AvAttributes()).context()).isNull();
    }

    @Test
    void indicesOfATableGoOnFromCallToCall() {
        final FabricAddressVector vector = rig.open(AvType.TABLE);
        final long[] names = new long[3];
        assertThat(vector.insert(devices(0, 3), names, null)).isEqualTo(3);
        assertThat(names).containsExactly(0, 1, 2);
        assertThat(vector.insert(device(100))).isEqualTo(3);
        assertThat(vector.insert(packed(devices(10, 2)), 0, 2, names, new AvInsert().more(true))).isEqualTo(2);
        assertThat(names).containsExactly(4, 5, 2);
        assertThat(vector.size()).isEqualTo(6);
    }

    @ParameterizedTest
    @EnumSource(value = AvType.class, names = {"MAP", "TABLE"})
    void theLowestFreeIndexIsTaken(final AvType type) {
        final FabricAddressVector vector = rig.open(type);
        final long[] names = new long[300];
        vector.insert(devices(0, 300), names, null);
        vector.remove(new long[] {names[200], names[70], names[7]}, 3, 0);
        for (final int place : new int[] {7, 70, 200, 300}) {
            final long name = vector.insert(device(1_000 + place));
            assertThat(find(vector, name).index()).isEqualTo(place);
            if (type == AvType.TABLE) {
                assertThat(name).isEqualTo(place);
            } else {
                assertThat(names).doesNotContain(name);
            }
        }
    }

    @Test
    void namesOfAMapAreNeverThoseOfOthersBefore() {
        final FabricAddressVector vector = rig.open(new AvAttributes().type(AvType.MAP).rxCtxBits(16));
        final Set<Long> before = new HashSet<>();
        for (int i = 0; i < 70_000; i++) {
            final long name = vector.insert(device(1));
            assertThat(before.add(name)).as("0x%x, life %d", name, i).isTrue();
            assertThat(FiAddr.peer(FiAddr.rxAddr(name, 0xffff, 16), 16)).isEqualTo(name);
            vector.remove(new long[] {name}, 1, 0);
        }
        // The first place had its last life: it is not used again.
        assertThat(find(vector, vector.insert(device(1))).index()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"TABLE,false", "MAP,false", "TABLE,true", "MAP,true"})
    void badOnesHarmNothingButThemselves(final AvType type, final boolean symmetric) {
        final FabricAddressVector vector =
            symmetric ? rig.open(type, AvFlag.SYMMETRIC) : rig.open(type);
        final FabricAddress[] addresses = {bad(), device(1), null, device(2), socket("10.1.1.1", 5), device(3)};
        final long[] names = new long[6];
        final int[] errors = {9, 9, 9, 9, 9, 9};
        assertThat(vector.insert(addresses, names, new AvInsert().errors(errors))).isEqualTo(3);
        final int invalid = FiErrno.FI_EINVAL;
        assertThat(errors).containsExactly(invalid, 0, invalid, 0, invalid, 0);
        assertThat(names[0]).isEqualTo(NONE);
        assertThat(names[2]).isEqualTo(NONE);
        assertThat(names[4]).isEqualTo(NONE);
        for (final int good : new int[] {1, 3, 5}) {
            assertThat(vector.lookup(names[good])).isEqualTo(addresses[good]);
        }
        assertThat(vector.size()).isEqualTo(3);
        if (type == AvType.TABLE) {
            assertThat(names).containsExactly(NONE, 0, NONE, 1, NONE, 2);
        }
    }

    @Test
    void allCanBeBad() {
        final FabricAddressVector vector = rig.open(AvType.MAP);
        final long[] names = new long[2];
        assertThat(vector.insert(new FabricAddress[] {bad(), null}, names, null)).isZero();
        assertThat(names).containsExactly(NONE, NONE);
        assertInvalid(() -> vector.insert(bad()), "version 77");
        assertInvalid(() -> vector.insert((FabricAddress) null), "null");
        assertThat(vector.insert(device(1))).isNotEqualTo(NONE);
    }

    @Test
    void whatIsWrongWithADeviceAddressIsTold() {
        final FabricAddressVector vector = rig.open(AvType.TABLE);
        final int[][] changes = {{24, 2}, {26, 0}, {26, 9}, {26, 2}, {28, 1}, {31, 1}, {19, 1}};
        for (final int[] change : changes) {
            final byte[] bytes = device(1).bytes();
            bytes[change[0]] = (byte) change[1];
            assertInvalid(() -> vector.insert(FabricAddress.of(AddressFormat.DEVICE, bytes)));
        }
        assertInvalid(() -> vector.insert(FabricAddress.of(AddressFormat.DEVICE, zeroGid())), "GID");
        assertThat(vector.size()).isZero();
    }

    private static byte[] zeroGid() {
        final byte[] bytes = device(1).bytes();
        Arrays.fill(bytes, 0, 16, (byte) 0);
        return bytes;
    }

    @Test
    void addressesInMemoryThatIsGoneAreBad() {
        final FabricAddressVector vector = rig.open(AvType.TABLE);
        final byte[] address = device(1).bytes();
        final int[] errors = new int[1];
        final long[] names = new long[1];
        try (CutOffFile file = new CutOffFile(address.length)) {
            file.bytes().put(address);
            final UnsafeBuffer bare = new UnsafeBuffer(new UnsafeBuffer(file.bytes()).addressOffset(), address.length);
            assertThat(vector.insert(bare, 0, 1, names, null)).isOne();
            file.cutOff();
            assertThat(vector.insert(bare, 0, 1, names, new AvInsert().errors(errors))).isZero();
        }
        assertThat(errors).containsExactly(FiErrno.FI_EFAULT);
        assertThat(names).containsExactly(NONE);
        assertThat(vector.size()).isOne();
    }

    @Test
    void severalInMemoryThatMayGoAreEachTakenFromTheirPlace() {
        final FabricAddressVector vector = rig.open(AvType.TABLE);
        final FabricAddress[] addresses = devices(20, 3);
        final int size = addresses[0].bytes().length;
        final long[] names = new long[3];
        try (CutOffFile file = new CutOffFile(8 + 3 * size)) {
            final UnsafeBuffer bare = new UnsafeBuffer(new UnsafeBuffer(file.bytes()).addressOffset(), 8 + 3 * size);
            bare.putBytes(8, packed(addresses), 0, 3 * size);
            assertThat(vector.insert(bare, 8, 3, names, null)).isEqualTo(3);
        }
        for (int i = 0; i < 3; i++) {
            assertThat(vector.lookup(names[i])).isEqualTo(addresses[i]);
        }
    }

    @Test
    void noneAtAllIsFine() {
        final FabricAddressVector vector = rig.open(AvType.TABLE);
        assertThat(vector.insert(new UnsafeBuffer(new byte[0]), 0, 0, new long[0], null)).isZero();
        assertThat(vector.insert(null, 0, 0, null, null)).isZero();
        assertThat(vector.insert(new FabricAddress[0], null, null)).isZero();
        assertThat(rig.open(AvType.MAP).insert(new FabricAddress[0], null, null)).isZero();
        assertThat(vector.insertSymmetric("fe80::1", 0, "qpn:1", 3, null, null)).isZero();
        vector.remove(new long[0], 0, 0);
        assertThat(vector.size()).isZero();
    }

    @Test
    void aTableNeedsNoArrayForNames() {
        final FabricAddressVector vector = rig.open(AvType.TABLE);
        assertThat(vector.insert(packed(device(5), bad(), device(6)), 0, 3, null, null)).isEqualTo(2);
        assertThat(vector.lookup(0)).isEqualTo(device(5));
        assertThat(vector.lookup(1)).isEqualTo(device(6));
        assertInvalid(() -> vector.lookup(2), "0x2");
        assertInvalid(() -> rig.open(AvType.MAP).insert(devices(0, 1), null, null), "array for names");
    }

    @Test
    void completionsReportUserIdentifiers() {
        final FabricAddressVector vector = rig.open(AvType.MAP);
        final long[] names = {77, -5};
        vector.insert(new FabricAddress[] {device(1), device(2)}, names, new AvInsert().userIds(true));
        final long other = vector.insert(device(3));
        assertThat(names).doesNotContain(77, -5);
        assertThat(vector.source(AvRig.GID_HIGH, 1, 1)).isEqualTo(77);
        assertThat(vector.source(AvRig.GID_HIGH, 2, 2)).isEqualTo(-5);
        assertThat(vector.source(AvRig.GID_HIGH, 3, 3)).isEqualTo(other);
        assertThat(vector.nameOf(AvRig.GID_HIGH, 1, 1)).isEqualTo(names[0]);
        assertThat(vector.source(AvRig.GID_HIGH, 3, 4)).isEqualTo(NONE);
        assertThat(vector.nameOf(0, 3, 3)).isEqualTo(NONE);
        vector.userId(other, 9, 0);
        assertThat(vector.source(AvRig.GID_HIGH, 3, 3)).isEqualTo(9);
        vector.remove(names, 1, 0);
        assertThat(vector.source(AvRig.GID_HIGH, 1, 1)).isEqualTo(NONE);
        final long again = vector.insert(device(1));
        assertThat(vector.source(AvRig.GID_HIGH, 1, 1)).as("the identifier was the other address'").isEqualTo(again);
    }

    @ParameterizedTest
    @CsvSource({"TABLE,false", "MAP,false", "TABLE,true", "MAP,true"})
    void ofDuplicatesTheFirstOneIsReported(final AvType type, final boolean symmetric) {
        final FabricAddressVector vector =
            symmetric ? rig.open(type, AvFlag.SYMMETRIC) : rig.open(type);
        final long[] names = new long[4];
        vector.insert(new FabricAddress[] {device(1), device(1), device(1), device(2)}, names, null);
        assertThat(vector.size()).isEqualTo(4);
        assertThat(vector.nameOf(AvRig.GID_HIGH, 1, 1)).isEqualTo(names[0]);
        vector.remove(new long[] {names[1]}, 1, 0);
        assertThat(vector.nameOf(AvRig.GID_HIGH, 1, 1)).isEqualTo(names[0]);
        vector.remove(new long[] {names[0]}, 1, 0);
        assertThat(vector.nameOf(AvRig.GID_HIGH, 1, 1)).isEqualTo(names[2]);
        final long last = vector.insert(device(1));
        assertThat(vector.nameOf(AvRig.GID_HIGH, 1, 1)).isEqualTo(names[2]);
        vector.remove(new long[] {names[2], last}, 2, 0);
        assertThat(vector.nameOf(AvRig.GID_HIGH, 1, 1)).isEqualTo(NONE);
        assertThat(vector.nameOf(AvRig.GID_HIGH, 2, 2)).isEqualTo(names[3]);
    }

    @ParameterizedTest
    @EnumSource(value = AvType.class, names = {"MAP", "TABLE"})
    void removalTakesAllThatAreThere(final AvType type) {
        final FabricAddressVector vector = rig.open(type);
        final long[] names = new long[5];
        vector.insert(devices(0, 5), names, null);
        final long[] batch = {names[1], 1L << 62, names[3], NONE, names[1], names[0]};
        assertInvalid(() -> vector.remove(batch, 5, 0), "3 of 5", "index 1", "others");
        assertThat(vector.size()).isEqualTo(3);
        assertThat(find(vector, names[0])).as("behind the end").isNotNull();
        assertThat(find(vector, names[1])).isNull();
        assertThat(vector.source(AvRig.GID_HIGH, 2, 2)).isEqualTo(NONE);
        final long[] again = {names[1], names[3]};
        assertInvalid(() -> vector.remove(again, 2, 0), "2 of 2", "index 0");
        vector.insert(new FabricAddress[] {device(2), device(4)}, again, null);
        assertThat(vector.lookup(again[0])).isEqualTo(device(2));
        assertThat(vector.source(AvRig.GID_HIGH, 4, 4)).isEqualTo(again[1]);
    }

    @Test
    void aNameThatWasRemovedFromAMapIsRefusedForEver() {
        final FabricAddressVector vector = rig.open(AvType.MAP);
        final long old = vector.insert(device(1));
        vector.remove(new long[] {old}, 1, 0);
        final long now = vector.insert(device(2));
        assertThat(find(vector, now).index()).isZero();
        assertThat(find(vector, old)).isNull();
        assertInvalid(() -> vector.lookup(old));
        assertInvalid(() -> vector.remove(new long[] {old}, 1, 0));
        assertInvalid(() -> vector.userId(old, 1, 0));
        assertThat(vector.lookup(now)).isEqualTo(device(2));
    }

    @Test
    void anAddressIsToldInFullOrAsMuchAsFits() {
        for (final AvFlag[] flags : new AvFlag[][] {{}, {AvFlag.SYMMETRIC}}) {
            final FabricAddressVector vector = rig.open(AvType.TABLE, flags);
            final byte[] expected = device(0x123456).bytes();
            final long name = vector.insert(device(0x123456));
            for (int length = 0; length <= 40; length++) {
                final byte[] bytes = new byte[48];
                assertThat(vector.lookup(name, new UnsafeBuffer(bytes), 3, length)).isEqualTo(32);
                for (int i = 0; i < bytes.length; i++) {
                    final boolean written = i >= 3 && i < 3 + Math.min(length, 32);
                    assertThat(bytes[i]).as("byte %d, room %d", i, length).isEqualTo(written ? expected[i - 3] : 0);
                }
            }
        }
    }

    @Test
    void peersAreFoundByName() {
        final FabricAddressVector vector = rig.open(new AvAttributes().type(AvType.MAP).rxCtxBits(4));
        final long name = vector.insert(device(0xab, 0x123456));
        final PeerAddress peer = find(vector, FiAddr.peer(FiAddr.rxAddr(name, 3, 4), 4));
        assertThat(peer.gidHigh()).isEqualTo(AvRig.GID_HIGH);
        assertThat(peer.gidLow()).isEqualTo(0xab);
        assertThat(peer.qpn()).isEqualTo(0x123456);
        assertThat(peer.qkey()).isEqualTo(AvRig.QKEY);
        assertThat(peer.fiAddr()).isEqualTo(name);
        assertThat(peer.index()).isZero();
        assertThat(peer.toString()).contains("fe80::ab", "0x123456");
        assertThat(vector.rxCtxBits()).isEqualTo(4);
        assertThat(vector.domain()).isSameAs(rig.domain());
    }

    @Test
    void aSourceWithAnotherQueueKeyIsAnotherPeer() {
        for (final AvFlag[] flags : new AvFlag[][] {{}, {AvFlag.SYMMETRIC}}) {
            final FabricAddressVector vector = rig.open(AvType.MAP, flags);
            final Gid gid = new Gid(AvRig.GID_HIGH, 7);
            final long[] names = new long[3];
            for (int key = 0; key < 3; key++) {
                names[key] = vector.insert(FabricAddress.device(gid, 17, key - 1, EndpointType.RDM));
            }
            for (int key = 0; key < 3; key++) {
                assertThat(vector.source(gid.high(), gid.low(), 17, key - 1)).isEqualTo(names[key]);
            }
            assertThat(vector.source(gid.high(), gid.low(), 17, 2)).isEqualTo(FiAddr.NOTAVAIL);
            assertThat(vector.source(gid.high(), gid.low(), 17)).as("the key is not known").isIn(names[0], names[1],
                names[2]);
            vector.remove(names, 1, 0);
            assertThat(vector.source(gid.high(), gid.low(), 17, -1)).isEqualTo(FiAddr.NOTAVAIL);
            assertThat(vector.source(gid.high(), gid.low(), 17, 1)).isEqualTo(names[2]);
        }
    }

    @Test
    void whatIsNoNameIsNotFound() {
        for (final AvType type : new AvType[] {AvType.TABLE, AvType.MAP}) {
            for (final AvFlag[] flags : new AvFlag[][] {{}, {AvFlag.SYMMETRIC}}) {
                final FabricAddressVector vector = rig.open(type, flags);
                vector.insert(devices(0, 20), new long[20], null);
                final long[] none = {-1, -2, Long.MIN_VALUE, Long.MAX_VALUE, 20, 4096, 4097, 1 << 20,
                    Integer.MAX_VALUE, 1L << 31, 1L << 32, 2L << 31, (1L << 31) + 20, (1L << 62) + 1};
                for (final long name : none) {
                    if (type == AvType.MAP && name == 1L << 31) {
                        continue;
                    }
                    assertThat(find(vector, name)).as("%s 0x%x", type, name).isNull();
                    assertInvalid(() -> vector.lookup(name));
                    assertThat(vector.lookup(name, new UnsafeBuffer(new byte[32]), 0, 32))
                        .isEqualTo(-FiErrno.FI_EINVAL);
                }
            }
        }
    }

    @Test
    void socketsAreToldAsInserted() {
        final AvRig sockets = new AvRig(AddressFormat.SOCKADDR_IN);
        final FabricAddressVector vector = sockets.open(AvType.TABLE);
        final long[] names = new long[3];
        final FabricAddress first = socket("10.1.1.1", 5000);
        final FabricAddress last = socket("10.1.1.255", 65535 - 5536);
        final int[] errors = new int[3];
        assertThat(vector.insert(packed(first, socket("10.1.1.1", 60_001), last), 0, 3, names,
            new AvInsert().errors(errors))).isEqualTo(2);
        assertThat(errors).containsExactly(0, FiErrno.FI_ENODATA, 0);
        assertThat(vector.lookup(names[0])).isEqualTo(first);
        assertThat(vector.lookup(names[2])).isEqualTo(last);
        assertThat(find(vector, names[0]).qpn()).isEqualTo(5000);
        assertThat(vector.nameOf(0, 0x0a0101ff, 59_999)).isEqualTo(names[2]);
        assertThat(vector.straddr(first)).isEqualTo("fi_sockaddr_in://10.1.1.1:5000");
    }

    @Test
    void ipv6() {
        final AvRig sockets = new AvRig(AddressFormat.SOCKADDR_IN6);
        for (final AvFlag[] flags : new AvFlag[][] {{}, {AvFlag.SYMMETRIC}}) {
            final FabricAddressVector vector = sockets.open(AvType.MAP, flags);
            final FabricAddress address = socket("fe80::1:2:3", 7);
            final long name = vector.insert(address);
            assertThat(vector.lookup(name)).isEqualTo(address);
            final UnsafeBuffer to = new UnsafeBuffer(new byte[28]);
            assertThat(vector.lookup(name, to, 0, 27)).isEqualTo(28);
            assertThat(vector.lookup(name, null, 0, 0)).isEqualTo(28);
            assertThat(vector.lookup(name, new UnsafeBuffer(ByteBuffer.allocateDirect(28).asReadOnlyBuffer()), 0, 28))
                .isEqualTo(-FiErrno.FI_EINVAL);
            assertThat(Arrays.copyOf(to.byteArray(), 27))
                .isEqualTo(Arrays.copyOf(address.bytes(), 27));
        }
    }

    @Test
    void textIsToldAsInserted() {
        final AvRig text = new AvRig(AddressFormat.STR);
        final FabricAddressVector vector = text.open(AvType.TABLE, AvFlag.SYMMETRIC);
        final String[] addresses = {"fi_sockaddr_in://10.0.0.1:7", "fi_sockaddr_in://10.0.0.1:60007",
            "fi_sockaddr_in6://[1111:2222:3333:4444:5555:6666:7777:8888]:59999", null};
        final long[] names = new long[4];
        assertThat(vector.insert(addresses, names, null)).isEqualTo(2);
        assertThat(names).containsExactly(0, NONE, 1, NONE);
        final FabricAddress longest = vector.lookup(1);
        assertThat(new String(longest.bytes(), StandardCharsets.UTF_8)).isEqualTo(addresses[2]);
        assertThat(longest.format()).isEqualTo(AddressFormat.STR);
        assertThat(new String(vector.lookup(0).bytes(), StandardCharsets.UTF_8)).isEqualTo(addresses[0]);
        final UnsafeBuffer to = new UnsafeBuffer(new byte[5]);
        assertThat(vector.lookup(1, to, 0, 5)).isEqualTo(addresses[2].length());
        assertThat(to.getStringWithoutLengthUtf8(0, 5)).isEqualTo("fi_so");
        assertThat(vector.lookup(1, null, 0, 0)).isEqualTo(addresses[2].length());
        assertThat(vector.lookup(1, null, 0, 1)).isEqualTo(-FiErrno.FI_EINVAL);
        vector.remove(new long[] {1}, 1, 0);
        assertThat(vector.insert(FabricAddress.text(addresses[0]))).isEqualTo(1);
        assertThat(vector.size()).isEqualTo(2);
    }

    @Test
    void anAddressIsWrittenAsTextAsMuchAsFits() {
        final AvRig sockets = new AvRig(AddressFormat.SOCKADDR_IN);
        final FabricAddressVector vector = sockets.open(AvType.TABLE);
        final String text = "fi_sockaddr_in://10.1.1.1:5000";
        final UnsafeBuffer to = new UnsafeBuffer(new byte[64]);
        assertThat(vector.straddr(socket("10.1.1.1", 5000), null, 0, 0)).isEqualTo(text.length() + 1);
        for (int length = 0; length < 40; length++) {
            to.setMemory(0, 64, (byte) '#');
            assertThat(vector.straddr(socket("10.1.1.1", 5000), to, 2, length)).isEqualTo(text.length() + 1);
            final String expected = length == 0 ? "##" : "##" + text.substring(0, Math.min(text.length(), length - 1))
                + "\0#";
            assertThat(to.getStringWithoutLengthAscii(0, 64)).as("room %d", length).startsWith(expected);
        }
    }

    @Test
    void rangesOfQueuePairsAreCountedUp() {
        final FabricAddressVector vector = rig.open(AvType.TABLE);
        final long[] names = new long[4];
        assertThat(vector.insertSymmetric("fe80::ffff", 2, "qpn:17/0x1ee7", 2, names, null)).isEqualTo(4);
        assertThat(vector.lookup(0)).isEqualTo(device(0xffff, 17));
        assertThat(vector.lookup(1)).isEqualTo(device(0xffff, 18));
        assertThat(vector.lookup(2)).isEqualTo(device(0x10000, 17));
        assertThat(vector.lookup(3)).isEqualTo(device(0x10000, 18));
        assertThat(vector.insertSymmetric("fe80::ffff:ffff:ffff:ffff", 2, "qpn:1/0x1ee7", 1, names, null)).isEqualTo(2);
        assertThat(find(vector, 5).gid().toString()).isEqualTo("fe80:0:0:1::");
        assertInvalid(() -> vector.insertSymmetric("fe80::1", 1, "qpn:0xffffff", 2, names, null));
        assertInvalid(() -> vector.insertSymmetric("node", 2, "qpn:1", 2, names, null), "number");
        assertInvalid(() -> vector.insertSymmetric("fe80::1", 70_000, "qpn:1", 70_000, names, null));
    }

    @Test
    void authorizationKeysHaveNamesOfTheirOwn() {
        rig.avAuthKeys = true;
        final FabricAddressVector vector = rig.open(AvType.TABLE);
        final byte[] key = {1, 2, 3};
        final long name = vector.insertAuthKey(key, 0);
        key[0] = 9;
        assertThat(vector.insertAuthKey(new byte[] {1, 2, 3}, 0)).isEqualTo(name);
        final long other = vector.insertAuthKey(key, 0);
        assertThat(other).isNotEqualTo(name);
        assertThat(vector.lookupAuthKey(name)).containsExactly(1, 2, 3);
        assertThat(vector.authKey(other)).containsExactly(9, 2, 3);
        assertThat(vector.authKeys()).hasSize(2);
        assertThat(find(vector, name)).isNull();
        assertInvalid(() -> vector.lookup(name));
        final long[] names = new long[1];
        vector.insert(devices(0, 1), names, new AvInsert().authKey(other));
        final long without = vector.insert(device(7));
        assertThat(vector.authKeyOf(names[0])).containsExactly(9, 2, 3);
        assertThat(vector.authKeyOf(without)).isNull();
        assertThat(vector.authKeyOf(99)).isNull();
        assertThat(vector.authKey(names[0])).isNull();
        assertThat(vector.lookupAuthKey(names[0])).as("that of an address").containsExactly(9, 2, 3);
        assertInvalid(() -> vector.lookupAuthKey(without), "no authorization key");
        assertInvalid(() -> vector.insert(devices(0, 1), names, new AvInsert().authKey(5)), "0x5");
        for (final long none : new long[] {0x7fff_fffe_0000_0000L, Long.MAX_VALUE, Long.MIN_VALUE, -1, 99}) {
            assertInvalid(() -> vector.lookupAuthKey(none), "authorization key");
        }
    }

    @Test
    void memoryIsTold() {
        final FabricAddressVector vector = rig.open(AvType.TABLE);
        assertThat(vector.memoryUse()).isBetween(1L, 4096L);
        vector.insert(devices(0, 10_000), null, null);
        assertThat(vector.memoryUse()).isBetween(10_000L * 36, 10_000L * 56);
    }
}
