/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.region.Realm;

/** Looks at the name of an endpoint before anything is made for it. */
public final class NameCheck {
    private NameCheck() {
    }

    /**
     * Whether an endpoint of a realm could be connected with the one of that name.
     *
     * @param name  what a peer told; may be anything.
     * @param realm whose authorization key it has to be sealed with.
     * @return 0; FI_EINVAL for bytes that are no name, FI_ECONNREFUSED for another authorization key.
     */
    public static int check(final byte[] name, final Realm realm) {
        try {
            return PeerName.decode(name).isSealedBy(realm) ? 0 : FiErrno.FI_ECONNREFUSED;
        } catch (final FabricException e) {
            return FiErrno.FI_EINVAL;
        }
    }

    /**
     * Who has a name.
     *
     * @param name one that is no nonsense.
     * @return as {@link io.rdma4j.fabric.MsgEndpoint#address()} of that endpoint.
     * @throws FabricException FI_EINVAL for bytes that are no name.
     */
    public static FabricAddress address(final byte[] name) {
        final PeerName peer = PeerName.decode(name);
        return FabricAddress.device(peer.gid(), peer.messageQpn(), 0, EndpointType.MSG);
    }
}
