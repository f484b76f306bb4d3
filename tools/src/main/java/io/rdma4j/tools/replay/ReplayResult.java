/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import java.util.List;
import java.util.Map;

/**
 * What came of a replay. Immutable.
 *
 * @param trace      the file.
 * @param number     which of its devices, from 1.
 * @param recordedOn the device of the trace.
 * @param playedOn   the device that it was played on.
 * @param steps      how many steps were played.
 * @param raw        records that cannot be said in the script's terms, by reason, with how many.
 * @param skipped    steps that the device has no means for, by reason, with how many.
 * @param notes      what else is to be known about the trace.
 * @param comparison the answers, compared.
 */
public record ReplayResult(
    String trace, int number, String recordedOn, String playedOn, int steps, Map<String, Integer> raw,
    Map<String, Integer> skipped, List<String> notes, DiffComparison comparison) {

    /**
     * Whether all that was played was answered alike, apart from what is known.
     *
     * @return true if nothing unknown was found.
     */
    public boolean isAlike() {
        return comparison.unknown().isEmpty();
    }
}
