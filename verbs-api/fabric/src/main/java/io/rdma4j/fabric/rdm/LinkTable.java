/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.Endpoint;

import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.Predicate;

/** The links of an endpoint by their numbers, the lowest ones that are free. For the thread that uses the endpoint. */
final class LinkTable {
    private final Map<Endpoint, LinkEnd> byEndpoint = new IdentityHashMap<>();
    private LinkEnd[] links = new LinkEnd[8];

    int freeNumber() {
        for (int i = 0; i < links.length; i++) {
            if (links[i] == null) {
                return i;
            }
        }
        links = Arrays.copyOf(links, 2 * links.length);
        return links.length / 2;
    }

    void put(final LinkEnd link) {
        links[link.number()] = link;
        byEndpoint.put(link.endpoint(), link);
    }

    /** False if it was not there. */
    boolean remove(final LinkEnd link) {
        if (links[link.number()] != link) {
            return false;
        }
        links[link.number()] = null;
        byEndpoint.remove(link.endpoint());
        return true;
    }

    /** All numbers are below it. */
    int end() {
        return links.length;
    }

    /** Null if there is none. */
    LinkEnd get(final int number) {
        return number >= 0 && number < links.length ? links[number] : null;
    }

    /** Null if there is none. */
    LinkEnd get(final Endpoint endpoint) {
        return byEndpoint.get(endpoint);
    }

    boolean isAny(final Predicate<LinkEnd> condition) {
        for (final LinkEnd link : links) {
            if (link != null && condition.test(link)) {
                return true;
            }
        }
        return false;
    }

    /** The one that was used least recently of those on which nothing is under way; null if there is none. */
    LinkEnd leastUsed(final LinkEnd except) {
        LinkEnd oldest = null;
        for (final LinkEnd link : links) {
            if (link != null && link != except && link.isEstablished() && link.channel().isIdle()
                && (oldest == null || link.channel().used < oldest.channel().used)) {
                oldest = link;
            }
        }
        return oldest;
    }

    /** A copy, null where there is none. */
    LinkEnd[] all() {
        return links.clone();
    }
}
