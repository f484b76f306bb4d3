/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The yardstick of the calls of libibverbs: what a C program pays that posts and polls through the table of functions
 * of the same library that Java calls. That is a stub without a device (stub.c of test-support), so what is left is
 * the call, the request and the completions.
 *
 * Usage: calls LIBRARY [milliseconds per sample [samples]]
 * Prints one line per function: name, fastest sample in ns, median.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* As in Java: requests that are under way at most. */
#define DEPTH 256
#define CQES 256
#define BATCH 16
#define MAX_SAMPLES 101
/* Offsets in the context that every program has compiled in, which uses the library (verbs.h). */
#define POLL_CQ 96
#define POST_SEND 208

struct sge {
    uint64_t addr;
    uint32_t length, lkey;
};
struct send_wr {
    uint64_t wr_id;
    struct send_wr *next;
    struct sge *sg_list;
    int num_sge, opcode;
    unsigned send_flags;
    uint32_t imm_data;
    uint64_t remote_addr;
    uint32_t rkey;
    char rest[76];
};
struct wc {
    uint64_t wr_id;
    int status, opcode;
    uint32_t vendor_err, byte_len, imm_data, qp_num, src_qp;
    unsigned wc_flags;
    uint16_t pkey_index, slid;
    uint8_t sl, dlid_path_bits;
};
struct init_attr {
    void *qp_context, *send_cq, *recv_cq, *srq;
    uint32_t max_send_wr, max_recv_wr, max_send_sge, max_recv_sge, max_inline_data;
    int qp_type, sq_sig_all;
};

_Static_assert(sizeof(struct send_wr) == 128, "ibv_send_wr");
_Static_assert(sizeof(struct wc) == 48, "ibv_wc");

/* A QP and a CQ begin with a pointer to their context. */
struct object {
    char *context;
};
static struct object *qp, *cq;
static uint64_t checksum;

/* As the inline functions of verbs.h. */
static inline int post_send(struct send_wr *wr, struct send_wr **bad)
{
    return (*(int (**)(void *, struct send_wr *, struct send_wr **))(qp->context + POST_SEND))(qp, wr, bad);
}

static inline int poll_cq(int count, struct wc *wc)
{
    return (*(int (**)(void *, int, struct wc *))(cq->context + POLL_CQ))(cq, count, wc);
}

static void must(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "%s failed\n", what);
        exit(1);
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

/* Each does a queue full of operations and returns the ns that one took. */
static double run_post(int batch, int posts)
{
    static struct sge sge = {0x10000, 8, 7};
    struct send_wr wr[BATCH], *bad;
    const double start = now();

    for (int i = 0; i < batch; i++)
        wr[i] = (struct send_wr){.wr_id = (uint64_t)i, .next = i + 1 < batch ? &wr[i + 1] : NULL, .sg_list = &sge,
            .num_sge = 1, .send_flags = 2, .remote_addr = 1, .rkey = 2};
    for (int i = 0; i < posts; i++) {
        wr[0].wr_id++;
        must(!post_send(wr, &bad), "post_send");
    }
    return (now() - start) / posts;
}

static double run_poll(int batch, int polls, int expected)
{
    struct wc wc[BATCH];
    const double start = now();

    for (int i = 0; i < polls; i++) {
        must(poll_cq(batch, wc) == expected, "poll_cq");
        for (int k = 0; k < expected; k++)
            checksum += wc[k].wr_id + (unsigned)wc[k].status + (unsigned)wc[k].opcode + wc[k].byte_len + wc[k].qp_num;
    }
    return (now() - start) / polls;
}

static double post(void)
{
    const double ns = run_post(1, DEPTH);
    run_poll(BATCH, DEPTH / BATCH, BATCH);
    return ns;
}

static double post16(void)
{
    const double ns = run_post(BATCH, DEPTH / BATCH);
    run_poll(BATCH, DEPTH / BATCH, BATCH);
    return ns;
}

static double poll1(void)
{
    run_post(1, DEPTH);
    return run_poll(1, DEPTH, 1);
}

static double poll16(void)
{
    run_post(1, DEPTH);
    return run_poll(BATCH, DEPTH / BATCH, BATCH);
}

static double poll_empty(void) { return run_poll(BATCH, DEPTH, 0); }

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const char *name, double (*run)(void), double ms, int samples)
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
    printf("%s %.2f %.2f\n", name, result[0], result[samples / 2]);
}

/* As a JVM has others, and a program that waits for events: alone in its process a thread takes locks without an atomic
 * instruction (seen in glibc 2.36), and the library would be another one than that which Java calls. */
static void *other(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static void *library;

static void *function(const char *name)
{
    void *found = dlsym(library, name);
    must(found != NULL, name);
    return found;
}

static void open_stub(const char *path)
{
    int count;
    struct init_attr attr;

    library = dlopen(path, RTLD_NOW);
    must(library != NULL, path);
    void **list = ((void **(*)(int *))function("ibv_get_device_list"))(&count);
    void *context = ((void *(*)(void *))function("ibv_open_device"))(list[0]);
    void *pd = ((void *(*)(void *))function("ibv_alloc_pd"))(context);
    cq = ((void *(*)(void *, int, void *, void *, int))function("ibv_create_cq"))(context, CQES, NULL, NULL, 0);
    memset(&attr, 0, sizeof(attr));
    attr.send_cq = attr.recv_cq = cq;
    attr.max_send_wr = DEPTH;
    attr.max_send_sge = 1;
    attr.qp_type = 2;
    qp = ((void *(*)(void *, struct init_attr *))function("ibv_create_qp"))(pd, &attr);
}

int main(int argc, char **argv)
{
    const double ms = argc > 2 ? atof(argv[2]) : 20;
    const int samples = argc > 3 ? atoi(argv[3]) : 11;

    if (argc < 2 || ms <= 0 || samples < 1 || samples > MAX_SAMPLES) {
        fprintf(stderr, "usage: calls LIBRARY [milliseconds per sample [samples, 1..%d]]\n", MAX_SAMPLES);
        return 2;
    }
    pthread_t thread;
    must(!pthread_create(&thread, NULL, other, NULL), "pthread_create");
    open_stub(argv[1]);
    measure("post", post, ms, samples);
    measure("post16", post16, ms, samples);
    measure("poll1", poll1, ms, samples);
    measure("poll16", poll16, ms, samples);
    measure("pollEmpty", poll_empty, ms, samples);
    fprintf(stderr, "checksum %llu\n", (unsigned long long)checksum);
    return 0;
}
