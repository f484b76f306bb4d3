/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.EndpointOption;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.fabric.endpoint.EndpointSettings;

/** FI_OPT_MIN_MULTI_RECV of what receives messages that go in pieces. Stateless. */
final class MultiReceiveOption {
    private MultiReceiveOption() {
    }

    static void set(
        final RdmReceiveContext context, final Object owner, final EndpointOption option, final long value) {
        require(context, owner, option, EndpointSettings.SET);
        if (value < 1 || value > Integer.MAX_VALUE) {
            throw Failures.invalid(EndpointSettings.SET, "%s is %d, allowed are 1 to %d", option, value,
                Integer.MAX_VALUE);
        }
        context.takesMany((int) value);
    }

    static long get(final RdmReceiveContext context, final Object owner, final EndpointOption option) {
        require(context, owner, option, EndpointSettings.GET);
        return context.leastMulti();
    }

    /** A context that is bound to another one has its receives there. */
    private static void require(
        final RdmReceiveContext context, final Object owner, final EndpointOption option, final String operation) {
        if (context.refusal() == -FiErrno.FI_EBADFD) {
            throw Failures.of(operation, FiErrno.FI_EBADFD, "%s is closed", owner).build();
        }
        if (option != EndpointOption.MIN_MULTI_RECV || !context.takesMany() || context.refusal() != 0) {
            throw EndpointSettings.unknown(operation, owner, option);
        }
    }
}
