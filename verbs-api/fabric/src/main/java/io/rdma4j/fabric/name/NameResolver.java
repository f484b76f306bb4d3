/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.verbs.Gid;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Finds out which endpoints of devices names and addresses stand for, within {@code rdma4j.resolve.timeout.ms} for each
 * call, 5 s by default. Thread-safe; made for a domain, and has nothing to close.
 */
public final class NameResolver {
    private final AddressFormat format;
    private final EndpointType kind;
    private final Hosts hosts;

    /**
     * For a domain.
     *
     * @param format how its addresses are written.
     * @param kind   of its endpoints; null for any.
     */
    public NameResolver(final AddressFormat format, final EndpointType kind) {
        this(format, kind, InetAddress::getAllByName);
    }

    NameResolver(final AddressFormat format, final EndpointType kind, final HostLookup lookup) {
        this.format = format;
        this.kind = kind;
        hosts = new Hosts(lookup);
    }

    /**
     * The endpoint that an address stands for.
     *
     * @param any of any format; the device's own is checked and comes back, sockets are asked for.
     * @return an address in the device's own format.
     * @throws FabricException FI_EINVAL for null or nonsense, and an endpoint of another kind; FI_ENODATA if the node
     *                         has no such endpoint; FI_ECONNREFUSED if it has none at all, FI_EHOSTUNREACH if it
     *                         cannot be reached, FI_ETIMEDOUT if it does not answer, FI_EPROTO if it answers nonsense,
     *                         FI_EINTR if this thread was interrupted.
     */
    public FabricAddress toDevice(final FabricAddress any) {
        final Resolution one = toDevice(Arrays.asList(any)).get(0);
        if (one.failure() != null) {
            throw one.failure();
        }
        return one.device();
    }

    /**
     * As {@link #toDevice(FabricAddress)}, for many: those of one node over one connection, all within one deadline.
     *
     * @param any addresses; null is a bad one.
     * @return what became of each, in their order.
     */
    public List<Resolution> toDevice(final List<FabricAddress> any) {
        return toDevice(any, deadline());
    }

    /**
     * As {@link #toDevice(List)}, for a part of more: those that nobody answers until then fail with FI_ETIMEDOUT.
     *
     * @param any      addresses; null is a bad one.
     * @param deadline from {@link #deadline}, when the first part was asked for.
     * @return what became of each, in their order.
     */
    public List<Resolution> toDevice(final List<FabricAddress> any, final long deadline) {
        final Resolution[] results = new Resolution[any.size()];
        final Map<String, NodeQuestion> nodes = new LinkedHashMap<>();
        for (int i = 0; i < results.length; i++) {
            results[i] = atOnce(any.get(i), i, nodes);
        }
        new NodeQuestions(kind, results, deadline).ask(List.copyOf(nodes.values()));
        return Arrays.asList(results);
    }

    /** What needs nobody to be asked; null for the rest, which is noted by node: its address as text, with scope. */
    private Resolution atOnce(final FabricAddress any, final int index, final Map<String, NodeQuestion> nodes) {
        try {
            if (any == null) {
                throw bad("the address is null");
            }
            final FabricAddress plain = any.decoded();
            if (plain.format() == AddressFormat.DEVICE) {
                return Resolution.of(any, NodeQuestions.ofKind(plain, kind));
            }
            final InetSocketAddress socket = plain.socketAddress();
            if (socket.getPort() == 0 || socket.getAddress().isAnyLocalAddress()) {
                throw bad("%s is no endpoint: it needs an address and a port", any);
            }
            nodes.computeIfAbsent(socket.getAddress().getHostAddress(), name -> new NodeQuestion(socket::getAddress))
                .add(index, socket.getPort(), any);
            return null;
        } catch (final FabricException e) {
            return Resolution.failed(any, e);
        }
    }

    /**
     * Finds a service (fi_av_insertsvc; checklist 83).
     *
     * @param node    host name or address; or an address as text (FI_ADDR_STR), then without a service.
     * @param service number or name; null with an address as text.
     * @return what became of it.
     */
    public Resolution service(final String node, final String service) {
        try {
            return node != null && node.contains("://") ? text(node, service)
                : symmetric(SymmetricRange.of(node, 1, service, 1), 0, 1).get(0);
        } catch (final FabricException e) {
            return Resolution.failed(null, e);
        }
    }

    private Resolution text(final String node, final String service) {
        if (service != null) {
            throw bad("the node is an address, '%s': there must be no service, which is '%s'", node, service);
        }
        final FabricAddress plain = FabricAddress.parse(node);
        final boolean isSocket = plain.format() != AddressFormat.DEVICE;
        if (isSocket && plain.format() != format
            && (format == AddressFormat.DEVICE || format == AddressFormat.SOCKADDR_IN6)) {
            return asked(plain.socketAddress());
        }
        if (format != AddressFormat.STR && plain.format() != format) {
            throw bad("'%s' is an address of %s, this domain has %s", node, plain.format(), format);
        }
        final FabricAddress inserted = format == AddressFormat.STR ? FabricAddress.text(node) : plain;
        return toDevice(List.of(inserted)).get(0);
    }

    /** As if node and service had been told apart. */
    private Resolution asked(final InetSocketAddress socket) {
        final NodeQuestion question = new NodeQuestion(socket::getAddress);
        question.add(0, socket.getPort(), null);
        final Resolution[] result = new Resolution[1];
        new NodeQuestions(kind, result, deadline()).inserting(format).ask(List.of(question));
        return result[0];
    }

    /**
     * Finds a part of ranges (fi_av_insertsym; checklist 84).
     *
     * @param range which; checked.
     * @param from  index of the first address, 0 or more.
     * @param count how many; from + count is not above the size of the range. A few thousand at a time are well.
     * @return what became of each, in their order.
     * @throws FabricException FI_EINVAL for queue pairs where nodes are no GIDs, or addresses are those of sockets.
     */
    public List<Resolution> symmetric(final SymmetricRange range, final int from, final int count) {
        return symmetric(range, from, count, deadline());
    }

    /**
     * As {@link #symmetric(SymmetricRange, int, int)}, for one of several parts: those that nobody answers until then
     * fail with FI_ETIMEDOUT.
     *
     * @param range    which; checked.
     * @param from     index of the first address, 0 or more.
     * @param count    how many; from + count is not above the size of the range.
     * @param deadline from {@link #deadline}, when the first part was asked for.
     * @return what became of each, in their order.
     */
    public List<Resolution> symmetric(
        final SymmetricRange range, final int from, final int count, final long deadline) {
        if (from < 0 || count < 0 || from > range.size() - count) {
            throw bad("addresses %d to %d of %d are asked for", from, (long) from + count, range.size());
        }
        return range.services().isQueuePairs() ? queuePairs(range, from, count)
            : services(range, from, count, deadline);
    }

    private List<Resolution> queuePairs(final SymmetricRange range, final int from, final int count) {
        if (format != AddressFormat.DEVICE && format != AddressFormat.STR || kind == null) {
            throw bad("queue pairs cannot be told in a domain with addresses of %s", format);
        }
        final List<Resolution> results = new ArrayList<>(count);
        int node = -1;
        Gid gid = null;
        for (int i = from; i < from + count; i++) {
            if (i / range.services().count() != node) {
                node = i / range.services().count();
                gid = gid(range.nodes().node(node));
            }
            final int qpn = range.services().number(i % range.services().count());
            final FabricAddress device = FabricAddress.device(gid, qpn, range.services().qkey(), kind);
            results.add(Resolution.of(
                format == AddressFormat.STR ? FabricAddress.text(device.toString()) : device, device));
        }
        return results;
    }

    /**
     * The node of queue pairs.
     *
     * @param node as the application named it.
     * @return its GID.
     * @throws FabricException FI_EINVAL if it is none.
     */
    public static Gid gid(final String node) {
        if (!NodeRange.isAddress(node)) {
            throw bad("queue pairs of '%s': the node has to be a GID, nobody is asked for it", node);
        }
        if (NodeRange.hasScope(node)) {
            throw bad("queue pairs of '%s': a GID has no scope", node);
        }
        return Gid.parse(node);
    }

    private List<Resolution> services(
        final SymmetricRange range, final int from, final int count, final long deadline) {
        final Resolution[] results = new Resolution[count];
        final List<NodeQuestion> nodes = new ArrayList<>();
        final int each = range.services().count();
        for (int i = from; i < from + count; i++) {
            if (i == from || i % each == 0) {
                final String node = range.nodes().node(i / each);
                nodes.add(new NodeQuestion(() -> hosts.find(node, format, deadline)));
            }
            nodes.get(nodes.size() - 1).add(i - from, range.services().number(i % each), null);
        }
        new NodeQuestions(kind, results, deadline).inserting(format).ask(nodes);
        return Arrays.asList(results);
    }

    /**
     * Until when a call that begins now may ask.
     *
     * @return a time of System.nanoTime.
     * @throws FabricException FI_EINVAL if rdma4j.resolve.timeout.ms is no time.
     */
    public static long deadline() {
        return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(NameSettings.timeoutMillis());
    }

    private static FabricException bad(final String text, final Object... values) {
        return NameFailures.of(NameFailures.RESOLVE, FiErrno.FI_EINVAL, "see AddressVector for what names can be",
            text, values);
    }
}
