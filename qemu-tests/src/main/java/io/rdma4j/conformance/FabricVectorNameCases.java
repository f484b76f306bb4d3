/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.fabric.FiErrno.FI_EACCES;
import static io.rdma4j.fabric.FiErrno.FI_EADDRINUSE;
import static io.rdma4j.fabric.FiErrno.FI_EBUSY;
import static io.rdma4j.fabric.FiErrno.FI_EINVAL;
import static io.rdma4j.fabric.FiErrno.FI_ENODATA;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.AvFlag;
import io.rdma4j.fabric.AvInsert;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.OperationKind;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** Addresses by names: services and ports, ranges of them, text; and vectors that have a name themselves. */
final class FabricVectorNameCases {
    private static final int PAGE = 4096;
    private static final String LOOPBACK = "127.0.0.1";

    private FabricVectorNameCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("av.addressesOfEveryFormatReachTheirEndpoint", FabricVectorNameCases::formats),
            ConformanceCase.of("av.serviceNamesAnEndpoint", FabricVectorNameCases::service),
            ConformanceCase.of("av.serviceBelongsToOneEndpoint", FabricVectorNameCases::serviceInUse),
            ConformanceCase.of("av.serviceThatNobodyHasIsAnError", FabricVectorNameCases::serviceUnknown)
                .within(Duration.ofMinutes(2)), // A server of names that does not answer is asked for long.
            ConformanceCase.of("av.serviceOfTextStandsAlone", FabricVectorNameCases::textAsNode),
            ConformanceCase.of("av.rangesCountServicesFirst", FabricVectorNameCases::symmetricOrder),
            ConformanceCase.of("av.rangesCarryInNodes", FabricVectorNameCases::symmetricCarry),
            ConformanceCase.of("av.rangesOfServicesAreResolved", FabricVectorNameCases::symmetricServices),
            ConformanceCase.of("av.rangesThatCannotBeCountedAreRefused", FabricVectorNameCases::symmetricRefused),
            ConformanceCase.of("av.textOfSockets", FabricVectorNameCases::text),
            ConformanceCase.of("av.namedVectorIsShared", FabricVectorNameCases::shared),
            ConformanceCase.of("av.namedVectorGrows", FabricVectorNameCases::grows),
            ConformanceCase.of("av.namedVectorHasOneBaseOfAddresses", FabricVectorNameCases::mapAddress),
            ConformanceCase.of("av.namedVectorForReadersOnly", FabricVectorNameCases::readOnly));
    }

    private static PeerGroup group(final ConformanceEnv env, final AddressFormat format) {
        return PeerGroup.reliable(env).wishing(hints ->
            hints.capabilities(Capability.MSG, Capability.SOURCE).addressFormat(format));
    }

    /** The port, which is the service, of an endpoint whose address is a socket's. */
    private static int port(final FabricAddress address) {
        final byte[] bytes = address.bytes();
        return (bytes[2] & 0xff) << 8 | bytes[3] & 0xff;
    }

    private static void formats(final ConformanceEnv env) {
        for (final AddressFormat format : AddressFormat.values()) {
            // Datagrams, which cost less on a slow device: the vector is the same.
            final PeerGroup group = PeerGroup.datagrams(env).wishing(hints ->
                hints.capabilities(Capability.MSG, Capability.SOURCE).addressFormat(format));
            final Peer near = group.join();
            final Peer far = group.join();
            Check.equal(format, near.vector().format(), "format of the vector");
            Check.equal(format, far.endpoint().address().format(), "format of the endpoint's address");
            final FabricMemory from = near.buffer(PAGE);
            final FabricMemory to = far.buffer(PAGE);
            final long back = far.to(near);
            near.exchange(far, from, to, 70, 100);
            far.receive(to, 0, 64, 1);
            near.send(from, 0, 10, near.to(far), 2);
            far.next().expect(1, OperationKind.RECEIVE).expectSource(back);
            Check.equal(far.endpoint().address(), near.vector().lookup(near.to(far)), "what was inserted");
            Check.that(near.vector().straddr(far.endpoint().address()).contains("://"), "text of %s", format);
        }
    }

    private static void service(final ConformanceEnv env) {
        final PeerGroup group = group(env, AddressFormat.SOCKADDR_IN);
        final Peer near = group.join();
        final Peer far = group.join();
        final String service = Integer.toString(port(far.endpoint().address()));
        final long[] name = {7};
        Check.equal(1, near.vector().insertService(LOOPBACK, service, name, null), "inserted");
        final FabricMemory from = near.buffer(PAGE);
        final FabricMemory to = far.buffer(PAGE);
        far.receive(to, 0, 64, 1);
        near.send(from, 0, 10, name[0], 2);
        far.next().expect(1, OperationKind.RECEIVE).expectLength(10);
        Check.equal(1, near.vector().insertService("localhost", service, name, null), "inserted by host name");
        near.send(from, 0, 10, name[0], 3);
        far.receive(to, 0, 64, 4);
        far.next().expect(4, OperationKind.RECEIVE).expectLength(10);
    }

    private static void serviceInUse(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.datagrams(env);
        final Peer near = group.join();
        final PeerGroup sockets = group(env, AddressFormat.SOCKADDR_IN);
        final String service = Integer.toString(port(sockets.join().endpoint().address()));
        FabricCheck.refused(FI_EADDRINUSE, () -> near.domain().openAddressedEndpoint(new EndpointOptions()
            .completionQueue(near.cq()).addressVector(near.vector()).service(service)), "a service in use");
        for (final String bad : new String[] {"0", "65536", ""}) {
            FabricCheck.refused(FI_EINVAL, () -> near.domain().openAddressedEndpoint(new EndpointOptions()
                .completionQueue(near.cq()).addressVector(near.vector()).service(bad)), "the service '" + bad + "'");
        }
        FabricCheck.refused(FI_ENODATA, () -> near.domain().openAddressedEndpoint(new EndpointOptions()
            .completionQueue(near.cq()).addressVector(near.vector()).service("no-such-service-at-all")),
            "a name that /etc/services does not have");
        near.expectMessagesFlow(group.join());
    }

    private static void serviceUnknown(final ConformanceEnv env) {
        final PeerGroup group = group(env, AddressFormat.SOCKADDR_IN);
        final Peer near = group.join();
        final Peer gone = group.join();
        final String service = Integer.toString(port(gone.endpoint().address()));
        gone.endpoint().close();
        group.leave(gone);
        final long[] name = {7};
        final int[] errors = {0};
        Check.equal(0, near.vector().insertService(LOOPBACK, service, name, new AvInsert().errors(errors)),
            "inserted of a service that nobody has");
        Check.equal(FiAddr.NOTAVAIL, name[0], "its name");
        Check.that(errors[0] > 0, "its error is %s", FiErrno.name(errors[0]));
        Check.equal(0, near.vector().insertService("no-such-host.invalid", "7000", name,
            new AvInsert().errors(errors)), "inserted of a host that is not there");
        Check.that(errors[0] > 0, "its error is %s", FiErrno.name(errors[0]));
        Check.equal(0L, near.vector().size(), "addresses");
    }

    private static void textAsNode(final ConformanceEnv env) {
        final PeerGroup group = group(env, AddressFormat.STR);
        final Peer near = group.join();
        final Peer far = group.join();
        final String text = new String(far.endpoint().address().bytes(), StandardCharsets.UTF_8);
        final long[] name = new long[1];
        Check.equal(1, near.vector().insertService(text, null, name, null), "inserted");
        Check.equal(1, near.vector().insert(new String[] {text}, name, null), "inserted");
        final long mine = name[0];
        final FabricMemory from = near.buffer(PAGE);
        final FabricMemory to = far.buffer(PAGE);
        far.receive(to, 0, 64, 1);
        near.send(from, 0, 10, mine, 2);
        far.next().expect(1, OperationKind.RECEIVE).expectLength(10);
        final int[] errors = {0};
        expectBad(() -> near.vector().insertService(text, "7000", name, new AvInsert().errors(errors)),
            errors, "text with a service");
        expectBad(() -> near.vector().insert(new String[] {"nonsense"}, name, new AvInsert().errors(errors)),
            errors, "what is no address");
    }

    /** Nothing is inserted: the call says so, or throws FI_EINVAL. */
    private static void expectBad(final java.util.function.IntSupplier call, final int[] errors, final String what) {
        try {
            Check.equal(0, call.getAsInt(), "inserted of %s", what);
            Check.equal(FiErrno.name(FI_EINVAL), FiErrno.name(errors[0]), "error of %s", what);
        } catch (final FabricException e) {
            Check.equal(FiErrno.name(FI_EINVAL), FiErrno.name(e.errno()), "errno of %s: %s", what, e.getMessage());
        }
    }

    private static void symmetricOrder(final ConformanceEnv env) {
        final AddressVector vector = FabricVectorCases.open(env, AvType.TABLE);
        final long[] names = new long[4];
        Check.equal(4, vector.insertSymmetric("fd00::a01:101", 2, "qpn:5000", 2, names, null), "inserted");
        Check.that(Arrays.equals(new long[] {0, 1, 2, 3}, names), "names %s", Arrays.toString(names));
        final int[] last = {1, 1, 2, 2};
        final int[] qpn = {5000, 5001, 5000, 5001};
        for (int i = 0; i < 4; i++) {
            final byte[] bytes = vector.lookup(i).bytes();
            Check.equal(last[i], (int) bytes[15], "node of address %d", i);
            Check.equal(qpn[i], (bytes[16] & 0xff) + ((bytes[17] & 0xff) << 8), "service of address %d", i);
        }
        Check.equal(0, vector.insertSymmetric("fd00::1", 0, "qpn:1", 5, names, null), "of no nodes");
        Check.equal(0, vector.insertSymmetric("fd00::1", 5, "qpn:1", 0, names, null), "of no services");
    }

    private static void symmetricCarry(final ConformanceEnv env) {
        final AddressVector vector = FabricVectorCases.open(env, AvType.TABLE);
        Check.equal(2, vector.insertSymmetric("fd00::ff", 2, "qpn:9", 1, new long[2], null), "inserted");
        expectTail(vector, 0, 0x00, 0xff);
        expectTail(vector, 1, 0x01, 0x00);
        Check.equal(2, vector.insertSymmetric("::ffff:10.1.1.255", 2, "qpn:9", 1, new long[2], null), "inserted");
        expectTail(vector, 2, 1, 255);
        expectTail(vector, 3, 2, 0);
    }

    private static void expectTail(final AddressVector vector, final long name, final int high, final int low) {
        final byte[] bytes = vector.lookup(name).bytes();
        Check.that((bytes[14] & 0xff) == high && (bytes[15] & 0xff) == low, "address %d ends with %02x%02x, not "
            + "%02x%02x", name, bytes[14], bytes[15], high, low);
    }

    /** Services of a node that are there, and others between them that are not. */
    private static void symmetricServices(final ConformanceEnv env) {
        final PeerGroup group = group(env, AddressFormat.SOCKADDR_IN);
        final Peer near = group.join();
        final Peer far = group.join();
        final int port = Math.min(port(far.endpoint().address()), 65_533);
        final long[] names = new long[2];
        final int[] errors = new int[2];
        final int inserted = near.vector().insertSymmetric(LOOPBACK, 1, Integer.toString(port), 2, names,
            new AvInsert().errors(errors));
        Check.that(inserted >= 1, "%d inserted: %s", inserted, Arrays.toString(errors));
        for (int i = 0; i < 2; i++) {
            Check.that((errors[i] == 0) == (names[i] != FiAddr.NOTAVAIL), "address %d: %s", i,
                FiErrno.name(errors[i]));
            if (errors[i] == 0) {
                Check.equal(port + i, port(near.vector().lookup(names[i])), "port of address %d", i);
            }
        }
    }

    private static void symmetricRefused(final ConformanceEnv env) {
        final AddressVector vector = FabricVectorCases.open(env, AvType.TABLE);
        final long[] names = new long[8];
        FabricCheck.refused(FI_EINVAL, () -> vector.insertSymmetric("fd00::1", -1, "qpn:1", 1, names, null),
            "a negative number of nodes");
        FabricCheck.refused(FI_EINVAL, () -> vector.insertSymmetric("fd00::1", 1, "qpn:1", -1, names, null),
            "a negative number of services");
        FabricCheck.refused(FI_EINVAL, () -> vector.insertSymmetric("fd00::1", 3, "qpn:1", 3, names, null),
            "too few places for names");
        FabricCheck.refused(FI_EINVAL, () -> vector.insertSymmetric("fd00::1", 1 << 20, "qpn:1", 1 << 20, names, null),
            "a product that overflows");
        FabricCheck.refused(FI_EINVAL, () -> vector.insertSymmetric("host", 2, "7000", 1, names, null),
            "a name without a number at its end");
        FabricCheck.refused(FI_EINVAL, () -> vector.insertSymmetric("fd00::1", 1, "qpn:16777215", 2, names, null),
            "queue pair numbers that are too large");
        FabricCheck.refused(FI_EINVAL, () -> vector.insertSymmetric("fd00::1", 1, "65535", 2, names, null),
            "services that are too large");
        FabricCheck.refused(FI_EINVAL, () -> vector.insertSymmetric(null, 1, "qpn:1", 1, names, null), "no node");
        FabricCheck.refused(FI_EINVAL, () -> vector.insertSymmetric("fd00::1", 1, null, 1, names, null), "no service");
        Check.equal(0L, vector.size(), "addresses");
    }

    private static void text(final ConformanceEnv env) {
        final byte[] bytes = {2, 0, 0x1b, 0x58, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0};
        final AddressVector vector =
            env.own(FabricVectorCases.domain(env, AddressFormat.SOCKADDR_IN).openAddressVector(new AvAttributes()));
        Check.equal("fi_sockaddr_in://127.0.0.1:7000",
            vector.straddr(FabricAddress.of(AddressFormat.SOCKADDR_IN, bytes)), "text of an IPv4 socket");
        final byte[] six = new byte[28];
        six[0] = 10;
        six[2] = 0x1b;
        six[3] = 0x58;
        six[23] = 1;
        final AddressVector other =
            env.own(FabricVectorCases.domain(env, AddressFormat.SOCKADDR_IN6).openAddressVector(new AvAttributes()));
        Check.equal("fi_sockaddr_in6://[::1]:7000",
            other.straddr(FabricAddress.of(AddressFormat.SOCKADDR_IN6, six)), "text of an IPv6 socket");
    }

    private static String name(final ConformanceEnv env) {
        return "conformance-" + ProcessHandle.current().pid() + "-" + Long.toHexString(env.random().nextLong())
            + Long.toHexString(System.nanoTime());
    }

    /** Two that open the same name see the same addresses, as two processes would. */
    private static void shared(final ConformanceEnv env) {
        final String name = name(env);
        for (final AvType type : new AvType[] {AvType.MAP, AvType.TABLE}) {
            final Domain domain = FabricVectorCases.domain(env, AddressFormat.DEVICE);
            final AvAttributes attributes = new AvAttributes().type(type).name(name + type).count(1000);
            final AddressVector one = env.own(domain.openAddressVector(attributes));
            final AddressVector two = env.own(domain.openAddressVector(attributes));
            Check.equal(name + type, two.name(), "name");
            final long[] names = new long[100];
            Check.equal(100, one.insert(FabricVectorCases.addresses(0, 100), names, null), "inserted");
            for (int i = 0; i < 100; i++) {
                Check.equal(FabricVectorCases.address(i), two.lookup(names[i]), "address %d, seen by the other", i);
            }
            two.remove(new long[] {names[50]}, 1, 0);
            FabricCheck.refused(FI_EINVAL, () -> one.lookup(names[50]), "one that the other has removed");
            Check.equal(99L, one.size(), "addresses");
            FabricCheck.refused(FiErrno.FI_ENOSYS, () -> one.userId(names[1], 5, 0), "identifiers of a shared vector");
            one.close();
            Check.equal(FabricVectorCases.address(51), two.lookup(names[51]), "after the first has closed it");
        }
    }

    /** The count is a hint here, too. */
    private static void grows(final ConformanceEnv env) {
        final Domain domain = FabricVectorCases.domain(env, AddressFormat.DEVICE);
        final String name = name(env);
        final AddressVector writer = env.own(domain.openAddressVector(
            new AvAttributes().type(AvType.TABLE).name(name).count(16)));
        final AddressVector reader = env.own(domain.openAddressVector(
            new AvAttributes().name(name).flags(AvFlag.READ)));
        for (int round = 0; round < 4; round++) {
            final long[] names = new long[50];
            Check.equal(50, writer.insert(FabricVectorCases.addresses(round * 50, 50), names, null), "inserted");
            for (int i = 0; i < 50; i++) {
                Check.equal(round * 50L + i, names[i], "index");
                Check.equal(FabricVectorCases.address((int) names[i]), reader.lookup(names[i]),
                    "address %d, seen by a reader that was there before", names[i]);
            }
        }
        Check.equal(200L, reader.size(), "addresses");
    }

    private static void mapAddress(final ConformanceEnv env) {
        final String name = name(env);
        final Domain domain = FabricVectorCases.domain(env, AddressFormat.DEVICE);
        final AddressVector one = env.own(domain.openAddressVector(
            new AvAttributes().type(AvType.MAP).name(name).count(100)));
        Check.that(one.mapAddress() != 0, "the provider chose no base");
        final AddressVector two = env.own(domain.openAddressVector(
            new AvAttributes().type(AvType.MAP).name(name).count(100).mapAddress(one.mapAddress())));
        Check.equal(one.mapAddress(), two.mapAddress(), "base");
        final long first = one.insert(FabricVectorCases.address(1));
        final long second = two.insert(FabricVectorCases.address(2));
        Check.that(first != second, "both are called 0x%x", first);
        Check.equal(FabricVectorCases.address(1), two.lookup(first), "the first one's, seen by the second");
        Check.equal(FabricVectorCases.address(2), one.lookup(second), "the second one's, seen by the first");
        final AddressVector ignored = env.own(domain.openAddressVector(
            new AvAttributes().type(AvType.MAP).mapAddress(0x1234_0000L)));
        Check.equal(0L, ignored.mapAddress(), "base of a vector without a name");
    }

    private static void readOnly(final ConformanceEnv env) {
        final String name = name(env);
        final Domain domain = FabricVectorCases.domain(env, AddressFormat.DEVICE);
        FabricCheck.refused(FiErrno.FI_ENOENT, () -> domain.openAddressVector(
            new AvAttributes().name(name).flags(AvFlag.READ)), "reading one that is not there");
        final AddressVector writer = env.own(domain.openAddressVector(
            new AvAttributes().type(AvType.TABLE).name(name).count(100)));
        final AddressVector reader = env.own(domain.openAddressVector(new AvAttributes().name(name)
            .flags(AvFlag.READ)));
        Check.equal(AvType.TABLE, reader.type(), "type, as the writer has it");
        writer.insert(FabricVectorCases.address(1));
        Check.equal(FabricVectorCases.address(1), reader.lookup(0), "what the writer inserted");
        FabricCheck.refused(FI_EACCES, () -> reader.insert(FabricVectorCases.addresses(1, 1), null, null), "insert");
        FabricCheck.refused(FI_EACCES, () -> reader.remove(new long[] {0}, 1, 0), "remove");
        final Peer near = PeerGroup.reliable(env).join();
        FabricCheck.refused(FI_EBUSY, near.vector()::close, "a vector with an endpoint");
        Check.equal(EndpointType.RDM, near.endpoint().type(), "kind");
    }
}
