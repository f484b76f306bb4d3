/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** The device told of something by itself. */
@Name("io.rdma4j.AsyncEvent")
@Label("Asynchronous Event")
@Description("The device told of something by itself")
@Category({RdmaEvent.GROUP, RdmaEvent.DEVICE})
final class AsynchronousEvent extends RdmaEvent {
    @Label("Type")
    String type;

    @Label("Number")
    @Description("The number of the type; -1 if events were lost")
    int number;

    @Label("About")
    @Description("Handle of the object, or number of the port")
    int info;
}
