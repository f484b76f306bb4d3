/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.common.Counters;
import io.rdma4j.device.common.DeviceOptions;
import io.rdma4j.device.common.Identity;
import io.rdma4j.device.common.Limits;
import io.rdma4j.device.common.Quirk;
import io.rdma4j.device.link.Agenda;
import io.rdma4j.device.link.Link;
import io.rdma4j.device.link.Port;
import io.rdma4j.device.memory.EmulatedIommu;

import java.util.function.Consumer;

/** What the parts of one device's engine share. */
final class EngineContext {
    private final DeviceOptions options;
    private final Counters counters;
    private final EmulatedIommu iommu;
    private final Link link;
    private final EngineEvents events;
    private final Runnable quiesce;
    private final Consumer<CompletionQueue> onCqFailure;
    private final Port port;
    private final Timers timers;
    private final Agenda agenda;
    /** What threads of this device alone do. */
    private final Agenda own = new Agenda();
    /** Send queues that have moved much and go on when others had their turn; one at a time. */
    private final Agenda later = new Agenda();
    private final TableRoom room = new TableRoom();
    private final Regions regions;
    private final GidTable gids;
    private Wire wire;

    EngineContext(EngineEnvironment parts, Port port, Runnable quiesce, Consumer<CompletionQueue> onCqFailure) {
        this.options = parts.options();
        this.counters = parts.counters();
        this.iommu = parts.iommu();
        this.link = parts.link();
        this.events = parts.events();
        this.quiesce = quiesce;
        this.onCqFailure = onCqFailure;
        this.port = port;
        this.agenda = link.agenda();
        this.timers = new Timers(events::timer, own);
        this.regions = new Regions(this);
        this.gids = new GidTable(options.limits().gidEntries(), link, port, has(Quirk.ZERO_CAPS));
    }

    /** Of objects whose numbers the driver only hands back. */
    <T> ObjectTable<T> table(String kind, int limit, int firstSalt) {
        return has(Quirk.PLAIN_HANDLES) ? ObjectTable.stacked(kind, limit) : ObjectTable.salted(kind, limit, firstSalt);
    }

    /** Of queues, which the driver finds by their numbers. */
    <T> ObjectTable<T> queueTable(String kind, int limit) {
        return has(Quirk.PLAIN_HANDLES) ? ObjectTable.stacked(kind, limit) : ObjectTable.indices(kind, limit);
    }

    boolean has(Quirk quirk) {
        return options.has(quirk);
    }

    boolean hasQuirks() {
        return !options.quirks().isEmpty();
    }

    boolean hasExtensions() {
        return options.extensions();
    }

    /** Whether there are regions on demand. */
    boolean hasOnDemand() {
        return hasExtensions() && iommu.mapsOnDemand();
    }

    /** Windows at most; 0 without extensions. */
    int maxMw() {
        return hasExtensions() ? limits().maxMw() : 0;
    }

    int version() {
        return options.version();
    }

    Limits limits() {
        return options.limits();
    }

    Identity identity() {
        return options.identity();
    }

    Counters counters() {
        return counters;
    }

    EmulatedIommu iommu() {
        return iommu;
    }

    Link link() {
        return link;
    }

    /** The device that has a GID; null if there is none, or this device's own port is down. */
    Port route(long high, long low) {
        return port.isUp() ? link.route(high, low) : null;
    }

    /** A completion queue can take no completions any more. The caller may hold locks. */
    void cqFailed(CompletionQueue cq) {
        agenda().add(() -> onCqFailure.accept(cq));
    }

    Agenda agenda() {
        return agenda;
    }

    /**
     * Does what there is to do for this device, and then for any device of the link, which the first may have added to;
     * what that adds for this one wakes who looks after it. The caller holds no lock.
     */
    void drain() {
        own.drain();
        agenda.drain();
    }

    /**
     * Has a send queue go on that waited for something which has come. On the thread that looks after this device, if
     * there is one: what a guest sends, which may be much, is not at the cost of another one, whose doorbell or command
     * it was. The caller holds no lock.
     */
    void resume(Requester requester) {
        if (events.isLookedAfter()) {
            own.add(requester);
            events.timer();
        } else {
            requester.run();
        }
    }

    /**
     * Has a send queue go on when whoever looks after this device has done other things, too. The caller may hold
     * locks.
     *
     * @return false if nobody looks after it: then who runs the queue is its own user, who waits for nobody else.
     */
    boolean goOnLater(Runnable queue) {
        if (!events.isLookedAfter()) {
            return false;
        }
        later.add(queue);
        events.timer();
        return true;
    }

    /** One queue of those that were to go on later. The caller holds no lock. */
    void goOn() {
        later.doNext();
    }

    /** Whether some are still to go on. */
    boolean isBehind() {
        return later.hasWork();
    }

    EngineEvents events() {
        return events;
    }

    Timers timers() {
        return timers;
    }

    /** For what is known of the pages of regions and rings. */
    TableRoom room() {
        return room;
    }

    Regions regions() {
        return regions;
    }

    GidTable gids() {
        return gids;
    }

    /** Said once, before there are queue pairs. */
    void wire(Wire value) {
        wire = value;
    }

    /** Null if the device reaches only those of its own JVM. */
    Wire wire() {
        return wire;
    }

    boolean isUp() {
        return port.isUp();
    }

    void quiesce() {
        quiesce.run();
    }
}
