/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.driver.live.Publication;
import io.rdma4j.hw.pvrdma.Av;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.live.AhKind;
import org.agrona.concurrent.UnsafeBuffer;

/** An address vector, ready to be copied into WQEs. The device knows nothing of it. */
final class PvrdmaAh extends PvrdmaObject implements AddressHandle {
    final PvrdmaPd pd;
    private final AhAttributes attributes;
    private final long[] words = new long[Av.LENGTH / Long.BYTES];
    private final Publication publication;

    PvrdmaAh(final PvrdmaPd pd, final AhAttributes attributes) {
        super(pd.context);
        this.pd = pd;
        this.attributes = attributes;
        final UnsafeBuffer av = new UnsafeBuffer(new byte[Av.LENGTH]);
        Av.portPd(av, 0, Av.packPortPd(pd.handle, attributes.port()));
        Av.trafficClassFlowLabel(av, 0,
            Av.packTrafficClassFlowLabel(attributes.trafficClass(), attributes.flowLabel()));
        Av.dgid(av, 0, attributes.dgid().high(), attributes.dgid().low());
        Av.srcPathBits(av, 0, Av.SRC_PATH_BITS_FLAG);
        Av.gidIndex(av, 0, attributes.sgidIndex());
        Av.hopLimit(av, 0, attributes.hopLimit());
        Av.dmac(av, 0, Addresses.mac(attributes.dgid()));
        for (int i = 0; i < words.length; i++) {
            words[i] = av.getLong(i * Long.BYTES);
        }
        publication = Publication.of(context.device.live(), AhKind.KIND, context.nextNumber(), this::describe);
        publication.changed();
    }

    private void describe(final LiveEntry entry) {
        entry.set(AhKind.PD, pd.handle)
            .set(AhKind.PORT, attributes.port())
            .set(AhKind.GID_INDEX, attributes.sgidIndex())
            .set(AhKind.DGID_HIGH, attributes.dgid().high())
            .set(AhKind.DGID_LOW, attributes.dgid().low())
            .set(AhKind.SL, attributes.serviceLevel())
            .set(AhKind.HOP_LIMIT, attributes.hopLimit())
            .set(AhKind.TRAFFIC_CLASS, attributes.trafficClass());
    }

    /** Copies word by word: a general copy costs more for so little. */
    void copyTo(final UnsafeBuffer wqes, final int offset) {
        for (int i = 0; i < words.length; i++) {
            wqes.putLong(offset + i * Long.BYTES, words[i]);
        }
    }

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public AhAttributes attributes() {
        return attributes;
    }

    @Override
    void destroy() {
        publication.end();
        pd.forget(this);
    }

    @Override
    public String toString() {
        return "AH to " + attributes.dgid();
    }
}
