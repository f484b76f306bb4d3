/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.host;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.sysfs.PciFunction;
import io.rdma4j.driver.sysfs.PciSysfs;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Gives a function, or its whole IOMMU group, to user space or back to the kernel. */
public final class Rebinding {
    private static final String BIND = "bind";
    private static final String UNBIND = "unbind";
    private static final long FILE_DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long POLL_MILLIS = 5;

    private final Machine machine;
    private final PciSysfs sysfs;
    private final String address;
    private final boolean isWholeGroup;
    private final boolean force;

    /**
     * Names what is to be done.
     *
     * @param machine      the machine.
     * @param address      PCI address of the function, in full.
     * @param isWholeGroup whether the members of its IOMMU group go with it.
     * @param force        whether objections are only told.
     */
    public Rebinding(
        final Machine machine, final String address, final boolean isWholeGroup, final boolean force) {
        this.machine = machine;
        this.sysfs = machine.sysfs();
        this.address = address;
        this.isWholeGroup = isWholeGroup;
        this.force = force;
    }

    /**
     * Gives it to vfio-pci. If a member of the group fails, those before it get back what they had.
     *
     * @param warn told what there was to object, if that was overridden, and what could not be given back.
     * @return what was done.
     * @throws RdmaException if it cannot be done, or should not; the hint says what to do.
     */
    public RebindReport bind(final Consumer<String> warn) {
        final PciFunction named = find(BIND);
        final List<PciFunction> functions = functionsToBind(named);
        requireRights(BIND, functions);
        objectToBinding(named, functions, warn);
        final List<RebindReport.Change> changes = bindAll(functions, warn);
        // Without an IOMMU it gets a group only now.
        return new RebindReport(named, changes, groupWithFile(find(BIND).iommuGroup()));
    }

    /**
     * What {@link #bind} would do now. Changes nothing and needs no rights.
     *
     * @param warn told what there is to object, if that is overridden.
     * @return the steps.
     * @throws RdmaException if it cannot be done, or should not; the hint says what to do.
     */
    public RebindPlan planBind(final Consumer<String> warn) {
        final PciFunction named = find(BIND);
        final List<PciFunction> functions = functionsToBind(named);
        objectToBinding(named, functions, warn);
        return new RebindPlan(named, PciFunction.VFIO_PCI, functions.stream()
            .map(function -> new RebindPlan.Step(function, sysfs.toBind(function, PciFunction.VFIO_PCI))).toList());
    }

    private List<PciFunction> functionsToBind(final PciFunction named) {
        requireVfio(named);
        final List<PciFunction> functions = new ArrayList<>(List.of(named));
        if (isWholeGroup) {
            sysfs.group(named.iommuGroup()).stream()
                .filter(member -> !member.isBridge() && !member.address().equals(named.address()))
                .forEach(functions::add);
        }
        functions.removeIf(PciFunction::isBoundToVfio);
        return functions;
    }

    private void objectToBinding(
        final PciFunction named, final List<PciFunction> functions, final Consumer<String> warn) {
        final Objections objections = new Objections(machine.facts());
        for (final PciFunction function : functions) {
            if (function.equals(named)) {
                objections.lookAtNamed(function);
            } else {
                objections.lookAtCompanion(function);
            }
        }
        objections.raise(BIND, command(BIND), force, warn);
    }

    /** A function as it was before. */
    private record Found(PciFunction function, Optional<String> override) {
    }

    private List<RebindReport.Change> bindAll(final List<PciFunction> functions, final Consumer<String> warn) {
        final List<RebindReport.Change> changes = new ArrayList<>();
        final Deque<Found> bound = new ArrayDeque<>();
        try {
            for (final PciFunction function : functions) {
                final Found found = new Found(function, sysfs.driverOverride(BIND, function));
                changes.add(new RebindReport.Change(function, sysfs.bind(function, PciFunction.VFIO_PCI)));
                bound.push(found);
            }
        } catch (final RdmaException e) {
            bound.forEach(found -> restore(found, e));
            Stream.of(e.getSuppressed()).forEach(also -> warn.accept("not as it was: " + also.getMessage()));
            throw e;
        }
        return changes;
    }

    private void restore(final Found found, final RdmaException failure) {
        try {
            sysfs.restore(found.function(), found.override());
        } catch (final RdmaException e) {
            failure.addSuppressed(e);
        }
    }

    /**
     * Gives it back to the kernel, in the order of addresses: vmw_pvrdma wants its vmxnet3, function 0, to be there.
     *
     * @param warn told what there was to object, if that was overridden, and what was done before a failure.
     * @return what was done.
     * @throws RdmaException if it cannot be done, or should not; the hint says what to do.
     */
    public RebindReport unbind(final Consumer<String> warn) {
        final PciFunction named = find(UNBIND);
        final List<PciFunction> functions = functionsToUnbind(named);
        requireRights(UNBIND, functions);
        objectToUnbinding(named, functions, warn);
        final List<RebindReport.Change> changes = unbindAll(functions, warn);
        return new RebindReport(find(UNBIND), changes, GroupStatus.of(machine, named.iommuGroup()));
    }

    /**
     * What {@link #unbind} would do now. Changes nothing and needs no rights.
     *
     * @param warn told what there is to object, if that is overridden.
     * @return the steps.
     * @throws RdmaException if it cannot be done, or should not; the hint says what to do.
     */
    public RebindPlan planUnbind(final Consumer<String> warn) {
        final PciFunction named = find(UNBIND);
        final List<PciFunction> functions = functionsToUnbind(named);
        objectToUnbinding(named, functions, warn);
        return new RebindPlan(named, null, functions.stream()
            .map(function -> new RebindPlan.Step(function, sysfs.toUnbind(function))).toList());
    }

    private List<PciFunction> functionsToUnbind(final PciFunction named) {
        final List<PciFunction> functions = new ArrayList<>();
        if (isWholeGroup && named.iommuGroup() >= 0) {
            functions.addAll(sysfs.group(named.iommuGroup()));
        } else {
            functions.add(named);
        }
        functions.removeIf(function -> !isAwayFromTheKernel(function));
        return functions;
    }

    private void objectToUnbinding(
        final PciFunction named, final List<PciFunction> functions, final Consumer<String> warn) {
        final Objections objections = new Objections(machine.facts());
        if (!functions.isEmpty()) {
            objections.lookAtUsers(GroupStatus.of(machine, named.iommuGroup()), functions);
        }
        objections.raise(UNBIND, command(UNBIND), force, warn);
    }

    /** What was given back stays so if a later one fails: running it again does the rest. */
    private List<RebindReport.Change> unbindAll(final List<PciFunction> functions, final Consumer<String> warn) {
        final List<RebindReport.Change> changes = new ArrayList<>();
        try {
            for (final PciFunction function : functions) {
                final RebindReport.Change change = new RebindReport.Change(function, sysfs.unbind(function));
                if (change.isOne()) {
                    changes.add(change);
                }
            }
        } catch (final RdmaException e) {
            changes.forEach(change -> warn.accept("done before the failure: " + change));
            throw e;
        }
        return changes;
    }

    /** Before any objection: who has no rights need not decide whether to override it. */
    private void requireRights(final String operation, final List<PciFunction> functions) {
        functions.stream().limit(1).forEach(function ->
            sysfs.requireRights(operation, function, command(operation) + (force ? " --force" : "")));
    }

    /** Bound to VFIO, or on its way there or back; who names a function without a driver wants the kernel's. */
    private boolean isAwayFromTheKernel(final PciFunction function) {
        return function.isBoundToVfio() || function.driver() == null
            && (function.address().equals(address) || sysfs.driverOverride(UNBIND, function).isPresent());
    }

    private PciFunction find(final String operation) {
        return sysfs.find(address).orElseThrow(() -> RdmaException.of(operation)
            .device(address)
            .detail("there is no such PCI function")
            .errno(RdmaException.ENODEV)
            .hint("'./rdma4j status' lists RDMA devices, 'lspci -D' all")
            .build());
    }

    private void requireVfio(final PciFunction function) {
        if (function.iommuGroup() < 0 && !machine.facts().noIommuMode().orElse(false)) {
            throw RdmaException.of(BIND)
                .device(address)
                .detail("it is in no IOMMU group: %s", machine.facts().iommuGroupCount() == 0
                    ? "the IOMMU is off, or there is none" : "no IOMMU serves it")
                .errno(RdmaException.EOPNOTSUPP)
                .hint("'./rdma4j status' says how to switch it on")
                .build();
        }
        if (!sysfs.hasDriver(PciFunction.VFIO_PCI)) {
            throw RdmaException.of(BIND)
                .device(address)
                .detail("the module vfio-pci is not loaded")
                .errno(RdmaException.ENODEV)
                .hint("run: sudo modprobe vfio-pci")
                .build();
        }
    }

    private String command(final String operation) {
        return operation + (isWholeGroup ? " --group " : " ") + address;
    }

    /** The file of a group comes a moment after its first member was bound. */
    private GroupStatus groupWithFile(final int number) {
        final long end = System.nanoTime() + FILE_DEADLINE_NANOS;
        GroupStatus group = GroupStatus.of(machine, number);
        try {
            while (!group.file().exists() && System.nanoTime() - end < 0) {
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
                group = GroupStatus.of(machine, number);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return group;
    }
}
