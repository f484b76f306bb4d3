/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;


import java.util.Arrays;
import java.util.function.Predicate;

/**
 * The links of an endpoint by their numbers. A number is a place and how often a link was made there, so that what is
 * told of a link that is gone is not taken for the next one's. For the thread that uses the endpoint.
 */
final class LinkTable {
    private static final int PLACE_BITS = 20;
    private static final int PLACE_MASK = (1 << PLACE_BITS) - 1;

    private LinkEnd[] links = new LinkEnd[8];
    /** How many links a place had before. */
    private int[] before = new int[links.length];

    /** For the next link: the lowest place that is free. */
    int freeNumber() {
        for (int i = 0; i < links.length; i++) {
            if (links[i] == null) {
                return before[i] << PLACE_BITS | i;
            }
        }
        final int place = links.length;
        links = Arrays.copyOf(links, 2 * place);
        before = Arrays.copyOf(before, 2 * place);
        return place;
    }

    void put(final LinkEnd link) {
        links[link.number() & PLACE_MASK] = link;
    }

    /** False if it was not there. */
    boolean remove(final LinkEnd link) {
        final int place = link.number() & PLACE_MASK;
        if (links[place] != link) {
            return false;
        }
        links[place] = null;
        before[place]++;
        return true;
    }

    /** All places are below it. */
    int end() {
        return links.length;
    }

    /** Null if there is none. */
    LinkEnd at(final int place) {
        return links[place];
    }

    /** Null if there is none of this number any more. */
    LinkEnd get(final int number) {
        final int place = number & PLACE_MASK;
        final LinkEnd link = place < links.length ? links[place] : null;
        return link != null && link.number() == number ? link : null;
    }

    int count(final Predicate<LinkEnd> condition) {
        int found = 0;
        for (final LinkEnd link : links) {
            found += link != null && condition.test(link) ? 1 : 0;
        }
        return found;
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
