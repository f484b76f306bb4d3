/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.base.Undo;
import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.AvFlag;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;

/** Opens address vectors. */
public final class AddressVectors {
    private static final String OPERATION = "open address vector";
    /** The expected count is a hint, and may be wrong. */
    private static final int MOST_PREPARED = 1 << 20;
    private static final String NAME = "[A-Za-z0-9._-]{1,128}";

    private AddressVectors() {
    }

    /**
     * Opens a vector; it is also a {@link PeerTable}.
     *
     * @param host       its domain.
     * @param attributes what it shall be.
     * @return the vector.
     * @throws FabricException FI_EINVAL for null, a name, bits or a count that cannot be, or for reading only without
     *                         a name; FI_ENOENT, FI_EACCES for names that are not there or not the user's; FI_ENOSYS
     *                         for names where they cannot be.
     */
    public static AddressVector open(final AvHost host, final AvAttributes attributes) {
        final FabricInfo info = host.domain().info();
        return open(host, attributes, new Named(info.addressFormat(), info.endpointType()));
    }

    static FabricAddressVector open(
        final AvHost host, final AvAttributes attributes, final AddressResolver resolver) {
        check(attributes);
        final AddressFormat format = host.domain().info().addressFormat();
        final AvStore store = store(host, attributes, format);
        try (Undo undo = new Undo()) {
            undo.add(store::close);
            final FabricAddressVector vector = new FabricAddressVector(host, attributes, store, resolver,
                new Worker("rdma4j address vector", 1), new Worker("rdma4j moved peers", Moves.MOST_NODES));
            host.opened(vector);
            undo.forget();
            vector.publish();
            return vector;
        }
    }

    private static AvStore store(final AvHost host, final AvAttributes attributes, final AddressFormat format) {
        if (attributes.name() != null) {
            if (host.stores() == null) {
                throw FabricException.of(OPERATION).detail("there are no shared vectors here, name is '%s'",
                    attributes.name()).errno(FiErrno.FI_ENOSYS).hint("open one without a name").build();
            }
            return host.stores().open(host.domain().info().domainModel().name(), format, attributes);
        }
        final AvType type = attributes.type() == AvType.UNSPEC ? AvType.TABLE : attributes.type();
        // Text does not count up.
        if (attributes.flags().contains(AvFlag.SYMMETRIC) && format != AddressFormat.STR) {
            return new SymmetricStore(type, format, attributes.rxCtxBits());
        }
        final HeapStore store = new HeapStore(type, format, attributes.rxCtxBits());
        prepare(store, attributes.count());
        return store;
    }

    private static void prepare(final HeapStore store, final long count) {
        try {
            store.reserve((int) Math.min(count, MOST_PREPARED));
        } catch (final OutOfMemoryError e) {
            // Only a hint: as many as there is room for are inserted all the same, the others have errors of their own.
            Thread.onSpinWait();
        }
    }

    private static void check(final AvAttributes attributes) {
        if (attributes == null) {
            throw invalid("attributes are null");
        }
        if (attributes.type() == null) {
            throw invalid("type is null");
        }
        if (attributes.rxCtxBits() < 0 || attributes.rxCtxBits() > FiAddr.MAX_RX_CTX_BITS) {
            throw invalid("rx_ctx_bits is %d, allowed are 0 to %d", attributes.rxCtxBits(), FiAddr.MAX_RX_CTX_BITS);
        }
        if (attributes.count() < 0) {
            throw invalid("count is %d, must be 0 or more", attributes.count());
        }
        if (attributes.epPerNode() < 0) {
            throw invalid("ep_per_node is %d, must be 0 or more", attributes.epPerNode());
        }
        checkName(attributes);
    }

    private static void checkName(final AvAttributes attributes) {
        final String name = attributes.name();
        if (name == null) {
            if (attributes.flags().contains(AvFlag.READ)) {
                throw invalid("it is for reading only and has no name");
            }
        } else if (!name.matches(NAME) || name.matches("[.]*")) {
            throw invalid("name '%s' is not 1 to 128 letters, digits, '-', '_' and '.', or only dots", name);
        }
    }

    private static FabricException invalid(final String format, final Object... values) {
        return FabricException.of(OPERATION).detail(format, values).errno(FiErrno.FI_EINVAL).build();
    }
}
