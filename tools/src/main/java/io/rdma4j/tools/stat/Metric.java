/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.stat;

import io.rdma4j.base.LiveKind;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.fabric.live.CacheKind;
import io.rdma4j.verbs.live.CqKind;
import io.rdma4j.verbs.live.MrKind;
import io.rdma4j.verbs.live.QpKind;
import io.rdma4j.verbs.live.SrqKind;

import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/** What is counted for each queue, cache or region, and summed up for the device. */
enum Metric {
    POSTED_SENDS("posted sends", "Send requests shown to the device.",
        posted(QpKind.SQ_POSTED, QpKind.SQ_SKIPPED)),
    POSTED_RECEIVES("posted receives", "Receive requests shown to the device, those of shared receive queues included.",
        posted(QpKind.RQ_POSTED, QpKind.RQ_SKIPPED), counter(SrqKind.KIND, SrqKind.RQ_POSTED)),
    SEND_DOORBELLS("send doorbells", "Doorbells of send queues.",
        counter(QpKind.KIND, QpKind.SQ_DOORBELLS)),
    RECEIVE_DOORBELLS("receive doorbells", "Doorbells of receive queues and shared receive queues.",
        counter(QpKind.KIND, QpKind.RQ_DOORBELLS), counter(SrqKind.KIND, SrqKind.RQ_DOORBELLS)),
    SEND_QUEUE_FULL("send queue full", "Sends that were refused because the queue was full.",
        counter(QpKind.KIND, QpKind.SQ_FULL)),
    RECEIVE_QUEUE_FULL("receive queue full", "Receives that were refused because the queue was full.",
        counter(QpKind.KIND, QpKind.RQ_FULL), counter(SrqKind.KIND, SrqKind.RQ_FULL)),
    COMPLETIONS("completions", "Completions that were polled.",
        counter(CqKind.KIND, CqKind.COMPLETIONS)),
    POLLS("polls", "Polls of completion queues.", counter(CqKind.KIND, CqKind.POLLS)),
    EMPTY_POLLS("empty polls", "Polls of completion queues that found nothing.",
        counter(CqKind.KIND, CqKind.EMPTY_POLLS)),
    ARMS("arms", "Times that a completion queue was armed, which is a doorbell too.",
        counter(CqKind.KIND, CqKind.ARMS)),
    DROPPED_COMPLETIONS("dropped completions", "Completions that made no sense and were dropped.",
        counter(CqKind.KIND, CqKind.DROPPED)),
    SENT_BYTES("bytes sent", "Bytes of completed requests of send queues, also of RDMA READs.",
        counter(CqKind.KIND, CqKind.BYTES_SENT)),
    RECEIVED_BYTES("bytes received", "Bytes of completed receives.",
        counter(CqKind.KIND, CqKind.BYTES_RECEIVED)),
    CACHE_HITS("cache hits", "Registrations that the registration cache had already.",
        counter(CacheKind.KIND, CacheKind.HITS)),
    CACHE_MISSES("cache misses", "Registrations that the registration cache had to make.",
        counter(CacheKind.KIND, CacheKind.MISSES)),
    CACHE_EVICTIONS("cache evictions", "Registrations that the cache gave up for want of room.",
        counter(CacheKind.KIND, CacheKind.EVICTIONS)),
    CACHE_INVALIDATIONS("cache invalidations", "Registrations that the cache gave up because memory was unmapped.",
        counter(CacheKind.KIND, CacheKind.INVALIDATIONS)),

    OUTSTANDING_SENDS("outstanding sends", "Sends that were posted and are not completed.", true,
        new Part(QpKind.KIND, qp -> qp.counter(QpKind.SQ_POSTED) - qp.counter(QpKind.SQ_RETIRED))),
    OUTSTANDING_RECEIVES("outstanding receives", "Receives that were posted and are not completed.", true,
        new Part(QpKind.KIND, qp -> qp.counter(QpKind.RQ_POSTED) - qp.counter(QpKind.RQ_RETIRED)),
        new Part(SrqKind.KIND, srq -> srq.counter(SrqKind.RQ_POSTED)
            - srq.counter(SrqKind.RQ_TAKEN))),
    REGISTERED_BYTES("registered bytes", "Bytes of memory regions; what two regions share counts twice.", true,
        attribute(MrKind.KIND, MrKind.LENGTH)),
    REGISTERED_PAGES("registered pages", "Pages that memory regions pin; what two regions share counts twice.", true,
        new Part(MrKind.KIND, Metric::pinnedPages)),
    CACHED_REGIONS("cached regions", "Registrations in the cache.", true,
        counter(CacheKind.KIND, CacheKind.CACHED_COUNT)),
    CACHED_BYTES("cached bytes", "Bytes of the registrations in the cache.", true,
        counter(CacheKind.KIND, CacheKind.CACHED_SIZE));

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

    /** Of a QP: requests, not numbers. Never negative, also of one that is being reset while it is looked at. */
    private static Part posted(final int posted, final int skipped) {
        return new Part(QpKind.KIND, qp -> Math.max(0, qp.counter(posted) - qp.counter(skipped)));
    }

    private static Part attribute(final LiveKind kind, final int place) {
        return new Part(kind, object -> object.attribute(place));
    }

    /** Pages on demand are not pinned. */
    private static long pinnedPages(final LiveObject region) {
        final boolean pinned = (region.attribute(MrKind.FLAGS) & MrKind.ON_DEMAND) == 0;
        return pinned ? region.attribute(MrKind.PAGES) : 0;
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
