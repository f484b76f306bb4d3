/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.stat;

import io.rdma4j.driver.live.LiveAttributes;
import io.rdma4j.driver.live.LiveCounters;
import io.rdma4j.driver.live.LiveKind;
import io.rdma4j.driver.live.LiveObject;

import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/** What is counted for each queue, cache or region, and summed up for the device. */
enum Metric {
    POSTED_SENDS("posted sends", "Send requests shown to the device.",
        counter(LiveKind.QP, LiveCounters.Qp.SQ_POSTED)),
    POSTED_RECEIVES("posted receives", "Receive requests shown to the device, those of shared receive queues included.",
        counter(LiveKind.QP, LiveCounters.Qp.RQ_POSTED), counter(LiveKind.SRQ, LiveCounters.Srq.RQ_POSTED)),
    SEND_DOORBELLS("send doorbells", "Doorbells of send queues.",
        counter(LiveKind.QP, LiveCounters.Qp.SQ_DOORBELLS)),
    RECEIVE_DOORBELLS("receive doorbells", "Doorbells of receive queues and shared receive queues.",
        counter(LiveKind.QP, LiveCounters.Qp.RQ_DOORBELLS), counter(LiveKind.SRQ, LiveCounters.Srq.RQ_DOORBELLS)),
    SEND_QUEUE_FULL("send queue full", "Sends that were refused because the queue was full.",
        counter(LiveKind.QP, LiveCounters.Qp.SQ_FULL)),
    RECEIVE_QUEUE_FULL("receive queue full", "Receives that were refused because the queue was full.",
        counter(LiveKind.QP, LiveCounters.Qp.RQ_FULL), counter(LiveKind.SRQ, LiveCounters.Srq.RQ_FULL)),
    COMPLETIONS("completions", "Completions that were polled.",
        counter(LiveKind.CQ, LiveCounters.Cq.COMPLETIONS)),
    POLLS("polls", "Polls of completion queues.", counter(LiveKind.CQ, LiveCounters.Cq.POLLS)),
    EMPTY_POLLS("empty polls", "Polls of completion queues that found nothing.",
        counter(LiveKind.CQ, LiveCounters.Cq.EMPTY_POLLS)),
    ARMS("arms", "Times that a completion queue was armed, which is a doorbell too.",
        counter(LiveKind.CQ, LiveCounters.Cq.ARMS)),
    DROPPED_COMPLETIONS("dropped completions", "Completions that made no sense and were dropped.",
        counter(LiveKind.CQ, LiveCounters.Cq.DROPPED)),
    SENT_BYTES("bytes sent", "Bytes of completed requests of send queues, also of RDMA READs.",
        counter(LiveKind.CQ, LiveCounters.Cq.BYTES_SENT)),
    RECEIVED_BYTES("bytes received", "Bytes of completed receives.",
        counter(LiveKind.CQ, LiveCounters.Cq.BYTES_RECEIVED)),
    CACHE_HITS("cache hits", "Registrations that the registration cache had already.",
        counter(LiveKind.CACHE, LiveCounters.Cache.HITS)),
    CACHE_MISSES("cache misses", "Registrations that the registration cache had to make.",
        counter(LiveKind.CACHE, LiveCounters.Cache.MISSES)),
    CACHE_EVICTIONS("cache evictions", "Registrations that the cache gave up for want of room.",
        counter(LiveKind.CACHE, LiveCounters.Cache.EVICTIONS)),
    CACHE_INVALIDATIONS("cache invalidations", "Registrations that the cache gave up because memory was unmapped.",
        counter(LiveKind.CACHE, LiveCounters.Cache.INVALIDATIONS)),

    OUTSTANDING_SENDS("outstanding sends", "Sends that were posted and are not completed.", true,
        new Part(LiveKind.QP, qp -> qp.counter(LiveCounters.Qp.SQ_POSTED) - qp.counter(LiveCounters.Qp.SQ_RETIRED))),
    OUTSTANDING_RECEIVES("outstanding receives", "Receives that were posted and are not completed.", true,
        new Part(LiveKind.QP, qp -> qp.counter(LiveCounters.Qp.RQ_POSTED) - qp.counter(LiveCounters.Qp.RQ_RETIRED)),
        new Part(LiveKind.SRQ, srq -> srq.counter(LiveCounters.Srq.RQ_POSTED)
            - srq.counter(LiveCounters.Srq.RQ_TAKEN))),
    REGISTERED_BYTES("registered bytes", "Bytes of memory regions; what two regions share counts twice.", true,
        attribute(LiveKind.MR, LiveAttributes.Mr.LENGTH)),
    REGISTERED_PAGES("registered pages", "Pages that memory regions pin; what two regions share counts twice.", true,
        new Part(LiveKind.MR, Metric::pinnedPages)),
    CACHED_REGIONS("cached regions", "Registrations in the cache.", true,
        counter(LiveKind.CACHE, LiveCounters.Cache.CACHED_COUNT)),
    CACHED_BYTES("cached bytes", "Bytes of the registrations in the cache.", true,
        counter(LiveKind.CACHE, LiveCounters.Cache.CACHED_SIZE));

    /** The value that one object has. */
    record Part(LiveKind kind, ToLongFunction<LiveObject> value) {
    }

    private final String title;
    private final String help;
    private final boolean gauge;
    private final List<Part> parts;

    Metric(final String title, final String help, final Part... parts) {
        this(title, help, false, parts);
    }

    Metric(final String title, final String help, final boolean gauge, final Part... parts) {
        this.title = title;
        this.help = help;
        this.gauge = gauge;
        this.parts = List.of(parts);
    }

    private static Part counter(final LiveKind kind, final int place) {
        return new Part(kind, object -> object.counter(place));
    }

    private static Part attribute(final LiveKind kind, final int place) {
        return new Part(kind, object -> object.attribute(place));
    }

    /** Pages on demand are not pinned. */
    private static long pinnedPages(final LiveObject region) {
        final boolean pinned = (region.attribute(LiveAttributes.Mr.FLAGS) & LiveAttributes.Mr.ON_DEMAND) == 0;
        return pinned ? region.attribute(LiveAttributes.Mr.PAGES) : 0;
    }

    /** As programs know it. */
    String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** As people read it. */
    String title() {
        return title;
    }

    /** One sentence. */
    String help() {
        return help;
    }

    /** Whether it goes up and down, so that a rate means nothing. */
    boolean isGauge() {
        return gauge;
    }

    /** Whether objects of a kind have it. */
    boolean has(final LiveKind kind) {
        return parts.stream().anyMatch(part -> part.kind == kind);
    }

    /** What an object has of it; 0 for kinds that have none. */
    long of(final LiveObject object) {
        long sum = 0;
        for (final Part part : parts) {
            sum += part.kind == object.kind() ? part.value.applyAsLong(object) : 0;
        }
        return sum;
    }
}
