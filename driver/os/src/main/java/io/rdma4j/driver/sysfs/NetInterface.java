/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.sysfs;

import java.util.ArrayList;
import java.util.List;

/**
 * A network interface that a PCI function carries.
 *
 * @param name            its name, such as {@code eth0}.
 * @param isUp            whether it is set up ({@code IFF_UP}), with or without a link.
 * @param addresses       its IP addresses.
 * @param hasDefaultRoute whether a default route leaves through it.
 */
public record NetInterface(String name, boolean isUp, List<String> addresses, boolean hasDefaultRoute) {
    /**
     * Copies the list.
     *
     * @param name            its name.
     * @param isUp            whether it is set up.
     * @param addresses       its IP addresses.
     * @param hasDefaultRoute whether a default route leaves through it.
     */
    public NetInterface {
        addresses = List.copyOf(addresses);
    }

    /**
     * Whether somebody would miss it. Linux leaves its addresses to an interface that is set down, where they serve
     * nobody.
     *
     * @return true if it is up, or has a default route.
     */
    public boolean isActive() {
        return isUp || hasDefaultRoute;
    }

    /**
     * What is known of it, in words.
     *
     * @return such as {@code "up, 10.0.0.1, default route"}, or {@code "down"}.
     */
    public String state() {
        final List<String> words = new ArrayList<>();
        words.add(isUp ? "up" : "down");
        words.addAll(addresses);
        if (hasDefaultRoute) {
            words.add("default route");
        }
        return String.join(", ", words);
    }
}
