/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.leftovers;

import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;

/**
 * A process that is killed: one thread exchanges messages, another one makes and destroys objects, both for ever; or
 * one that has just made a queue pair.
 */
public final class Victim {
    /** What it prints when both are under way. */
    static final String RUNNING = "victim is running";
    /** Has it make its first QP, and wait. */
    static final String FIRST_QP = "first-qp";
    private static final int WARM_UP = 20;

    private Victim() {
    }

    /**
     * Entry point; does not return.
     *
     * @param args the address of the device, and {@link #FIRST_QP} if that is all it shall do.
     * @throws InterruptedException if it is told to stop.
     */
    public static void main(final String[] args) throws InterruptedException {
        final RdmaContext context = RdmaDevices.open(args[0]);
        if (args.length > 1) {
            context.allocatePd().createQp(new QpOptions().cq(context.createCq(8)).maxSendWr(1).maxReceiveWr(1));
            System.out.println(RUNNING);
            Thread.sleep(Long.MAX_VALUE);
        }
        final Traffic traffic = new Traffic(context);
        final Thread churn = new Thread(() -> Traffic.churn(context), "churn");
        churn.setDaemon(true);
        churn.start();
        for (int messages = 0; true; messages++) {
            traffic.exchange();
            if (messages == WARM_UP) {
                System.out.println(RUNNING);
            }
        }
    }
}
