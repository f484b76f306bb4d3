/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import static io.rdma4j.fabric.Refusal.assertInvalid;
import static io.rdma4j.fabric.Refusal.assertRefused;
import static io.rdma4j.fabric.av.AvRig.find;
import static io.rdma4j.fabric.av.AvRig.next;
import static io.rdma4j.fabric.av.AvRig.socket;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.AvFlag;
import io.rdma4j.fabric.AvInsert;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.EventEntry;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.event.FabricEventQueue;
import io.rdma4j.fabric.name.NameServer;
import io.rdma4j.fabric.name.Registration;
import io.rdma4j.fabric.name.TestNames;
import io.rdma4j.fabric.testing.TestDevices;
import io.rdma4j.fabric.testing.TestDomain;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;

/** Vectors of a real domain, and the name service (checklist 80, 83, 84). */
@Timeout(120)
class NamedPeersTest {
    private static final int FIRST = 21_000;
    private static final String GRACE = "rdma4j.resolve.grace.ms";

    @RegisterExtension
    final TestDevices devices = new TestDevices();

    private final List<Registration> services = new ArrayList<>();
    private Fabric fabric;
    private String grace;

    @BeforeEach
    void begin() {
        TestNames.use();
        grace = System.getProperty(GRACE);
        System.setProperty(GRACE, "0");
    }

    @AfterEach
    void end() {
        if (grace == null) {
            System.clearProperty(GRACE);
        } else {
            System.setProperty(GRACE, grace);
        }
    }

    private Domain domain(final AddressFormat format) {
        final TestDomain own = devices.keep(new TestDomain(new Hints().context(devices.device(""))
            .endpointType(EndpointType.RDM).addressFormat(format)));
        fabric = own.fabric;
        return own.domain;
    }

    private AddressVector vector(final AddressFormat format, final AvAttributes attributes) {
        return devices.keep(domain(format).openAddressVector(attributes));
    }

    /** Endpoints that others can ask for. */
    private void serve(final int count) {
        for (int i = 0; i < count; i++) {
            services.add(devices.keep(NameServer.register(AvRig.device(7, 100 + i), Integer.toString(FIRST + i))));
        }
    }

    @Test
    void socketsAreResolved() {
        serve(2);
        final AddressVector vector = vector(AddressFormat.SOCKADDR_IN, new AvAttributes());
        final FabricAddress[] addresses = {socket("127.0.0.1", FIRST), socket("127.0.0.1", FIRST + 9),
            socket("127.0.0.1", FIRST + 1)};
        final long[] names = new long[3];
        final int[] errors = new int[3];
        assertThat(vector.insert(addresses, names, new AvInsert().errors(errors))).isEqualTo(2);
        assertThat(errors).containsExactly(0, FiErrno.FI_ENODATA, 0);
        assertThat(names).containsExactly(0, FiAddr.NOTAVAIL, 1);
        assertThat(find((PeerTable) vector, 1).qpn()).isEqualTo(101);
        assertThat(vector.lookup(1)).isEqualTo(addresses[2]);
        assertThat(((PeerTable) vector).nameOf(AvRig.GID_HIGH, 7, 101)).isEqualTo(1);
    }

    @Test
    void servicesOfADevice() {
        serve(1);
        final AddressVector vector = vector(AddressFormat.DEVICE, new AvAttributes());
        final long[] names = new long[1];
        final int[] errors = new int[1];
        assertThat(vector.insertService("127.0.0.1", Integer.toString(FIRST), names, null)).isEqualTo(1);
        assertThat(vector.lookup(names[0])).isEqualTo(AvRig.device(7, 100));
        for (final String service : new String[] {"0", "70000", "no such service", "", null, "21009"}) {
            assertThat(vector.insertService("127.0.0.1", service, names, new AvInsert().errors(errors)))
                .as("service '%s'", service).isZero();
            assertThat(errors[0]).isPositive();
            assertThat(names[0]).isEqualTo(FiAddr.NOTAVAIL);
        }
        final String text = AvRig.device(9, 9).toString();
        assertThat(vector.insertService(text, null, names, null)).isEqualTo(1);
        assertThat(vector.lookup(names[0])).isEqualTo(AvRig.device(9, 9));
        assertThat(vector.insertService(text, "5", names, null)).isZero();
        assertThat(vector.size()).isEqualTo(2);
    }

    /** A node that is an address as text is one in any format, whatever that of the domain (fi_av_insertsvc). */
    @ParameterizedTest
    @EnumSource
    void aSocketAsTextIsANodeInEachFormat(final AddressFormat format) {
        serve(1);
        final AddressVector vector = vector(format, new AvAttributes());
        final long[] names = new long[1];
        final String text = "fi_sockaddr_in://127.0.0.1:" + FIRST;
        assertThat(vector.insertService(text, null, names, null)).isEqualTo(1);
        assertThat(find((PeerTable) vector, names[0]).qpn()).isEqualTo(100);
        final String inserted = switch (format) {
            case DEVICE -> AvRig.device(7, 100).toString();
            case SOCKADDR_IN6 -> "fi_sockaddr_in6://[::ffff:127.0.0.1]:" + FIRST;
            default -> text;
        };
        assertThat(vector.straddr(vector.lookup(names[0]))).isEqualTo(inserted);
        final int[] errors = new int[1];
        assertThat(vector.insertService("fi_sockaddr_in://127.0.0.1:21009", null, names,
            new AvInsert().errors(errors))).isZero();
        assertThat(errors).containsExactly(FiErrno.FI_ENODATA);
    }

    @Test
    void aServiceThatNobodyKnowsIsAnErrorOfEachAddress() {
        final AddressVector vector = vector(AddressFormat.SOCKADDR_IN, new AvAttributes());
        final long[] names = new long[4];
        final int[] errors = new int[4];
        assertThat(vector.insertSymmetric("127.0.0.1", 2, "no such service", 2, names,
            new AvInsert().errors(errors))).isZero();
        assertThat(errors).containsOnly(FiErrno.FI_ENODATA);
        assertThat(names).containsOnly(FiAddr.NOTAVAIL);
        assertInvalid(() -> vector.insertSymmetric("127.0.0.1", 70_000, "no such service", 70_000, names, null),
            "70000 services");
    }

    /** Also those that no setting names: nobody else can be there. */
    @Test
    void eachAddressOfLoopbackIsThisHost() {
        serve(1);
        final AddressVector vector = vector(AddressFormat.SOCKADDR_IN, new AvAttributes());
        final long[] names = new long[1];
        assertThat(vector.insertService("127.9.9.9", Integer.toString(FIRST), names, null)).isEqualTo(1);
        assertThat(find((PeerTable) vector, names[0]).qpn()).isEqualTo(100);
    }

    @Test
    void rangesOfServices() {
        serve(3);
        final AddressVector vector =
            vector(AddressFormat.SOCKADDR_IN, new AvAttributes().flags(AvFlag.SYMMETRIC));
        final long[] names = new long[6];
        assertThat(vector.insertSymmetric("127.0.0.1", 2, Integer.toString(FIRST), 3, names, null)).isEqualTo(6);
        for (int i = 0; i < 6; i++) {
            assertThat(vector.lookup(names[i])).isEqualTo(socket("127.0.0." + (1 + i / 3), FIRST + i % 3));
            assertThat(find((PeerTable) vector, names[i]).qpn()).isEqualTo(100 + i % 3);
        }
        assertThat(vector.straddr(vector.lookup(names[5]))).isEqualTo("fi_sockaddr_in://127.0.0.2:21002");
        assertInvalid(() -> vector.insertSymmetric("127.0.0.1", 1, "qpn:5", 1, names, null), "queue pair");
        assertInvalid(() -> vector.insertSymmetric("localhost", 2, "5", 1, names, null), "number");
    }

    /** More than are asked for at once: each part is asked for where the last one ended. */
    @Test
    void aLongRangeIsAskedForInParts() {
        serve(1);
        services.add(devices.keep(NameServer.register(AvRig.device(7, 399), Integer.toString(FIRST + 299))));
        final AddressVector vector =
            vector(AddressFormat.SOCKADDR_IN, new AvAttributes().flags(AvFlag.SYMMETRIC));
        final long[] names = new long[300];
        final int[] errors = new int[300];
        assertThat(vector.insertSymmetric("127.0.0.1", 1, Integer.toString(FIRST), 300, names,
            new AvInsert().errors(errors))).isEqualTo(2);
        assertThat(errors[0]).isZero();
        assertThat(errors[256]).as("the first one of the second part").isEqualTo(FiErrno.FI_ENODATA);
        assertThat(errors[299]).isZero();
        assertThat(vector.lookup(names[299])).isEqualTo(socket("127.0.0.1", FIRST + 299));
        assertThat(find((PeerTable) vector, names[299]).qpn()).isEqualTo(399);
    }

    @Test
    void eventsOfADomain() {
        serve(1);
        final AddressVector vector = vector(AddressFormat.STR, new AvAttributes().flags(AvFlag.EVENT));
        final long[] names = new long[2];
        final String[] addresses = {"nonsense", "fi_sockaddr_in://127.0.0.1:" + FIRST};
        assertRefused(FiErrno.FI_ENOEQ, () -> vector.insert(addresses, names, null));
        final FabricEventQueue queue = (FabricEventQueue) fabric.openEventQueue(8);
        try {
            vector.bind(queue, 0);
            assertThat(vector.insert(addresses, names, new AvInsert().context("c"))).isZero();
            final EventEntry bad = next(queue);
            assertThat(bad.isError()).isTrue();
            assertThat(bad.data()).isZero();
            assertThat(next(queue).data()).isEqualTo(1);
            assertThat(names).containsExactly(FiAddr.NOTAVAIL, 0);
            vector.close();
        } finally {
            queue.close();
        }
    }

    @Test
    void theDomainStaysOpenAsLongAsAVectorDoes() {
        final Domain domain = domain(AddressFormat.DEVICE);
        final AddressVector vector = domain.openAddressVector(new AvAttributes());
        assertRefused(FiErrno.FI_EBUSY, domain::close, "1 address vector");
        vector.close();
        domain.close();
        assertRefused(FiErrno.FI_EBADFD, () -> domain.openAddressVector(new AvAttributes()));
    }
}
