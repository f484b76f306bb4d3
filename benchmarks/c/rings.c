/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The yardstick of the ring benchmarks: what a C library costs that does the same stores on the same layout as
 * rdma4j's queues. Each function exists twice: with the spin lock and the load fence that a provider of rdma-core
 * takes, and without.
 *
 * Usage: rings [milliseconds per sample [samples]]
 * Prints one line per function: name, ns with locks, ns without; medians of the samples.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SEND_COUNT 128
#define RECV_COUNT 128
#define POLL_COUNT 512
#define PAGE 4096
#define SEND_STRIDE 128
#define RECV_STRIDE 32
#define BATCH 16
#define MAX_SAMPLES 101
#define QP_TABLE 1024
#define HANDLE 5

#define INLINE static inline __attribute__((always_inline))
#define NOINLINE static __attribute__((noinline))

/* To and from the device: x86 keeps stores in order, and loads too, so the compiler alone is held back. */
#define to_device() __asm__ volatile("" ::: "memory")
#define from_device(locked) \
    do { \
        if (locked) \
            __asm__ volatile("lfence" ::: "memory"); \
        else \
            __asm__ volatile("" ::: "memory"); \
    } while (0)

struct ring_state {
    volatile uint32_t prod_tail;
    volatile uint32_t cons_head;
};

struct sge {
    uint64_t addr;
    uint32_t length;
    uint32_t lkey;
};

struct sq_wqe {
    uint64_t wr_id;
    uint32_t num_sge;
    uint32_t total_len;
    uint32_t opcode;
    uint32_t send_flags;
    uint32_t imm_data;
    uint32_t reserved;
    uint8_t wr[48];
    struct sge sge[];
};

struct rq_wqe {
    uint64_t wr_id;
    uint32_t num_sge;
    uint32_t reserved;
    struct sge sge[];
};

struct cqe {
    uint64_t wr_id;
    uint64_t qp;
    uint32_t opcode;
    uint32_t status;
    uint32_t byte_len;
    uint32_t imm_data;
    uint32_t src_qp;
    uint32_t wc_flags;
    uint32_t vendor_err;
    uint16_t pkey_index;
    uint16_t slid;
    uint8_t sl;
    uint8_t dlid_path_bits;
    uint8_t port_num;
    uint8_t smac[6];
    uint8_t network_hdr_type;
    uint8_t reserved[6];
};

_Static_assert(sizeof(struct sge) == 16, "sge");
_Static_assert(sizeof(struct sq_wqe) == 80, "send wqe");
_Static_assert(sizeof(struct rq_wqe) == 16, "receive wqe");
_Static_assert(sizeof(struct cqe) == 64, "cqe");

/* What an application hands over and gets, in the manner of verbs. */
struct send_wr {
    uint64_t wr_id;
    struct send_wr *next;
    struct sge *sg_list;
    int num_sge;
    int opcode;
    unsigned send_flags;
};

struct recv_wr {
    uint64_t wr_id;
    struct recv_wr *next;
    struct sge *sg_list;
    int num_sge;
};

struct wc {
    uint64_t wr_id;
    uint32_t status;
    uint32_t opcode;
    uint32_t vendor_err;
    uint32_t byte_len;
    uint32_t imm_data;
    uint32_t qp_num;
    uint32_t src_qp;
    uint32_t wc_flags;
    uint16_t pkey_index;
    uint16_t slid;
    uint8_t sl;
    uint8_t dlid_path_bits;
};

struct ring {
    pthread_spinlock_t lock;
    struct ring_state *state;
    uint8_t *elements;
    uint32_t count;
    uint32_t stride;
    uint32_t max_sge;
};

struct qp {
    struct ring sq;
    struct ring rq;
    int state;
    uint32_t handle;
};

struct cq {
    struct ring ring;
    uint32_t handle;
};

static volatile uint32_t *uar;
static struct qp *qp_table[QP_TABLE];

static void *pages(size_t bytes)
{
    void *p = NULL;
    if (posix_memalign(&p, PAGE, bytes)) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(1);
    }
    memset(p, 0, bytes);
    return p;
}

static void ring_init(struct ring *ring, uint32_t count, uint32_t stride, uint32_t max_sge)
{
    uint8_t *memory = pages(PAGE + (size_t)count * stride + PAGE);

    pthread_spin_init(&ring->lock, PTHREAD_PROCESS_PRIVATE);
    ring->state = (struct ring_state *)memory;
    ring->elements = memory + PAGE;
    ring->count = count;
    ring->stride = stride;
    ring->max_sge = max_sge;
}

INLINE int is_valid(uint32_t index, uint32_t count)
{
    return (index & ~(2 * count - 1)) == 0;
}

/* Slot of the next element to produce, or negative. */
INLINE int space(const struct ring *ring)
{
    const uint32_t tail = ring->state->prod_tail;
    const uint32_t head = ring->state->cons_head;

    if (!is_valid(tail, ring->count) || !is_valid(head, ring->count))
        return -EINVAL;
    return tail == (head ^ ring->count) ? -ENOMEM : (int)(tail & (ring->count - 1));
}

/* Slot of the next element to consume, or negative. */
INLINE int data(const struct ring *ring)
{
    const uint32_t tail = ring->state->prod_tail;
    const uint32_t head = ring->state->cons_head;

    if (!is_valid(tail, ring->count) || !is_valid(head, ring->count))
        return -EINVAL;
    return tail == head ? -EAGAIN : (int)(head & (ring->count - 1));
}

INLINE uint32_t next(uint32_t index, uint32_t count)
{
    return (index + 1) & (2 * count - 1);
}

INLINE int send_any(struct qp *qp, struct send_wr *wr, int locked)
{
    struct ring *sq = &qp->sq;
    int rc = 0;

    if (locked)
        pthread_spin_lock(&sq->lock);
    if (qp->state < 3)
        rc = -EINVAL;
    for (; wr && !rc; wr = wr->next) {
        const int slot = space(sq);
        if (slot < 0) {
            rc = slot;
            break;
        }
        if ((uint32_t)wr->num_sge > sq->max_sge || wr->opcode > 16) {
            rc = -EINVAL;
            break;
        }
        struct sq_wqe *wqe = (struct sq_wqe *)(sq->elements + (uint32_t)slot * sq->stride);
        wqe->wr_id = wr->wr_id;
        wqe->num_sge = (uint32_t)wr->num_sge;
        wqe->opcode = (uint32_t)wr->opcode;
        wqe->send_flags = wr->send_flags;
        for (int i = 0; i < wr->num_sge; i++)
            wqe->sge[i] = wr->sg_list[i];
        to_device();
        sq->state->prod_tail = next(sq->state->prod_tail, sq->count);
    }
    if (!rc) {
        to_device();
        uar[0] = qp->handle | 1u << 30;
    }
    if (locked)
        pthread_spin_unlock(&sq->lock);
    return rc;
}

INLINE int recv_any(struct qp *qp, struct recv_wr *wr, int locked)
{
    struct ring *rq = &qp->rq;
    int rc = 0;

    if (locked)
        pthread_spin_lock(&rq->lock);
    if (qp->state == 0)
        rc = -EINVAL;
    for (; wr && !rc; wr = wr->next) {
        const int slot = space(rq);
        if (slot < 0) {
            rc = slot;
            break;
        }
        if ((uint32_t)wr->num_sge > rq->max_sge) {
            rc = -EINVAL;
            break;
        }
        struct rq_wqe *wqe = (struct rq_wqe *)(rq->elements + (uint32_t)slot * rq->stride);
        wqe->wr_id = wr->wr_id;
        wqe->num_sge = (uint32_t)wr->num_sge;
        wqe->reserved = 0;
        for (int i = 0; i < wr->num_sge; i++)
            wqe->sge[i] = wr->sg_list[i];
        to_device();
        rq->state->prod_tail = next(rq->state->prod_tail, rq->count);
    }
    if (!rc) {
        to_device();
        uar[0] = qp->handle | 1u << 31;
    }
    if (locked)
        pthread_spin_unlock(&rq->lock);
    return rc;
}

INLINE int poll_one(struct cq *cq, struct wc *wc, int locked)
{
    struct ring *ring = &cq->ring;
    int slot = data(ring);

    if (slot == -EAGAIN) {
        uar[1] = cq->handle | 1u << 31;
        slot = data(ring);
    }
    if (slot < 0)
        return slot;
    from_device(locked);
    const struct cqe *cqe = (const struct cqe *)(ring->elements + (uint32_t)slot * sizeof(*cqe));
    const struct qp *qp = qp_table[cqe->qp & (QP_TABLE - 1)];
    if (!qp)
        return -EINVAL;
    wc->wr_id = cqe->wr_id;
    wc->status = cqe->status;
    wc->opcode = cqe->opcode;
    wc->vendor_err = cqe->vendor_err;
    wc->byte_len = cqe->byte_len;
    wc->imm_data = cqe->imm_data;
    wc->qp_num = qp->handle;
    wc->src_qp = cqe->src_qp;
    wc->wc_flags = cqe->wc_flags;
    wc->pkey_index = cqe->pkey_index;
    wc->slid = cqe->slid;
    wc->sl = cqe->sl;
    wc->dlid_path_bits = cqe->dlid_path_bits;
    to_device();
    ring->state->cons_head = next(ring->state->cons_head, ring->count);
    return 0;
}

INLINE int poll_any(struct cq *cq, int limit, struct wc *wc, int locked)
{
    int n;

    if (locked)
        pthread_spin_lock(&cq->ring.lock);
    for (n = 0; n < limit; n++)
        if (poll_one(cq, wc + n, locked))
            break;
    if (locked)
        pthread_spin_unlock(&cq->ring.lock);
    return n;
}

NOINLINE int send_locked(struct qp *qp, struct send_wr *wr) { return send_any(qp, wr, 1); }
NOINLINE int send_free(struct qp *qp, struct send_wr *wr) { return send_any(qp, wr, 0); }
NOINLINE int recv_locked(struct qp *qp, struct recv_wr *wr) { return recv_any(qp, wr, 1); }
NOINLINE int recv_free(struct qp *qp, struct recv_wr *wr) { return recv_any(qp, wr, 0); }
NOINLINE int poll_locked(struct cq *cq, int limit, struct wc *wc) { return poll_any(cq, limit, wc, 1); }
NOINLINE int poll_free(struct cq *cq, int limit, struct wc *wc) { return poll_any(cq, limit, wc, 0); }

/* Applications call through pointers. */
static int (*volatile post_send)(struct qp *, struct send_wr *);
static int (*volatile post_recv)(struct qp *, struct recv_wr *);
static int (*volatile poll_cq)(struct cq *, int, struct wc *);

/* The device: consumes all, or executes one. */
static void consume_all(struct ring *ring)
{
    ring->state->cons_head = ring->state->prod_tail;
}

NOINLINE int produce(struct cq *cq, uint64_t wr_id)
{
    struct ring *ring = &cq->ring;
    const int slot = space(ring);

    if (slot < 0)
        return slot;
    struct cqe *cqe = (struct cqe *)(ring->elements + (uint32_t)slot * sizeof(*cqe));
    cqe->wr_id = wr_id;
    cqe->qp = HANDLE;
    cqe->opcode = 0;
    cqe->status = 0;
    cqe->byte_len = 64;
    cqe->imm_data = 0;
    cqe->src_qp = 0;
    cqe->wc_flags = 0;
    cqe->vendor_err = 0;
    to_device();
    ring->state->prod_tail = next(ring->state->prod_tail, ring->count);
    return 0;
}

NOINLINE int execute(struct qp *qp, struct cq *cq)
{
    const int slot = data(&qp->sq);

    if (slot < 0)
        return slot;
    const struct sq_wqe *wqe = (const struct sq_wqe *)(qp->sq.elements + (uint32_t)slot * qp->sq.stride);
    const uint64_t wr_id = wqe->wr_id;
    if (wqe->num_sge > qp->sq.max_sge)
        return -EINVAL;
    to_device();
    qp->sq.state->cons_head = next(qp->sq.state->cons_head, qp->sq.count);
    return produce(cq, wr_id);
}

static struct qp qp;
static struct cq cq;
static struct sge sge = {0x10000, 64, 7};
static uint64_t checksum;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static void must(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "%s failed\n", what);
        exit(1);
    }
}

/* Each does some operations and returns the ns that one took. */
static double run_send(int batch)
{
    struct send_wr wr[BATCH];
    const int rounds = SEND_COUNT / batch;
    const double start = now();

    for (int i = 0; i < BATCH; i++)
        wr[i] = (struct send_wr){(uint64_t)i, i + 1 < batch ? &wr[i + 1] : NULL, &sge, 1, 2, 2};
    for (int lap = 0; lap < 100; lap++) {
        for (int i = 0; i < rounds; i++) {
            wr[0].wr_id++;
            must(!post_send(&qp, wr), "post_send");
        }
        consume_all(&qp.sq);
    }
    return (now() - start) / (100.0 * rounds);
}

static double send_one(void) { return run_send(1); }
static double send_batch(void) { return run_send(BATCH); }

static double recv_one(void)
{
    struct recv_wr wr = {0, NULL, &sge, 1};
    const double start = now();

    for (int lap = 0; lap < 100; lap++) {
        for (int i = 0; i < RECV_COUNT; i++) {
            wr.wr_id++;
            must(!post_recv(&qp, &wr), "post_recv");
        }
        consume_all(&qp.rq);
    }
    return (now() - start) / (100.0 * RECV_COUNT);
}

static double run_poll(int batch)
{
    struct wc wc[BATCH];

    for (int i = 0; i < POLL_COUNT; i++)
        must(!produce(&cq, (uint64_t)i), "produce");
    const double start = now();
    for (int i = 0; i < POLL_COUNT / batch; i++) {
        must(poll_cq(&cq, batch, wc) == batch, "poll_cq");
        for (int k = 0; k < batch; k++)
            checksum += wc[k].wr_id + wc[k].status + wc[k].opcode + wc[k].byte_len + wc[k].qp_num;
    }
    return (now() - start) / (POLL_COUNT / batch);
}

static double poll_single(void) { return run_poll(1); }
static double poll_batch(void) { return run_poll(BATCH); }

static double round_one(void)
{
    struct send_wr wr = {0, NULL, &sge, 1, 2, 2};
    struct wc wc;
    const double start = now();

    for (int i = 0; i < 10000; i++) {
        wr.wr_id++;
        must(!post_send(&qp, &wr), "post_send");
        must(!execute(&qp, &cq), "execute");
        must(poll_cq(&cq, 1, &wc) == 1, "poll_cq");
        checksum += wc.wr_id + wc.status + wc.opcode + wc.byte_len + wc.qp_num;
    }
    return (now() - start) / 10000;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double (*run)(void), double ms, int samples)
{
    double result[MAX_SAMPLES];

    for (int i = -1; i < samples; i++) {
        const double end = now() + ms * 1e6;
        double sum = 0;
        int n = 0;
        do {
            sum += run();
            n++;
        } while (now() < end);
        if (i >= 0)
            result[i] = sum / n;
    }
    qsort(result, (size_t)samples, sizeof(double), compare);
    return result[samples / 2];
}

static void choose(int locked)
{
    post_send = locked ? send_locked : send_free;
    post_recv = locked ? recv_locked : recv_free;
    poll_cq = locked ? poll_locked : poll_free;
}

int main(int argc, char **argv)
{
    const double ms = argc > 1 ? atof(argv[1]) : 50;
    const int samples = argc > 2 ? atoi(argv[2]) : 11;
    const struct {
        const char *name;
        double (*run)(void);
    } rows[] = {
        {"postSend", send_one},   {"postSend16", send_batch}, {"postReceive", recv_one},
        {"poll1", poll_single},   {"poll16", poll_batch},     {"postDevicePoll", round_one},
    };

    if (ms <= 0 || samples < 1 || samples > MAX_SAMPLES) {
        fprintf(stderr, "usage: rings [milliseconds per sample [samples, 1..%d]]\n", MAX_SAMPLES);
        return 2;
    }
    uar = pages(PAGE);
    qp.state = 3;
    qp.handle = HANDLE;
    qp_table[HANDLE] = &qp;
    cq.handle = HANDLE;
    ring_init(&qp.sq, SEND_COUNT, SEND_STRIDE, 1);
    ring_init(&qp.rq, RECV_COUNT, RECV_STRIDE, 1);
    ring_init(&cq.ring, POLL_COUNT, sizeof(struct cqe), 0);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        choose(1);
        const double locked = median(rows[i].run, ms, samples);
        choose(0);
        printf("%s %.2f %.2f\n", rows[i].name, locked, median(rows[i].run, ms, samples));
    }
    fprintf(stderr, "checksum %llu\n", (unsigned long long)checksum);
    return 0;
}
