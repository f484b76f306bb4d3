/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.EndpointOption;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.completion.Failures;

/** What is the same for the options of all endpoints. Stateless. */
public final class EndpointSettings {
    /** An operation, for messages. */
    public static final String SET = "set option";
    /** An operation, for messages. */
    public static final String GET = "get option";

    private EndpointSettings() {
    }

    /**
     * Refuses a shared receive context where receives are the device's.
     *
     * @param operation for the message.
     * @param options   of the endpoint.
     * @throws FabricException FI_EOPNOTSUPP.
     */
    public static void requireOwnReceives(final String operation, final EndpointOptions options) {
        if (options.sharedReceiveContext() != null) {
            throw Failures.of(operation, FiErrno.FI_EOPNOTSUPP, "it cannot share receives, of %s: they are in the "
                + "hands of the device", options.sharedReceiveContext())
                .hint("ask for reliable datagrams, or for connected endpoints with Capability.TAGGED or "
                    + "Capability.MULTI_RECV").build();
        }
    }

    /**
     * There is no such option.
     *
     * @param operation {@link #SET} or {@link #GET}.
     * @param owner     what has it not.
     * @param option    may be null.
     * @return FI_EINVAL for null, else FI_ENOPROTOOPT; to be thrown.
     */
    public static FabricException unknown(final String operation, final Object owner, final EndpointOption option) {
        return option == null ? Failures.invalid(operation, "option is null")
            : Failures.of(operation, FiErrno.FI_ENOPROTOOPT, "%s has no option FI_OPT_%s, or it is read only", owner,
                option).build();
    }
}
