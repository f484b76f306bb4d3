/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.fabric.FiErrno.FI_EBADFD;
import static io.rdma4j.fabric.FiErrno.FI_EBADFLAGS;
import static io.rdma4j.fabric.FiErrno.FI_EBUSY;
import static io.rdma4j.fabric.FiErrno.FI_EINVAL;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.AvFlag;
import io.rdma4j.fabric.AvInsert;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.verbs.Gid;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Address vectors in the device's own format: names, removal, lookups, and everything that is wrong. */
final class FabricVectorCases {
    static final int ADDRESS = 32;

    private FabricVectorCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("av.typeIsChosenOrKept", FabricVectorCases::types),
            ConformanceCase.of("av.attributesThatMakeNoSenseAreRefused", FabricVectorCases::attributes),
            ConformanceCase.of("av.tableTakesTheLowestFreeIndex", FabricVectorCases::lowest),
            ConformanceCase.of("av.tableNeedsNoPlaceForItsNames", FabricVectorCases::withoutNames),
            ConformanceCase.of("av.mapNamesDieWithTheirAddress", FabricVectorCases::mapNames),
            ConformanceCase.of("av.countIsAHint", FabricVectorCases::count),
            ConformanceCase.of("av.insertOfNothing", FabricVectorCases::nothing),
            ConformanceCase.of("av.badAddressesHarmNoOthers", FabricVectorCases::badOnes),
            ConformanceCase.of("av.insertRefusesNonsense", FabricVectorCases::nonsense),
            ConformanceCase.of("av.removeTakesAllThatAreThere", FabricVectorCases::remove),
            ConformanceCase.of("av.duplicatesHaveNamesOfTheirOwn", FabricVectorCases::duplicates),
            ConformanceCase.of("av.lookupTellsWhatWasInserted", FabricVectorCases::lookup),
            ConformanceCase.of("av.lookupOfUnknownNamesIsRefused", FabricVectorCases::lookupUnknown),
            ConformanceCase.of("av.textOfAnAddress", FabricVectorCases::straddr),
            ConformanceCase.of("av.receiveContextsHaveTheirBits", FabricVectorCases::rxAddr),
            ConformanceCase.of("av.userIdsLeaveNamesAlone", FabricVectorCases::userIds),
            ConformanceCase.of("av.closedVectorsSaySo", FabricVectorCases::closed),
            ConformanceCase.of("av.vectorsAtRandomAgainstAModel", FabricVectorCases::random),
            ConformanceCase.of("av.symmetricTakesLessMemory", FabricVectorCases::symmetric));
    }

    static Domain domain(final ConformanceEnv env, final AddressFormat format) {
        NamePort.choose();
        return FabricPair.domain(env, hints -> hints.capabilities(Capability.MSG)
            .endpointType(EndpointType.RDM).addressFormat(format));
    }

    static AddressVector open(final ConformanceEnv env, final AvType type) {
        return open(env, new AvAttributes().type(type));
    }

    static AddressVector open(final ConformanceEnv env, final AvAttributes attributes) {
        return env.own(domain(env, AddressFormat.DEVICE).openAddressVector(attributes));
    }

    /** Nobody has this address; each number has another one. */
    static FabricAddress address(final int number) {
        final byte[] gid = new byte[Gid.LENGTH];
        gid[0] = (byte) 0xfd;
        gid[14] = (byte) (number >> 16);
        gid[15] = (byte) (number >> 8);
        return FabricAddress.device(Gid.of(gid), 0x100 + (number & 0xff), 0x1ee7, EndpointType.RDM);
    }

    static FabricAddress[] addresses(final int first, final int count) {
        final FabricAddress[] all = new FabricAddress[count];
        for (int i = 0; i < count; i++) {
            all[i] = address(first + i);
        }
        return all;
    }

    static UnsafeBuffer bytes(final FabricAddress... addresses) {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[addresses.length * ADDRESS]);
        for (int i = 0; i < addresses.length; i++) {
            buffer.putBytes(i * ADDRESS, addresses[i].bytes());
        }
        return buffer;
    }

    private static void types(final ConformanceEnv env) {
        for (final AvType asked : AvType.values()) {
            final AddressVector vector = open(env, asked);
            final AvType wanted = asked == AvType.UNSPEC ? AvType.TABLE : asked;
            Check.equal(wanted, vector.type(), "type of a vector that was opened with %s", asked);
            Check.equal(AddressFormat.DEVICE, vector.format(), "format");
            Check.equal(0, vector.rxCtxBits(), "bits for receive contexts");
            Check.equal(null, vector.name(), "name");
            Check.equal(0L, vector.mapAddress(), "base of addresses");
            Check.equal(0L, vector.size(), "addresses");
            final long[] names = new long[3];
            Check.equal(3, vector.insert(addresses(0, 3), names, null), "inserted");
            Check.that(names[0] != names[1] && names[1] != names[2] && names[0] != names[2],
                "names are not different: %s", Arrays.toString(names));
            Check.that(wanted == AvType.MAP || Arrays.equals(new long[] {0, 1, 2}, names),
                "indices begin at 0: %s", Arrays.toString(names));
            Check.equal(3L, vector.size(), "addresses");
            Check.that(vector.memoryUse() > 0, "%d addresses take %d bytes", vector.size(), vector.memoryUse());
        }
    }

    private static void attributes(final ConformanceEnv env) {
        final Domain domain = domain(env, AddressFormat.DEVICE);
        FabricCheck.refused(FI_EINVAL, () -> domain.openAddressVector(null), "null");
        for (final int bits : new int[] {-1, FiAddr.MAX_RX_CTX_BITS + 1, 64}) {
            FabricCheck.refused(FI_EINVAL, () -> domain.openAddressVector(new AvAttributes().rxCtxBits(bits)),
                bits + " bits");
        }
        FabricCheck.refused(FI_EINVAL, () -> domain.openAddressVector(new AvAttributes().type(null)), "no type");
        FabricCheck.refused(FI_EINVAL, () -> domain.openAddressVector(new AvAttributes().count(-1)), "count -1");
        FabricCheck.refused(FI_EINVAL, () -> domain.openAddressVector(new AvAttributes().epPerNode(-1)),
            "-1 endpoints of a node");
        FabricCheck.refused(FI_EINVAL, () -> domain.openAddressVector(new AvAttributes().flags(AvFlag.READ)),
            "FI_READ without a name");
        for (final String name : new String[] {"", ".", "..", "a/b", "x".repeat(129), "a b", "\0"}) {
            FabricCheck.refused(FI_EINVAL, () -> domain.openAddressVector(new AvAttributes().name(name)),
                "the name '" + name + "'");
        }
        domain.openAddressVector(new AvAttributes().rxCtxBits(FiAddr.MAX_RX_CTX_BITS)).close();
    }

    private static void lowest(final ConformanceEnv env) {
        final AddressVector vector = open(env, AvType.TABLE);
        final long[] names = new long[10];
        vector.insert(addresses(0, 4), names, null);
        Check.equal(4L, vector.insert(address(4)), "fifth index");
        vector.insert(addresses(5, 5), names, null);
        Check.that(Arrays.equals(new long[] {5, 6, 7, 8, 9}, Arrays.copyOf(names, 5)),
            "indices go on: %s", Arrays.toString(names));
        vector.remove(new long[] {7, 2, 5}, 3, 0);
        vector.insert(addresses(20, 4), names, null);
        Check.that(Arrays.equals(new long[] {2, 5, 7, 10}, Arrays.copyOf(names, 4)),
            "the lowest unused index comes first: %s", Arrays.toString(names));
        Check.equal(address(20), vector.lookup(2), "what is at index 2 now");
        Check.equal(address(3), vector.lookup(3), "what was at index 3 all the time");
        // Bad ones take no index.
        final FabricAddress[] some = {address(30), null, address(31)};
        Check.equal(2, vector.insert(some, names, null), "inserted");
        Check.that(names[0] == 11 && names[1] == FiAddr.NOTAVAIL && names[2] == 12, "%s", Arrays.toString(names));
    }

    private static void withoutNames(final ConformanceEnv env) {
        final AddressVector table = open(env, AvType.TABLE);
        Check.equal(3, table.insert(addresses(0, 3), null, null), "inserted");
        Check.equal(2, table.insert(bytes(addresses(3, 2)), 0, 2, null, null), "inserted");
        Check.equal(address(4), table.lookup(4), "address at index 4");
        final AddressVector map = open(env, AvType.MAP);
        FabricCheck.refused(FI_EINVAL, () -> map.insert(addresses(0, 3), null, null), "no place for names of MAP");
        FabricCheck.refused(FI_EINVAL, () -> table.insert(addresses(5, 1), null, new AvInsert().userIds(true)),
            "identifiers that nobody gave");
        Check.equal(0L, map.size(), "addresses of the map");
        Check.equal(5L, table.size(), "addresses of the table");
    }

    private static void mapNames(final ConformanceEnv env) {
        final AddressVector vector = open(env, AvType.MAP);
        final Set<Long> ever = new HashSet<>();
        for (int round = 0; round < 50; round++) {
            final long name = vector.insert(address(round));
            Check.that(ever.add(name), "0x%x is the name of something that was removed", name);
            Check.equal(address(round), vector.lookup(name), "address");
            vector.remove(new long[] {name}, 1, 0);
            FabricCheck.refused(FI_EINVAL, () -> vector.lookup(name), "a name that was removed");
            FabricCheck.refused(FI_EINVAL, () -> vector.remove(new long[] {name}, 1, 0), "removing twice");
        }
        Check.equal(0L, vector.size(), "addresses");
    }

    private static void count(final ConformanceEnv env) {
        final AddressVector vector = open(env, new AvAttributes().type(AvType.MAP).count(2).epPerNode(3));
        final int many = env.times(1000, 20_000);
        final long[] names = new long[many];
        Check.equal(many, vector.insert(addresses(0, many), names, new AvInsert().more(true)), "inserted");
        for (int i = 0; i < many; i++) {
            Check.equal(address(i), vector.lookup(names[i]), "address %d", i);
        }
        Check.equal((long) many, vector.size(), "addresses");
    }

    private static void nothing(final ConformanceEnv env) {
        final AddressVector vector = open(env, AvType.TABLE);
        Check.equal(0, vector.insert(new FabricAddress[0], new long[0], null), "inserted");
        Check.equal(0, vector.insert(bytes(address(1)), 0, 0, null, null), "inserted");
        vector.remove(new long[0], 0, 0);
        Check.equal(0L, vector.size(), "addresses");
    }

    /** Among good ones: none at all, another format, other versions, kinds, and bytes that must be zero. */
    private static void badOnes(final ConformanceEnv env) {
        for (final AvType type : new AvType[] {AvType.MAP, AvType.TABLE}) {
            final AddressVector vector = open(env, type);
            final byte[] version = address(2).bytes();
            version[24] = 9;
            final byte[] kind = address(3).bytes();
            kind[26] = 77;
            final byte[] padding = address(4).bytes();
            padding[31] = 1;
            final FabricAddress[] all = {address(0), null,
                FabricAddress.of(AddressFormat.SOCKADDR_IN, new byte[16]),
                FabricAddress.of(AddressFormat.DEVICE, version), address(1),
                FabricAddress.of(AddressFormat.DEVICE, kind), FabricAddress.of(AddressFormat.DEVICE, padding),
                address(5)};
            final long[] names = new long[all.length];
            final int[] errors = new int[all.length];
            Arrays.fill(errors, 99);
            Check.equal(3, vector.insert(all, names, new AvInsert().errors(errors)), "inserted");
            for (int i = 0; i < all.length; i++) {
                final boolean good = i == 0 || i == 4 || i == 7;
                Check.that(good == (errors[i] == 0), "error of address %d: %s", i, FiErrno.name(errors[i]));
                Check.that(good == (names[i] != FiAddr.NOTAVAIL), "name of address %d: 0x%x", i, names[i]);
                if (good) {
                    Check.equal(all[i], vector.lookup(names[i]), "address %d", i);
                }
            }
            Check.equal(3L, vector.size(), "addresses");
            final FabricAddress[] none = {null, null};
            Check.equal(0, vector.insert(none, names, new AvInsert().errors(errors)), "inserted of bad ones only");
            Check.that(errors[0] == FI_EINVAL && names[1] == FiAddr.NOTAVAIL, "%s", Arrays.toString(errors));
        }
    }

    private static void nonsense(final ConformanceEnv env) {
        final AddressVector vector = open(env, AvType.TABLE);
        final UnsafeBuffer two = bytes(addresses(0, 2));
        final long[] names = new long[2];
        FabricCheck.refused(FI_EINVAL, () -> vector.insert(two, 0, -1, names, null), "a negative count");
        FabricCheck.refused(FI_EINVAL, () -> vector.insert(two, 0, 3, new long[3], null), "more than the buffer has");
        FabricCheck.refused(FI_EINVAL, () -> vector.insert(two, -1, 1, names, null), "a negative offset");
        FabricCheck.refused(FI_EINVAL, () -> vector.insert(two, 33, 1, names, null), "a range that leaves the buffer");
        FabricCheck.refused(FI_EINVAL, () -> vector.insert(two, 0, 1 << 30, names, null), "a count that overflows");
        FabricCheck.refused(FI_EINVAL, () -> vector.insert(two, 0, 2, new long[1], null), "too few places for names");
        FabricCheck.refused(FI_EINVAL, () -> vector.insert((FabricAddress[]) null, names, null), "null");
        FabricCheck.refused(FI_EINVAL, () -> vector.insert((FabricAddress) null), "null");
        FabricCheck.refused(FI_EINVAL, () -> vector.insert(null, 0, 1, names, null), "null");
        FabricCheck.refused(FI_EINVAL, () -> vector.insert(new String[] {"fi_sockaddr_in://127.0.0.1:1"}, names, null),
            "text in a vector of another format");
        FabricCheck.refused(FI_EINVAL, () -> vector.insert(addresses(0, 2), names,
            new AvInsert().errors(new int[1])), "too few places for errors");
        FabricCheck.refused(FI_EINVAL, () -> vector.insert(FabricAddress.of(AddressFormat.SOCKADDR_IN, new byte[16])),
            "an address of another format");
        Check.equal(0L, vector.size(), "addresses");
    }

    private static void remove(final ConformanceEnv env) {
        for (final AvType type : new AvType[] {AvType.MAP, AvType.TABLE}) {
            final AddressVector vector = open(env, type);
            final long[] names = new long[6];
            vector.insert(addresses(0, 6), names, null);
            FabricCheck.refused(FI_EBADFLAGS, () -> vector.remove(names, 6, 1), "flags");
            FabricCheck.refused(FI_EINVAL, () -> vector.remove(null, 1, 0), "null");
            FabricCheck.refused(FI_EINVAL, () -> vector.remove(names, -1, 0), "a negative count");
            FabricCheck.refused(FI_EINVAL, () -> vector.remove(names, 7, 0), "more than the array has");
            Check.equal(6L, vector.size(), "addresses");
            // Bad ones among good ones, and one twice: the good ones are taken out all the same.
            final long[] some = {names[0], FiAddr.UNSPEC, names[2], names[2] + 1000, names[4]};
            FabricCheck.refused(FI_EINVAL, () -> vector.remove(some, 5, 0), "names that are not in it", "1");
            Check.equal(3L, vector.size(), "addresses that are left");
            FabricCheck.refused(FI_EINVAL, () -> vector.lookup(names[4]), "looking a removed one up");
            Check.equal(address(1), vector.lookup(names[1]), "one that stays");
            final long again = vector.insert(address(4));
            Check.equal(address(4), vector.lookup(again), "one that was inserted again");
        }
    }

    private static void duplicates(final ConformanceEnv env) {
        final AddressVector vector = open(env, AvType.TABLE);
        final long one = vector.insert(address(7));
        final long two = vector.insert(address(7));
        Check.that(one != two, "both have the name 0x%x", one);
        Check.equal(vector.lookup(one), vector.lookup(two), "address");
        vector.remove(new long[] {one}, 1, 0);
        Check.equal(address(7), vector.lookup(two), "the one that is left");
        Check.equal(1L, vector.size(), "addresses");
    }

    private static void lookup(final ConformanceEnv env) {
        final AddressVector vector = open(env, AvType.MAP);
        final long name = vector.insert(address(1234));
        final UnsafeBuffer to = new UnsafeBuffer(new byte[3 * ADDRESS]);
        for (final int room : new int[] {0, 1, 16, 31, 32, 40}) {
            to.setMemory(0, to.capacity(), (byte) 0xa5);
            Check.equal(ADDRESS, vector.lookup(name, to, 10, room), "bytes of the address, with room for %d", room);
            for (int i = 0; i < to.capacity(); i++) {
                final boolean inside = i >= 10 && i < 10 + Math.min(room, ADDRESS);
                final byte wanted = inside ? address(1234).bytes()[i - 10] : (byte) 0xa5;
                Check.equal(wanted, to.getByte(i), "byte %d, with room for %d", i, room);
            }
        }
        FabricCheck.code(FI_EINVAL, vector.lookup(name, to, 0, -1), "a negative length");
        FabricCheck.code(FI_EINVAL, vector.lookup(name, to, 90, 32), "a range that leaves the buffer");
        FabricCheck.code(FI_EINVAL, vector.lookup(name, null, 0, 32), "null");
    }

    private static void lookupUnknown(final ConformanceEnv env) {
        for (final AvType type : new AvType[] {AvType.MAP, AvType.TABLE}) {
            final AddressVector vector = open(env, type);
            final long name = vector.insert(address(1));
            final UnsafeBuffer to = new UnsafeBuffer(new byte[ADDRESS]);
            for (final long bad : new long[] {FiAddr.UNSPEC, name + 1, 1L << 33, Long.MIN_VALUE, Long.MAX_VALUE, -2}) {
                FabricCheck.refused(FI_EINVAL, () -> vector.lookup(bad), "0x" + Long.toHexString(bad));
                FabricCheck.code(FI_EINVAL, vector.lookup(bad, to, 0, ADDRESS), "0x" + Long.toHexString(bad));
                FabricCheck.refused(FI_EINVAL, () -> vector.userId(bad, 1, 0), "0x" + Long.toHexString(bad));
            }
        }
    }

    private static void straddr(final ConformanceEnv env) {
        final AddressVector vector = open(env, AvType.TABLE);
        final String text = vector.straddr(address(300));
        Check.that(text.contains("://"), "'%s' is no FI_ADDR_STR", text);
        Check.that(!text.equals(vector.straddr(address(301))), "two addresses have the text '%s'", text);
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        final UnsafeBuffer to = new UnsafeBuffer(new byte[300]);
        for (final int room : new int[] {0, 1, 5, bytes.length, bytes.length + 1, 200}) {
            to.setMemory(0, to.capacity(), (byte) 0xa5);
            Check.equal(bytes.length + 1, vector.straddr(address(300), to, 7, room), "bytes needed");
            Check.equal((byte) 0xa5, to.getByte(6), "byte before");
            Check.equal((byte) 0xa5, to.getByte(7 + room), "byte behind %d", room);
            for (int i = 0; i < Math.min(room - 1, bytes.length); i++) {
                Check.equal(bytes[i], to.getByte(7 + i), "byte %d, with room for %d", i, room);
            }
            Check.that(room == 0 || to.getByte(7 + Math.min(room - 1, bytes.length)) == 0, "no 0 at the end");
        }
        FabricCheck.refused(FI_EINVAL, () -> vector.straddr(null), "null");
        FabricCheck.refused(FI_EINVAL, () -> vector.straddr(FabricAddress.of(AddressFormat.SOCKADDR_IN, new byte[16])),
            "another format");
        FabricCheck.refused(FI_EINVAL, () -> vector.straddr(address(1), to, 290, 20), "a range outside");
    }

    private static void rxAddr(final ConformanceEnv env) {
        final AddressVector vector = open(env, new AvAttributes().type(AvType.MAP).rxCtxBits(4));
        Check.equal(4, vector.rxCtxBits(), "bits");
        final long name = vector.insert(address(1));
        Check.equal(0L, name >>> 60, "the upper bits, which are the context's");
        final long fifth = FiAddr.rxAddr(name, 5, 4);
        Check.equal(5L << 60 | name, fifth, "address of context 5");
        Check.equal(5, FiAddr.rxIndex(fifth, 4), "index");
        Check.equal(name, FiAddr.peer(fifth, 4), "peer");
        Check.equal(name, FiAddr.rxAddr(name, 0, 0), "address with 0 bits");
        Check.equal(3L << 60, FiAddr.rxAddr(FiAddr.NOTAVAIL, 3, 4), "address of a connected endpoint's context");
        FabricCheck.refused(FI_EINVAL, () -> FiAddr.rxAddr(name, 16, 4), "an index that does not fit");
        FabricCheck.refused(FI_EINVAL, () -> FiAddr.rxAddr(name, -1, 4), "a negative index");
        FabricCheck.refused(FI_EINVAL, () -> FiAddr.rxAddr(name, 1, 0), "an index without bits");
        FabricCheck.refused(FI_EINVAL, () -> FiAddr.rxAddr(name, 1, 17), "17 bits");
    }

    private static void userIds(final ConformanceEnv env) {
        for (final AvType type : new AvType[] {AvType.MAP, AvType.TABLE}) {
            final Domain domain = FabricPair.domain(env, hints -> hints.endpointType(EndpointType.RDM));
            final AddressVector vector = env.own(domain.openAddressVector(new AvAttributes().type(type)));
            final long[] names = {77, 78, FiAddr.NOTAVAIL};
            Check.equal(3, vector.insert(addresses(0, 3), names, new AvInsert().userIds(true)), "inserted");
            for (int i = 0; i < 3; i++) {
                Check.equal(address(i), vector.lookup(names[i]), "address by its name, which the id is not");
            }
            vector.userId(names[0], -1, 0);
            FabricCheck.refused(FI_EBADFLAGS, () -> vector.userId(names[0], 1, 1), "flags");
        }
    }

    private static void closed(final ConformanceEnv env) {
        final AddressVector vector = open(env, AvType.TABLE);
        final Domain domain = vector.domain();
        final long name = vector.insert(address(1));
        FabricCheck.refused(FI_EBUSY, domain::close, "a domain with a vector");
        vector.close();
        vector.close();
        Check.that(vector.isClosed(), "it is not closed");
        FabricCheck.refused(FI_EBADFD, () -> vector.insert(address(2)), "insert");
        FabricCheck.refused(FI_EBADFD, () -> vector.lookup(name), "lookup");
        FabricCheck.refused(FI_EBADFD, () -> vector.remove(new long[] {name}, 1, 0), "remove");
        FabricCheck.refused(FI_EBADFD, () -> vector.straddr(address(1)), "straddr");
        FabricCheck.code(FI_EBADFD, vector.lookup(name, new UnsafeBuffer(new byte[32]), 0, 32), "lookup");
        domain.close();
    }

    private static void random(final ConformanceEnv env) {
        for (final AvType type : new AvType[] {AvType.MAP, AvType.TABLE}) {
            final AddressVector vector = open(env, type);
            final java.util.Map<Long, Integer> model = new java.util.LinkedHashMap<>();
            for (int i = 0; i < env.times(2000, 20_000); i++) {
                if (model.isEmpty() || env.random().nextInt(5) < 3) {
                    final int number = env.random().nextInt(1 << 20);
                    final long name = vector.insert(address(number));
                    Check.that(model.put(name, number) == null, "0x%x is the name of two", name);
                } else {
                    final int skip = env.random().nextInt(Math.min(20, model.size()));
                    final long name = model.keySet().stream().skip(skip).findFirst().orElseThrow();
                    Check.equal(address(model.remove(name)), vector.lookup(name), "address");
                    vector.remove(new long[] {name}, 1, 0);
                }
                Check.equal((long) model.size(), vector.size(), "addresses");
            }
            model.forEach((name, number) -> Check.equal(address(number), vector.lookup(name), "address"));
        }
    }

    private static void symmetric(final ConformanceEnv env) {
        final int nodes = 100;
        final int services = 100;
        final long plain = filled(env, new AvAttributes(), nodes, services).memoryUse();
        final AddressVector vector = filled(env, new AvAttributes().flags(AvFlag.SYMMETRIC).epPerNode(services),
            nodes, services);
        Check.that(vector.memoryUse() * 4 < plain, "%d addresses take %d bytes, %d without FI_SYMMETRIC",
            vector.size(), vector.memoryUse(), plain);
        vector.remove(new long[] {4711}, 1, 0);
        FabricCheck.refused(FI_EINVAL, () -> vector.lookup(4711), "one that was removed");
        Check.equal(4711L, vector.insert(address(99)), "its place is free again");
        Check.equal(address(99), vector.lookup(4711), "another address in the midst of others");
        Check.equal(expected(4712, services), vector.lookup(4712), "the next one");
    }

    private static AddressVector filled(
        final ConformanceEnv env, final AvAttributes attributes, final int nodes, final int services) {
        final AddressVector vector = open(env, attributes.type(AvType.TABLE));
        Check.equal(nodes * services, vector.insertSymmetric(
            "fd00::1:0", nodes, "qpn:256/0x1ee7", services, new long[nodes * services], null), "inserted");
        for (int i = 0; i < nodes * services; i += 7) {
            Check.equal(expected(i, services), vector.lookup(i), "address %d", i);
        }
        return vector;
    }

    private static FabricAddress expected(final int index, final int services) {
        final byte[] gid = new byte[Gid.LENGTH];
        final int node = (1 << 16) + index / services;
        gid[0] = (byte) 0xfd;
        gid[13] = (byte) (node >> 16);
        gid[14] = (byte) (node >> 8);
        gid[15] = (byte) node;
        return FabricAddress.device(Gid.of(gid), 256 + index % services, 0x1ee7, EndpointType.RDM);
    }
}
