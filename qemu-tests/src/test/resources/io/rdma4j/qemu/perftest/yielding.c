/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Preloaded into a program that polls: lets others run when a poll finds nothing, and if the environment variable
 * YIELD_AFTER_POST is set after each post instead, for who polls memory. On a single processor perftest's two ends
 * would else wait for the end of each other's time slices, and nothing else would be measured.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <infiniband/verbs.h>
#include <sched.h>
#include <stdlib.h>

static int (*poll_cq)(struct ibv_cq *, int, struct ibv_wc *);
static int (*post_send)(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **);

static int poll_or_yield(struct ibv_cq *cq, int count, struct ibv_wc *wc)
{
    const int found = poll_cq(cq, count, wc);

    if (found == 0)
        sched_yield();
    return found;
}

static int post_and_yield(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    const int code = post_send(qp, wr, bad);

    sched_yield();
    return code;
}

struct ibv_context *ibv_open_device(struct ibv_device *device)
{
    struct ibv_context *(*open_device)(struct ibv_device *) = dlsym(RTLD_NEXT, "ibv_open_device");
    struct ibv_context *context = open_device(device);

    if (!context)
        return NULL;
    if (getenv("YIELD_AFTER_POST")) {
        post_send = context->ops.post_send;
        context->ops.post_send = post_and_yield;
    } else {
        poll_cq = context->ops.poll_cq;
        context->ops.poll_cq = poll_or_yield;
    }
    return context;
}
