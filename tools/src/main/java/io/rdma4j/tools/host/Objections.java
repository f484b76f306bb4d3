/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.host;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.sysfs.FileUser;
import io.rdma4j.driver.sysfs.HostFacts;
import io.rdma4j.driver.sysfs.NetInterface;
import io.rdma4j.driver.sysfs.PciFunction;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** What speaks against taking functions from their drivers, unless it is meant. */
final class Objections {
    private final HostFacts facts;
    private final List<String> texts = new ArrayList<>();
    private final List<PciFunction> wanted = new ArrayList<>();
    private boolean isSomethingInUse;

    Objections(final HostFacts facts) {
        this.facts = facts;
    }

    /** The function that was named: it should be one that rdma4j drives. */
    void lookAtNamed(final PciFunction function) {
        if (!function.isRdmaCapable()) {
            texts.add(function.address() + " [" + function.ids() + "] is not an RDMA device that rdma4j drives");
        }
        lookAtUse(function);
    }

    /** One of its group: it should be part of a network adapter, and nothing like a disk. */
    void lookAtCompanion(final PciFunction function) {
        if (!function.isRdmaCapable() && !function.isNetworkController()) {
            texts.add(String.format("%s [%s] is not a network device: its class is %06x, its driver %s",
                function.address(), function.ids(), function.classCode(), Words.driver(function)));
        }
        lookAtUse(function);
    }

    private void lookAtUse(final PciFunction function) {
        wanted.add(function);
        for (final NetInterface netInterface : function.netInterfaces()) {
            if (netInterface.isActive()) {
                isSomethingInUse = true;
                texts.add(function.address() + " carries the active network interface "
                    + Words.netInterface(netInterface));
            }
        }
        facts.verbsFiles(function).forEach(this::lookAtUsersOf);
    }

    /** Who has the group open, or, by iommufd, functions of it. */
    void lookAtUsers(final GroupStatus group, final List<PciFunction> functions) {
        object(group.fileName(), group.users());
        functions.forEach(function -> facts.vfioFiles(function).forEach(this::lookAtUsersOf));
    }

    private void lookAtUsersOf(final String file) {
        object(file, facts.users(file));
    }

    private void object(final String file, final List<FileUser> users) {
        for (final FileUser user : users) {
            isSomethingInUse = true;
            texts.add("process " + user.pid() + " (" + user.command() + ") has " + file + " open");
        }
    }

    /** Refuses, or warns. */
    void raise(final String operation, final String command, final boolean force, final Consumer<String> warn) {
        if (force) {
            texts.forEach(warn);
        } else if (!texts.isEmpty()) {
            final String first = Words.takeDown(wanted);
            throw RdmaException.of(operation)
                .detail("%s", String.join("; ", texts))
                .errno(isSomethingInUse ? RdmaException.EBUSY : RdmaException.EOPNOTSUPP)
                .hint("%sif it is meant all the same, run: sudo ./rdma4j %s --force",
                    first.isEmpty() ? "" : first + "; ", command)
                .build();
        }
    }
}
