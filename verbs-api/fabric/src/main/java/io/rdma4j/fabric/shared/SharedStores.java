/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

import io.rdma4j.driver.state.StateFolder;
import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.AvFlag;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.av.AvStore;
import io.rdma4j.fabric.av.AvStores;
import java.io.IOException;

/** Makes and opens vectors that the processes of a user on this machine share. Thread-safe. */
public final class SharedStores implements AvStores {
    /** Where nothing is said, and at most, as what is said is a hint. */
    private static final int USUAL_PLACES = 1024;
    private static final int MOST_PLACES = 1 << 16;
    /** Any other would do, too: names of an own range show who mixes vectors up. */
    private static final long DEFAULT_BASE = 0x10_0000;

    private final int kind;

    /**
     * Those of one domain. Who shares a vector with it may have endpoints of another kind, which are no peers for it.
     *
     * @param endpoints of the domain; for null and MSG all are peers.
     */
    public SharedStores(final EndpointType endpoints) {
        kind = endpoints == null || endpoints == EndpointType.MSG ? SharedEntries.ANY_KIND : endpoints.value();
    }

    @Override
    public AvStore open(final String domainName, final AddressFormat format, final AvAttributes attributes) {
        final SharedName name = new SharedName(attributes.name(), domainName);
        final boolean readOnly = attributes.flags().contains(AvFlag.READ);
        try {
            final SharedLayout wanted = readOnly ? null : layout(format, attributes);
            final SharedFile file = SharedFile.open(name, wanted, places(attributes.count()));
            return store(file, format, attributes, readOnly);
        } catch (final IOException e) {
            throw FabricException.of(Troubles.OPEN).detail("'%s': %s", name.name(), StateFolder.why(e))
                .errno(Troubles.errno(e)).hint(SharedFolder.WHERE).cause(e).build();
        }
    }

    private SharedStore store(
        final SharedFile file, final AddressFormat format, final AvAttributes attributes, final boolean readOnly)
        throws IOException {
        boolean good = false;
        try {
            check(file, format, attributes);
            final SharedStore store = new SharedStore(file, readOnly, kind);
            good = true;
            return store;
        } finally {
            if (!good) {
                file.release();
            }
        }
    }

    /** Whole words of bits. */
    static int places(final long count) {
        final long wanted = Math.min(count == 0 ? USUAL_PLACES : count, MOST_PLACES);
        return (int) (wanted + Long.SIZE - 1) / Long.SIZE * Long.SIZE;
    }

    private static SharedLayout layout(final AddressFormat format, final AvAttributes attributes) {
        final AvType type = attributes.type() == AvType.UNSPEC ? AvType.TABLE : attributes.type();
        // Names of TABLE are indices, wherever those of MAP would begin.
        final long base =
            attributes.mapAddress() == 0 || type == AvType.TABLE ? DEFAULT_BASE : attributes.mapAddress();
        if (base < 0 || SharedChanges.mostLife(type, attributes.rxCtxBits(), base) < 1) {
            throw Troubles.of(FiErrno.FI_EINVAL, "give a lower one, or 0",
                "map_addr 0x%x leaves no names below the %d bits of receive contexts", base, attributes.rxCtxBits());
        }
        return new SharedLayout(SharedLayout.MOST, format, type, attributes.rxCtxBits(), base);
    }

    private static void check(final SharedFile file, final AddressFormat format, final AvAttributes attributes) {
        final SharedLayout found = file.layout();
        if (found.format != format) {
            throw differs(file, "format", found.format, format);
        }
        if (attributes.type() != AvType.UNSPEC && attributes.type() != found.type) {
            throw differs(file, "type", found.type, attributes.type());
        }
        // Who only reads takes the names as they are.
        final boolean anyBits = attributes.rxCtxBits() == 0 && attributes.flags().contains(AvFlag.READ);
        if (!anyBits && attributes.rxCtxBits() != found.rxCtxBits) {
            throw differs(file, "rx_ctx_bits", found.rxCtxBits, attributes.rxCtxBits());
        }
        // Indices do not depend on it.
        if (found.type == AvType.MAP && attributes.mapAddress() != 0 && attributes.mapAddress() != found.base) {
            throw differs(file, "map_addr", "0x" + Long.toHexString(found.base),
                "0x" + Long.toHexString(attributes.mapAddress()));
        }
    }

    private static FabricException differs(
        final SharedFile file, final String what, final Object found, final Object asked) {
        return Troubles.of(FiErrno.FI_EINVAL, "ask for what whoever made it chose",
            "'%s' exists with %s %s, not %s: %s", file.name().name(), what, found, asked, file.path());
    }
}
