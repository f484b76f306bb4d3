/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;

/** A device that is opened or closed: what is told of it. */
abstract class DeviceEvent extends RdmaEvent implements DeviceSpan {
    @Label("Profile")
    @Description("Which implementation of the device it is")
    String profile;

    @Label("VERSION")
    @Description("The VERSION register, by which layouts are chosen")
    int version;

    @Label("Done")
    @Description("Whether it succeeded")
    boolean done;

    @Override
    public void end(final Object onDevice, final String itsProfile, final int itsVersion, final boolean isDone) {
        end();
        if (shouldCommit()) {
            device = String.valueOf(onDevice);
            profile = itsProfile;
            version = itsVersion;
            done = isDone;
            commit();
        }
    }
}
