/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.ProtectionDomain;
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
    }

    static IbvAh create(final IbvPd pd, final AhAttributes attributes, final String operation) {
        final UnsafeBuffer attr = Struct.allocate(Abi.AhAttr.LENGTH);
        Ways.write(attr, 0, attributes, pd.context.gids);
        return new IbvAh(pd, attributes, pd.context.requireObject(
            pd.context.library.createAh(pd.pointer, attr.addressOffset()), operation, "ibv_create_ah"));
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
