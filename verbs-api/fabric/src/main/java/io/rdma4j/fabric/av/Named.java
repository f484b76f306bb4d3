/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.name.NameResolver;
import io.rdma4j.fabric.name.Resolution;
import io.rdma4j.fabric.name.SymmetricRange;
import io.rdma4j.verbs.Gid;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Asks the name service; counts where nobody has to be asked. */
final class Named implements AddressResolver {
    private final AddressFormat format;
    private final EndpointType kind;
    private final NameResolver names;

    Named(final AddressFormat format, final EndpointType kind) {
        this.format = format;
        this.kind = kind;
        names = new NameResolver(format, kind);
    }

    @Override
    public EndpointType kind() {
        return kind;
    }

    @Override
    public long deadline() {
        return NameResolver.deadline();
    }

    @Override
    public void resolve(
        final AvEntry[] entries, final Problem[] problems, final int count, final long deadline) {
        final List<FabricAddress> good = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            if (problems[i] == null) {
                good.add(entries[i].inserted());
            }
        }
        final List<Resolution> found = names.toDevice(good, deadline);
        int next = 0;
        for (int i = 0; i < count; i++) {
            if (problems[i] == null) {
                problems[i] = take(found.get(next++), entries[i], false);
            }
        }
    }

    /** What is wrong with it, else null. */
    private Problem take(final Resolution found, final AvEntry entry, final boolean wasNamed) {
        if (found.failure() != null) {
            return Problem.of(found.failure());
        }
        if (wasNamed) {
            entry.inserted(found.inserted());
        }
        return DeviceAddresses.read(found.device(), entry, kind);
    }

    @Override
    public Source service(final String node, final String service) {
        return new Asked(1, (first, some, deadline) -> List.of(names.service(node, service)));
    }

    @Override
    public Source symmetric(
        final String node, final int nodeCount, final String service, final int serviceCount) {
        final SymmetricRange range;
        try {
            range = SymmetricRange.of(node, nodeCount, service, serviceCount);
        } catch (final FabricException e) {
            if (e.errno() != FiErrno.FI_ENODATA) {
                throw e;
            }
            // As with one service: each address says that nobody knows its name.
            return new Unknown(nodeCount * serviceCount, Problem.of(e));
        }
        if (range.services().isQueuePairs()) {
            if (format != AddressFormat.DEVICE) {
                throw FabricException.of("insert addresses")
                    .detail("service '%s' is a queue pair, which addresses of format %s have not", service, format)
                    .errno(FiErrno.FI_EINVAL).hint("give a number of a service").build();
            }
            return new QueuePairs(range, kind);
        }
        return new Asked(range.size(), (first, some, deadline) -> names.symmetric(range, first, some, deadline));
    }

    /** Asks for some addresses of a call. */
    @FunctionalInterface
    private interface Question {
        List<Resolution> ask(int first, int some, long deadline);
    }

    /** Addresses that the name service knows. */
    private final class Asked implements Source {
        private final int count;
        private final Question question;
        /** Of the whole call, which is done by one thread; null until somebody is asked. */
        private Long deadline;

        Asked(final int count, final Question question) {
            this.count = count;
            this.question = question;
        }

        @Override
        public int count() {
            return count;
        }

        @Override
        public boolean asks() {
            return true;
        }

        @Override
        public void load(final int first, final int some, final AvEntry[] entries, final Problem[] problems) {
            deadline = deadline == null ? (Long) NameResolver.deadline() : deadline;
            final List<Resolution> found = question.ask(first, some, deadline);
            for (int i = 0; i < some; i++) {
                problems[i] = take(found.get(i), entries[i], true);
            }
        }
    }

    /** Addresses of services that nobody knows. */
    private record Unknown(int count, Problem problem) implements Source {
        @Override
        public boolean asks() {
            return false;
        }

        @Override
        public void load(final int first, final int some, final AvEntry[] entries, final Problem[] problems) {
            Arrays.fill(problems, 0, some, problem);
        }
    }

    /** GIDs and queue pair numbers that count up. */
    private static final class QueuePairs implements Source {
        private final Gid gid;
        private final int count;
        private final int services;
        private final int qpn;
        private final int qkey;
        private final EndpointType kind;

        QueuePairs(final SymmetricRange range, final EndpointType kind) {
            this.kind = kind == null ? EndpointType.MSG : kind;
            count = range.size();
            services = Math.max(1, range.services().count());
            gid = count == 0 ? Gid.ZERO : NameResolver.gid(range.nodes().node(0));
            qpn = count == 0 ? 0 : range.services().number(0);
            qkey = range.services().qkey();
        }

        @Override
        public int count() {
            return count;
        }

        @Override
        public boolean asks() {
            return false;
        }

        @Override
        public void load(final int first, final int some, final AvEntry[] entries, final Problem[] problems) {
            for (int i = 0; i < some; i++) {
                final int node = (first + i) / services;
                final long low = gid.low() + node;
                final long carry = Long.compareUnsigned(low, gid.low()) < 0 ? 1 : 0;
                DeviceAddresses.write(entries[i], gid.high() + carry, low, qpn + (first + i) % services, qkey, kind);
                problems[i] = DeviceAddresses.read(entries[i], kind);
            }
        }
    }
}
