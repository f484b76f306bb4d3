/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.name;

import io.rdma4j.fabric.FabricAddress;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** What is to be asked of one node. For one thread at a time. */
final class NodeQuestion {
    private final Supplier<InetAddress> node;
    private final List<Item> items = new ArrayList<>();

    /** One service; the address is what is inserted, null if that is still to be seen. */
    record Item(int index, int service, FabricAddress inserted) {
    }

    /** The address of a node may have to be asked for; it throws what is wrong with the node. */
    NodeQuestion(final Supplier<InetAddress> node) {
        this.node = node;
    }

    void add(final int index, final int service, final FabricAddress inserted) {
        items.add(new Item(index, service, inserted));
    }

    InetAddress node() {
        return node.get();
    }

    List<Item> items() {
        return items;
    }

    int[] services() {
        return items.stream().mapToInt(Item::service).toArray();
    }
}
