/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.live.AhKind;
import org.agrona.concurrent.UnsafeBuffer;

/** An address handle. The library's goes when no request that was posted with it is in a queue any more. */
final class IbvAh extends IbvObject implements AddressHandle {
    final IbvPd pd;
    final long pointer;
    private final AhAttributes attributes;

    private IbvAh(final IbvPd pd, final AhAttributes attributes, final long pointer) {
        super(pd.context);
        this.pd = pd;
        this.attributes = attributes;
        this.pointer = pointer;
        publish(AhKind.KIND, context.nextNumber(), this::describe);
    }

    private void describe(final LiveEntry entry) {
        entry.set(AhKind.PD, pd.number)
            .set(AhKind.PORT, attributes.port())
            .set(AhKind.GID_INDEX, attributes.sgidIndex())
            .set(AhKind.DGID_HIGH, attributes.dgid().high())
            .set(AhKind.DGID_LOW, attributes.dgid().low())
            .set(AhKind.SL, attributes.serviceLevel())
            .set(AhKind.HOP_LIMIT, attributes.hopLimit())
            .set(AhKind.TRAFFIC_CLASS, attributes.trafficClass());
    }

    static IbvAh create(final IbvPd pd, final AhAttributes attributes, final String operation) {
        final UnsafeBuffer attr = Struct.allocate(Abi.AhAttr.LENGTH);
        Ways.write(attr, 0, attributes, pd.context.gids);
        final long handle = pd.context.library.createAh(pd.pointer, attr.addressOffset());
        Struct.keep(attr);
        return new IbvAh(pd, attributes, pd.context.requireObject(handle, operation, "ibv_create_ah"));
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
    void awaitOthers() {
        pd.closedHandles.awaitPosts();
    }

    @Override
    void destroy() {
        pd.closedHandles.add(this);
        pd.forget(this);
    }

    void destroyNow() {
        context.destroyed(context.library.destroyAh(pointer), "close AH", "ibv_destroy_ah");
    }

    @Override
    public String toString() {
        return "AH to " + attributes.dgid();
    }
}
