/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** A completion made no sense and was dropped. */
@Name("io.rdma4j.DroppedCompletion")
@Label("Dropped Completion")
@Description("A completion made no sense and was dropped")
@Category({RdmaEvent.GROUP, RdmaEvent.ERRORS})
final class DroppedCompletionEvent extends RdmaEvent {
    @Label("CQ")
    @Description("Handle of the completion queue")
    int cq;

    @Label("Total")
    @Description("How many the queue dropped so far")
    long total;
}
