/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import io.rdma4j.base.DaemonThreads;
import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Addresses of nodes, within a deadline: who asks for a name may wait for long, so that others do it. */
final class Hosts {
    private static final Executor HELPERS = DaemonThreads.pool("rdma4j-hosts", 8, 1);

    private final HostLookup lookup;

    Hosts(final HostLookup lookup) {
        this.lookup = lookup;
    }

    /** The first one of the family that the format has; addresses are taken as they are. */
    InetAddress find(final String node, final AddressFormat format, final long deadline) {
        final InetAddress[] found = NodeRange.isAddress(node) ? new InetAddress[] {NodeRange.literal(node)}
            : ask(node, deadline);
        for (final InetAddress one : found) {
            final boolean isIpv4 = one instanceof Inet4Address;
            if (format != AddressFormat.SOCKADDR_IN && format != AddressFormat.SOCKADDR_IN6
                || isIpv4 == (format == AddressFormat.SOCKADDR_IN)) {
                return one;
            }
        }
        if (format == AddressFormat.SOCKADDR_IN6 && found.length > 0) {
            return found[0];
        }
        throw NameFailures.of(NameFailures.RESOLVE, FiErrno.FI_EADDRNOTAVAIL, "use a domain with another format",
            "'%s' has no address for %s", node, format);
    }

    private InetAddress[] ask(final String node, final long deadline) {
        final FutureTask<InetAddress[]> task = new FutureTask<>(() -> lookup.find(node));
        HELPERS.execute(task);
        try {
            return task.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (final TimeoutException e) {
            task.cancel(true);
            throw failure(node, FiErrno.FI_ETIMEDOUT, "nobody told its address in time", e);
        } catch (final InterruptedException e) {
            task.cancel(true);
            Thread.currentThread().interrupt();
            throw failure(node, FiErrno.FI_EINTR, "this thread was interrupted", e);
        } catch (final ExecutionException e) {
            throw e.getCause() instanceof UnknownHostException
                ? failure(node, FiErrno.FI_ENODATA, "nobody knows its address", e)
                : failure(node, FiErrno.FI_EIO, String.valueOf(e.getCause()), e);
        }
    }

    private static FabricException failure(
        final String node, final int errno, final String why, final Exception cause) {
        return FabricException.of(NameFailures.RESOLVE).detail("host '%s': %s", node, why).errno(errno)
            .hint("getent hosts " + node + " tells what this machine knows").cause(cause).build();
    }
}
