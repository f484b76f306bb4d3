/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** Something went wrong: a refused command, a listener that threw, .... */
@Name("io.rdma4j.Error")
@Label("Error")
@Description("Something went wrong: a refused command, a listener that threw, ...")
@Category({RdmaEvent.GROUP, RdmaEvent.ERRORS})
final class ErrorEvent extends RdmaEvent {
    @Label("Error")
    @Description("The class of the exception")
    String error;

    @Label("Message")
    String message;
}
