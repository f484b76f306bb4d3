/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.jfr;

import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.MemoryAddress;

/** A region that comes or goes: what is told of it. */
abstract class MemoryEvent extends RdmaEvent implements MemorySpan {
    @Label("Address")
    @Description("Where the process sees the first byte")
    @MemoryAddress
    long address;

    @Label("Size")
    @DataAmount
    long bytes;

    @Label("Pages")
    @Description("How many pages the region touches")
    int pages;

    @Label("Handle")
    @Description("The number of the region in commands; -1 if it failed")
    int handle;

    @Override
    public void end(
        final Object onDevice, final long firstByte, final long length, final int touched, final int number) {
        end();
        if (shouldCommit()) {
            device = String.valueOf(onDevice);
            address = firstByte;
            bytes = length;
            pages = touched;
            handle = number;
            commit();
        }
    }
}
