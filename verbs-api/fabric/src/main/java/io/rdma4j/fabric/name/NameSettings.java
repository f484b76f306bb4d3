/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;

/**
 * Where the name service is: system properties, then the environment, then defaults; read each time that it is used.
 *
 * <pre>
 *  rdma4j.name.address        RDMA4J_NAME_ADDRESS        addresses that this node's service is known by, comma between
 *                                                        them; 127.0.0.1,::1. Those of loopback lead processes of this
 *                                                        user to its socket; at others it listens by TCP as well, and
 *                                                        the first of these has to be there.
 *  rdma4j.name.port           RDMA4J_NAME_PORT           port of the services of all nodes; 19765
 *  rdma4j.name.dir            RDMA4J_NAME_DIR            folder of its socket; /dev/shm/rdma4j-name-UID
 *  rdma4j.resolve.timeout.ms  RDMA4J_RESOLVE_TIMEOUT_MS  longest time for finding or registering; 5000
 *  rdma4j.resolve.grace.ms    RDMA4J_RESOLVE_GRACE_MS    how long an endpoint that is not known is asked for again, as
 *                                                        another process may just take over; 300
 * </pre>
 *
 * @param listen addresses that the service of this node is known by.
 * @param port   of the services of all nodes.
 */
record NameSettings(List<InetAddress> listen, int port) {
    static final String ADDRESS = "rdma4j.name.address";
    static final String PORT = "rdma4j.name.port";
    static final String TIMEOUT = "rdma4j.resolve.timeout.ms";
    static final String GRACE = "rdma4j.resolve.grace.ms";
    private static final String DEFAULT_ADDRESSES = "127.0.0.1,::1";
    private static final int DEFAULT_PORT = 19_765;
    private static final int MAX_PORT = 0xffff;
    private static final int DEFAULT_TIMEOUT_MILLIS = 5000;
    private static final int DEFAULT_GRACE_MILLIS = 300;
    private static final int MAX_MILLIS = 600_000;

    static NameSettings now() {
        return of(System::getProperty, System::getenv);
    }

    static NameSettings of(final UnaryOperator<String> properties, final UnaryOperator<String> environment) {
        final String text = text(ADDRESS, properties, environment);
        return new NameSettings(addresses(text == null ? DEFAULT_ADDRESSES : text),
            number(PORT, properties, environment, 1, MAX_PORT, DEFAULT_PORT));
    }

    static long timeoutMillis() {
        return number(TIMEOUT, System::getProperty, System::getenv, 1, MAX_MILLIS, DEFAULT_TIMEOUT_MILLIS);
    }

    static long graceMillis() {
        return number(GRACE, System::getProperty, System::getenv, 0, MAX_MILLIS, DEFAULT_GRACE_MILLIS);
    }

    /** Those by which other nodes reach this one: there it listens by TCP. */
    List<InetAddress> remote() {
        return listen.stream().filter(one -> !one.isLoopbackAddress()).toList();
    }

    /**
     * Whether an address is one of this node's that its service is known by, or any of loopback, where nobody else can
     * be; such a one is asked without TCP.
     */
    boolean isHere(final InetAddress node) {
        return node.isLoopbackAddress() || listen.stream().anyMatch(one -> isSame(one, node))
            || listen.stream().anyMatch(InetAddress::isAnyLocalAddress) && isOfThisHost(node);
    }

    /** One without a scope may be of any. */
    private static boolean isSame(final InetAddress one, final InetAddress other) {
        return one.equals(other) && (scope(one) == scope(other) || scope(one) == 0 || scope(other) == 0);
    }

    private static int scope(final InetAddress address) {
        return address instanceof Inet6Address in6 ? in6.getScopeId() : 0;
    }

    private static boolean isOfThisHost(final InetAddress node) {
        try {
            return NetworkInterface.getByInetAddress(node) != null;
        } catch (final SocketException e) {
            return false;
        }
    }

    /** Names are not looked up: who listens where must not depend on who answers. */
    private static List<InetAddress> addresses(final String text) {
        final List<InetAddress> all = new ArrayList<>();
        for (final String part : text.split(",")) {
            final String one = part.trim();
            if (!NodeRange.isAddress(one)) {
                throw bad(ADDRESS, text, "is no list of addresses of IPv4 and IPv6");
            }
            all.add(NodeRange.literal(one));
        }
        return List.copyOf(all);
    }

    private static int number(
        final String name, final UnaryOperator<String> properties, final UnaryOperator<String> environment,
        final int least, final int most, final int otherwise) {
        final String text = text(name, properties, environment);
        if (text == null) {
            return otherwise;
        }
        if (!text.matches("[0-9]{1,9}") || Integer.parseInt(text) < least || Integer.parseInt(text) > most) {
            throw bad(name, text, "is no number from " + least + " to " + most);
        }
        return Integer.parseInt(text);
    }

    private static String text(
        final String name, final UnaryOperator<String> properties, final UnaryOperator<String> environment) {
        final String property = properties.apply(name);
        final String text = property != null ? property : environment.apply(variable(name));
        return text == null || text.isBlank() ? null : text.trim();
    }

    static String variable(final String property) {
        return property.toUpperCase(Locale.ROOT).replace('.', '_');
    }

    private static FabricException bad(final String name, final String value, final String why) {
        return NameFailures.of("configure the name service", FiErrno.FI_EINVAL, "it is also read from "
            + variable(name), "%s='%s' %s", name, value, why);
    }
}
