/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import java.util.List;

/**
 * What fits some hints and what does not; see {@link Fabrics#survey}.
 *
 * @param found   what fits, best first; possibly nothing.
 * @param leftOut for each device that does not fit or cannot be opened a sentence that begins with its address.
 * @param unfit   whether one of those could be opened and does not fit: other hints may help then.
 */
public record Survey(List<FabricInfo> found, List<String> leftOut, boolean unfit) {
    /**
     * Keeps lists that nobody changes.
     *
     * @param found   copied.
     * @param leftOut copied.
     * @param unfit   whether one of those could be opened and does not fit.
     * @throws FabricException FI_EINVAL for null, and for null in a list.
     */
    public Survey {
        found = List.copyOf(Arguments.allNotNull("look for fabrics", "found", found));
        leftOut = List.copyOf(Arguments.allNotNull("look for fabrics", "leftOut", leftOut));
    }
}
