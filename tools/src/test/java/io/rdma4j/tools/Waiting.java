/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.testing.Patience;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A test that waits for seconds until a deadline of the command is over. A shorter deadline would pass on a busy
 * machine before anything went wrong, so these wait side by side, and beside the other tests of their class. Devices of
 * such a test have names that no other has.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = Waiting.THREADS, mode = ResourceAccessMode.READ)
@interface Waiting {
    /** Who looks for threads that were left behind takes this for itself. */
    String THREADS = "threads of commands";
    /** {@code --timeout} of a command: no thread of it waits that long for a processor. */
    long SECONDS = Math.max(5, Patience.duration().toSeconds() / 27);
}
