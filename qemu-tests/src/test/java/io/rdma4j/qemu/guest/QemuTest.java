/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;

/**
 * A test class that boots QEMU. It fails where QEMU cannot run, and is left out only when that is asked for by
 * {@code -Drdma4j.qemu=off}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("qemu")
@Timeout(value = 20, unit = TimeUnit.MINUTES)
@DisabledIfSystemProperty(named = "rdma4j.qemu", matches = "off", disabledReason = "left out by -Drdma4j.qemu=off")
public @interface QemuTest {
}
