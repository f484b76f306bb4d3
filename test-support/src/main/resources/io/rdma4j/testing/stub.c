/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A library with libibverbs' functions and no device: queue pairs that send to themselves, at once. It notices objects
 * that are used after they were destroyed, and does what a test asks for. Benchmarks call it too: it does little.
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define ROOM 4096
#define USUAL_FLAGS (7 << 21 | 1 << 17)
#define LOCKED __attribute__((cleanup(unlock))) int locked = lock()

struct ops {
    void *f[32];
};
struct device {
    char before[24];
    char name[64];
    char dev_name[64];
    char behind[512];
};
struct context {
    struct device *device;
    struct ops ops;
    int cmd_fd, async_fd, vectors, pad;
    char mutex[40];
    void *abi_compat;
};
struct verbs_context {
    char before[312];
    size_t sz;
    struct context context;
};
struct channel {
    struct context *context;
    int fd, refs;
    struct cq *evented[ROOM];
    int head, tail;
};
struct wc {
    uint64_t wr_id;
    int status, opcode;
    uint32_t vendor_err, byte_len, imm, qp_num, src_qp;
    int flags;
    uint16_t pkey_index, slid;
    uint8_t sl, path_bits;
};
struct cq {
    struct context *context;
    struct channel *channel;
    void *cookie;
    uint32_t handle;
    int cqe;
    int armed, head, tail, unacked;
    struct wc wc[ROOM];
};
struct sge {
    uint64_t addr;
    uint32_t length, lkey;
};
struct recv_wr {
    uint64_t wr_id;
    struct recv_wr *next;
    struct sge *sge;
    int num_sge;
};
struct send_wr {
    uint64_t wr_id;
    struct send_wr *next;
    struct sge *sge;
    int num_sge, opcode;
    unsigned flags;
    uint32_t imm;
    char rest[88];
};
struct receive {
    uint64_t wr_id;
    int count;
    struct sge sge[32];
};
struct srq {
    struct context *context;
    int head, tail, limit;
    struct receive receives[ROOM];
};
struct qp {
    struct context *context;
    void *cookie, **pd;
    struct cq *send_cq, *recv_cq;
    struct srq *srq;
    uint32_t handle, qp_num;
    int state, type;
    int sig_all, posting;
    uint32_t max_inline;
    struct srq own;
};
struct init_attr {
    void *cookie;
    struct cq *send_cq, *recv_cq;
    struct srq *srq;
    uint32_t max_send_wr, max_recv_wr, max_send_sge, max_recv_sge, max_inline;
    int type, sig_all;
};
struct mr {
    struct context *context;
    void *pd, *addr;
    size_t length;
    uint32_t handle, lkey, rkey;
};
struct mw {
    struct context *context;
    void **pd;
    uint32_t rkey;
};
struct async_event {
    void *element;
    int type;
};

static struct device the_device = {.name = "stub0", .dev_name = "uverbs0"};
static struct device *the_list[2] = {&the_device, NULL};
static struct context *newest;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t acked = PTHREAD_COND_INITIALIZER, let_go = PTHREAD_COND_INITIALIZER;
static struct async_event events[ROOM];
static int events_head, events_tail;
static int has_extended, extended_answer, dmabuf_errno = EBADF, advise_answer, dereg_answer;
static uint64_t odp_general = 3;
static uint32_t odp_rc = 0x1f, odp_ud = 1, cap_flags = USUAL_FLAGS;
/* Arguments of the last registration, by how it was made, and of the last advice. */
static struct {
    const char *how;
    uint64_t first, length, iova;
    int fd, access;
} asked;
static struct {
    int count, advice, flags;
    struct sge sge;
} advised;
static int live, misuse, numbers = 100, fail_at = -1, fail_errno, unacked, posts, polls, reg_errno, state_errno;
static int port_count = 1, port_state = 4, gid_types[] = {2, 2}, gid_places = 3;
static int next_status, later_status, most_inline = 256;
static uint32_t next_length;
static const char *hold = "";
static int held;

static int lock(void) { pthread_mutex_lock(&mutex); return 1; }
static void unlock(int *locked) { pthread_mutex_unlock(&mutex); }

long stub_live(void) { return live; }
long stub_misuse(void) { return misuse; }
long stub_unacked(void) { return unacked; }
long stub_posts(void) { return posts; }
/* The send after so many more is refused. */
void stub_fail(int after, int error) { fail_at = after; fail_errno = error; }
void stub_limit(struct srq *srq, int limit) { srq->limit = limit; }
/* How the next send that completes ends, and those after it. */
void stub_status(int next, int later) { next_status = next; later_status = later; }
/* What the completion of the next message says of its length, unless it is 0. */
void stub_length(uint32_t bytes) { next_length = bytes; }
/* What a queue pair has of inline data at most, whatever was asked for: some drivers tell, and do not refuse. */
void stub_inline(int most) { most_inline = most; }
/* Whether contexts have query_device_ex from now on, and what it answers. */
void stub_extended(int has, int answer) { has_extended = has; extended_answer = answer; }
/* What contexts opened from then on say of regions on demand. */
void stub_odp(uint64_t general, int rc, int ud) { odp_general = general; odp_rc = rc; odp_ud = ud; }
/* The device_cap_flags of contexts opened from then on: windows of all types, and others; or what is said. */
void stub_usual_flags(void) { cap_flags = USUAL_FLAGS; }
void stub_flags(int flags) { cap_flags = flags; }
/* How the driver refuses a dma-buf that is none. */
void stub_dmabuf(int error) { dmabuf_errno = error; }
void stub_advise(int answer) { advise_answer = answer; }
/* What ending a region answers, once. */
void stub_dereg(int answer) { dereg_answer = answer; }
/* What is left of devices that are closed is nobody's. */
void stub_forget(void) { live = 0; }
const char *stub_how(void) { return asked.how; }
long stub_asked(int field) {
    uint64_t fields[] = {asked.first, asked.length, asked.iova, asked.fd, asked.access};
    return fields[field];
}
long stub_advised(int field) {
    uint64_t fields[] = {advised.count, advised.advice, advised.flags, advised.sge.addr, advised.sge.length,
        advised.sge.lkey};
    return fields[field];
}
/* Registrations, or changes of queues, are refused. */
void stub_refuse_regions(int error) { reg_errno = error; }
void stub_refuse_states(int error) { state_errno = error; }
void stub_port(int state) { port_state = state; }
/* How many ports contexts opened from then on have. */
void stub_ports(int count) { port_count = count; }
/* How many places for GIDs a port has; two are taken. */
void stub_gids(int places) { gid_places = places; }
/* Of the two GIDs: 1 RoCE version 1, 2 RoCE version 2. */
void stub_gid_types(int first, int second) { gid_types[0] = first; gid_types[1] = second; }
/* An event of the device that was opened last. */
void stub_event(void *element, int type) {
    LOCKED;
    events[events_tail].element = element;
    events[events_tail++ % ROOM].type = type;
    eventfd_write(newest->async_fd, 1);
}
/* Threads that come into this function stay there until "none" is held; stub_held() of them are there. */
void stub_hold(int which) {
    static const char *const names[] = {"none", "get_cq_event", "get_async_event", "query_gid_ex", "create_cq",
        "reg_mr", "post_send", "create_srq", "poll_cq", "modify_qp", "query_qp", "req_notify_cq",
        "dereg_mr", "modify_srq"};
    LOCKED;
    hold = names[which];
    pthread_cond_broadcast(&let_go);
}
long stub_held(void) { LOCKED; return held; }

static void maybe_held(const char *where) {
    held++;
    while (!strcmp(hold, where)) {
        pthread_cond_wait(&let_go, &mutex);
    }
    held--;
}

/* An object begins with its context, and is preceded by how many others use it. Not freed: it may be used again. */
static void *make(size_t size) {
    long *object = calloc(1, size + 16);
    live++;
    return object + 2;
}

static void alive(void *object) {
    struct context *c = *(struct context **) object;
    if (!c || c->device != &the_device) {
        misuse++;
    }
}

static void open_context(struct context *c) {
    if (c->device != &the_device) {
        misuse++;
    }
}

/* By so many more. */
static void used(void *object, int count) {
    if (object) {
        alive(object);
        ((long *) object)[-2] += count;
    }
}

static int destroy(void *object) {
    alive(object);
    if (((long *) object)[-2] != 0) {
        return EBUSY;
    }
    *(void **) object = NULL;
    live--;
    return 0;
}

static void complete(struct cq *cq, struct wc wc) {
    /* Also of successes, as with libraries that leave there what was there. */
    wc.vendor_err = 0x77;
    cq->wc[cq->tail++ % ROOM] = wc;
    if (cq->armed && cq->channel) {
        cq->armed = 0;
        cq->channel->evented[cq->channel->tail++ % ROOM] = cq;
        eventfd_write(cq->channel->fd, 1);
    }
}

/* In the error state it has flushed its receives; later ones stay, as SoftRoCE's do. */
static void come_to(struct qp *qp, int state) {
    qp->state = state;
    while (state == 6 && qp->own.head != qp->own.tail) {
        complete(qp->recv_cq, (struct wc) {.wr_id = qp->own.receives[qp->own.head++ % ROOM].wr_id, .status = 5,
            .qp_num = qp->qp_num});
    }
}
/* As if the device had found an error, or none. */
void stub_state(struct qp *qp, int state) { LOCKED; come_to(qp, state); }
long stub_state_now(struct qp *qp) { return qp->state; }

static int post_receives(struct srq *srq, struct recv_wr *wr) {
    for (; wr; wr = wr->next) {
        struct receive *r = &srq->receives[srq->tail++ % ROOM];
        r->wr_id = wr->wr_id;
        r->count = wr->num_sge;
        memcpy(r->sge, wr->sge, wr->num_sge * sizeof(struct sge));
    }
    return 0;
}

static int post_recv(struct qp *qp, struct recv_wr *wr, struct recv_wr **bad) {
    LOCKED;
    if (!qp->context) {
        misuse++;
        *bad = wr;
        return EINVAL;
    }
    return post_receives(&qp->own, wr);
}

static int post_srq_recv(struct srq *srq, struct recv_wr *wr, struct recv_wr **bad) {
    LOCKED;
    if (!srq->context) {
        misuse++;
        *bad = wr;
        return EINVAL;
    }
    return post_receives(srq, wr);
}

static void deliver(struct qp *qp, struct send_wr *wr) {
    struct srq *queue = qp->srq ? qp->srq : &qp->own;
    struct receive *r;
    static char bytes[65536];
    uint32_t length = 0, done = 0;
    if (queue->head == queue->tail) {
        return;
    }
    r = &queue->receives[queue->head++ % ROOM];
    for (int i = 0; i < wr->num_sge; i++) {
        memcpy(bytes + length, (void *) wr->sge[i].addr, wr->sge[i].length);
        length += wr->sge[i].length;
    }
    for (int i = 0; i < r->count && done < length; i++) {
        uint32_t part = length - done < r->sge[i].length ? length - done : r->sge[i].length;
        memcpy((void *) r->sge[i].addr, bytes + done, part);
        done += part;
    }
    complete(qp->recv_cq, (struct wc) {.wr_id = r->wr_id, .opcode = 128,
        .byte_len = next_length ? next_length : length, .imm = wr->imm, .qp_num = qp->qp_num, .src_qp = qp->qp_num,
        .flags = wr->opcode == 3 ? 2 : 0});
    next_length = 0;
}

static int post_send(struct qp *qp, struct send_wr *wr, struct send_wr **bad) {
    LOCKED;
    posts++;
    qp->posting++;
    maybe_held("post_send");
    qp->posting--;
    for (; wr; wr = wr->next) {
        if (!qp->context) {
            misuse++;
        }
        if (fail_at >= 0 && fail_at-- == 0) {
            *bad = wr;
            return fail_errno;
        }
        if (wr->opcode == 2 || wr->opcode == 3) {
            deliver(qp, wr);
        } else if (wr->opcode == 8) {
            alive(*(void **) ((char *) wr + 80));
            alive(*(void **) ((char *) wr + 96));
        }
        misuse += wr->flags & 8 && !qp->max_inline;
        if (qp->sig_all || wr->flags & 2) {
            complete(qp->send_cq, (struct wc) {.wr_id = wr->wr_id, .qp_num = qp->qp_num, .status = next_status});
            next_status = later_status;
        }
    }
    return 0;
}

static int poll_cq(struct cq *cq, int count, struct wc *wc) {
    int found = 0;
    LOCKED;
    polls++;
    maybe_held("poll_cq");
    if (!cq->context) {
        misuse++;
        return -1;
    }
    while (found < count && cq->head != cq->tail) {
        wc[found++] = cq->wc[cq->head++ % ROOM];
    }
    return found;
}

static int req_notify_cq(struct cq *cq, int solicited) {
    LOCKED;
    maybe_held("req_notify_cq");
    if (!cq->context) {
        misuse++;
    }
    cq->armed = 1;
    return 0;
}

struct device **ibv_get_device_list(int *count) {
    const char *wanted = getenv("STUB_DEVICES");
    *count = wanted ? atoi(wanted) : 1;
    errno = ENOSYS;
    return *count < 0 ? NULL : the_list;
}
void ibv_free_device_list(struct device **list) { }
int ibv_query_device(struct context *c, char *attr);
/* With capabilities of regions on demand behind the device's other attributes. */
static int query_device_ex(struct context *c, void *input, char *attr, size_t size) {
    uint64_t clock = 1000;
    uint32_t xrc = 0x80000004;
    /* RAW_SCATTER_FCS, and one that is younger than the library. */
    uint64_t flags = 0x4400000000;
    if (input || size != 400) {
        misuse++;
    }
    memset(attr, 0x11, size);
    if (extended_answer == 0) {
        memset(attr, 0, size);
        ibv_query_device(c, attr);
        memcpy(attr + 240, &odp_general, 8);
        memcpy(attr + 248, &odp_rc, 4);
        memcpy(attr + 256, &odp_ud, 4);
        memcpy(attr + 272, &clock, 8);
        memcpy(attr + 280, &flags, 8);
        memcpy(attr + 392, &xrc, 4);
    }
    return extended_answer;
}
static int advise_mr(void **pd, int advice, uint32_t flags, struct sge *sge, uint32_t count);
static struct mw *alloc_mw(void **pd, int type) {
    LOCKED;
    struct mw *mw = make(sizeof(*mw));
    used(pd, 1);
    mw->context = *pd;
    mw->pd = pd;
    mw->rkey = numbers++ << 8;
    return mw;
}
static int dealloc_mw(struct mw *mw) {
    LOCKED;
    used(mw->pd, -1);
    return destroy(mw);
}
static int bind_mw(struct qp *qp, struct mw *mw, uint64_t *bind) {
    LOCKED;
    alive(qp);
    alive(mw);
    if (bind[4] != 0) {
        alive((void *) bind[2]);
    }
    mw->rkey = (mw->rkey & ~0xff) | ((mw->rkey + 1) & 0xff);
    complete(qp->send_cq, (struct wc) {.wr_id = bind[0], .opcode = 5, .qp_num = qp->qp_num});
    return 0;
}
struct context *ibv_open_device(struct device *device) {
    struct verbs_context *all = calloc(1, sizeof(*all));
    struct context *c = &all->context;
    void **table = (void **) c;
    LOCKED;
    all->sz = sizeof(*all);
    *(void **) (all->before + sizeof(all->before) + 8 - 104) = has_extended ? query_device_ex : NULL;
    *(void **) (all->before + sizeof(all->before) + 8 - 312) = advise_mr;
    c->device = device;
    c->abi_compat = (void *) -1L;
    c->async_fd = eventfd(0, EFD_SEMAPHORE);
    table[64 / 8] = alloc_mw;
    table[72 / 8] = bind_mw;
    table[80 / 8] = dealloc_mw;
    table[96 / 8] = poll_cq;
    table[104 / 8] = req_notify_cq;
    table[168 / 8] = post_srq_recv;
    table[208 / 8] = post_send;
    table[216 / 8] = post_recv;
    live++;
    newest = c;
    events_head = events_tail;
    return c;
}
int ibv_close_device(struct context *c) {
    LOCKED;
    open_context(c);
    close(c->async_fd);
    c->device = NULL;
    live--;
    return 0;
}
int ibv_query_device(struct context *c, char *attr) {
    static const int at[] = {108, 112, 120, 128, 132, 136, 140, 144, 156, 164, 200, 212, 216, 220};
    static const int value[] = {1000, 1024, 16, 1000, 4095, 1000, 100, 16, 16, 1, 100, 10, 512, 4};
    LOCKED;
    open_context(c);
    memset(attr, 0, 232);
    memcpy(attr, "1.2.3", 6);
    memset(attr + 80, 0x7f, 8);
    for (unsigned i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
        memcpy(attr + at[i], &value[i], 4);
    }
    memcpy(attr + 116, &cap_flags, 4);
    attr[227] = port_count;
    return 0;
}
int ibv_query_port(struct context *c, uint8_t port, char *attr) {
    int mtu = 4;
    LOCKED;
    open_context(c);
    memset(attr, 0, 48);
    memcpy(attr, &port_state, 4);
    memcpy(attr + 4, &mtu, 4);
    memcpy(attr + 8, &mtu, 4);
    memcpy(attr + 12, &gid_places, 4);
    attr[32] = 1;
    attr[46] = 2;
    return 0;
}
int ibv_query_gid(struct context *c, uint8_t port, int index, char *gid) {
    LOCKED;
    open_context(c);
    memset(gid, 0, 16);
    if (index == 0) {
        gid[0] = 0xfe; gid[1] = 0x80; gid[14] = port - 1; gid[15] = 1;
    } else if (index == 1) {
        gid[10] = gid[11] = 0xff; gid[12] = 10; gid[14] = port - 1; gid[15] = 7;
    }
    return 0;
}
int _ibv_query_gid_ex(struct context *c, uint32_t port, uint32_t index, char *entry, uint32_t flags, size_t size) {
    LOCKED;
    maybe_held("query_gid_ex");
    open_context(c);
    if (index > 1) {
        return ENODATA;
    }
    memcpy(entry + 24, &gid_types[index], 4);
    return 0;
}
int ibv_query_pkey(struct context *c, uint8_t port, int index, uint16_t *key) {
    LOCKED;
    open_context(c);
    *key = 0xffff;
    return 0;
}
void *ibv_alloc_pd(struct context *c) {
    LOCKED;
    void **pd = make(16);
    open_context(c);
    *pd = c;
    return pd;
}
int ibv_dealloc_pd(void *pd) { LOCKED; return destroy(pd); }
static struct mr *reg(void **pd, const char *how, uint64_t first, size_t length, uint64_t iova, int fd, int access) {
    LOCKED;
    struct mr *mr;
    maybe_held("reg_mr");
    alive(pd);
    if (reg_errno) {
        errno = reg_errno;
        return NULL;
    }
    mr = make(sizeof(*mr));
    used(pd, 1);
    mr->context = *pd;
    mr->pd = pd;
    mr->addr = (void *) first;
    mr->length = length;
    mr->lkey = mr->rkey = numbers++ << 8;
    asked.how = how;
    asked.first = first;
    asked.length = length;
    asked.iova = iova;
    asked.fd = fd;
    asked.access = access;
    return mr;
}
struct mr *ibv_reg_mr(void **pd, void *addr, size_t length, int access) {
    return reg(pd, "reg_mr", (uint64_t) addr, length, (uint64_t) addr, -1, access);
}
struct mr *ibv_reg_mr_iova2(void **pd, void *addr, size_t length, uint64_t iova, unsigned access) {
    return reg(pd, "reg_mr_iova2", (uint64_t) addr, length, iova, -1, access);
}
struct mr *ibv_reg_dmabuf_mr(void **pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access) {
    if (fd < 0 || dmabuf_errno != EBADF) {
        errno = dmabuf_errno;
        return NULL;
    }
    return reg(pd, "reg_dmabuf_mr", offset, length, iova, fd, access);
}
static int advise_mr(void **pd, int advice, uint32_t flags, struct sge *sge, uint32_t count) {
    LOCKED;
    alive(pd);
    misuse += count != 1;
    advised.count++;
    advised.advice = advice;
    advised.flags = flags;
    advised.sge = *sge;
    return advise_answer;
}
int ibv_dereg_mr(struct mr *mr) {
    LOCKED;
    int answer;
    maybe_held("dereg_mr");
    answer = dereg_answer;
    dereg_answer = 0;
    if (answer) {
        return answer;
    }
    used(mr->pd, -1);
    return destroy(mr);
}
struct channel *ibv_create_comp_channel(struct context *c) {
    LOCKED;
    struct channel *channel = make(sizeof(*channel));
    open_context(c);
    channel->context = c;
    channel->fd = eventfd(0, EFD_SEMAPHORE);
    return channel;
}
int ibv_destroy_comp_channel(struct channel *channel) {
    LOCKED;
    close(channel->fd);
    return destroy(channel);
}
/* As the kernel does it: the file has an event more than was read, and may wait. */
int ibv_get_cq_event(struct channel *channel, struct cq **cq, void **cookie) {
    eventfd_t count;
    lock();
    maybe_held("get_cq_event");
    pthread_mutex_unlock(&mutex);
    if (eventfd_read(channel->fd, &count) != 0) {
        return -1;
    }
    LOCKED;
    alive(channel);
    *cq = channel->evented[channel->head++ % ROOM];
    (*cq)->unacked++;
    unacked++;
    return 0;
}
void ibv_ack_cq_events(struct cq *cq, unsigned count) {
    LOCKED;
    alive(cq);
    cq->unacked -= count;
    unacked -= count;
    pthread_cond_broadcast(&acked);
}
struct cq *ibv_create_cq(struct context *c, int cqe, void *cookie, struct channel *channel, int vector) {
    LOCKED;
    struct cq *cq = make(sizeof(*cq));
    maybe_held("create_cq");
    open_context(c);
    used(channel, 1);
    cq->context = c;
    cq->channel = channel;
    cq->cqe = cqe;
    return cq;
}
int ibv_resize_cq(struct cq *cq, int cqe) { LOCKED; alive(cq); cq->cqe = cqe; return 0; }
/* Its events that were not read are gone; those that were have to be acknowledged. */
int ibv_destroy_cq(struct cq *cq) {
    LOCKED;
    struct channel *channel = cq->channel;
    int kept = channel->head;
    for (int i = channel->head; i != channel->tail; i++) {
        if (channel->evented[i % ROOM] == cq) {
            eventfd_t count;
            eventfd_read(channel->fd, &count);
        } else {
            channel->evented[kept++ % ROOM] = channel->evented[i % ROOM];
        }
    }
    channel->tail = kept;
    while (cq->unacked) {
        pthread_cond_wait(&acked, &mutex);
    }
    used(channel, -1);
    return destroy(cq);
}
struct qp *ibv_create_qp(void **pd, struct init_attr *attr) {
    LOCKED;
    struct qp *qp;
    if (attr->max_inline > 256) {
        errno = EINVAL;
        return NULL;
    }
    qp = make(sizeof(*qp));
    if (attr->max_inline > most_inline) {
        attr->max_inline = most_inline;
    }
    qp->max_inline = attr->max_inline;
    used(pd, 1);
    used(attr->send_cq, 1);
    used(attr->recv_cq, 1);
    used(attr->srq, 1);
    qp->context = *pd;
    qp->pd = pd;
    qp->send_cq = attr->send_cq;
    qp->recv_cq = attr->recv_cq;
    qp->srq = attr->srq;
    qp->sig_all = attr->sig_all;
    qp->qp_num = numbers++;
    return qp;
}
/* Who is held has changed it, or was refused. */
int ibv_modify_qp(struct qp *qp, int *attr, int mask) {
    LOCKED;
    int answer = state_errno;
    alive(qp);
    /* What is posted meanwhile would find an empty queue. */
    misuse += attr[0] == 0 && qp->posting;
    if (!answer) {
        come_to(qp, attr[0]);
    }
    maybe_held("modify_qp");
    alive(qp);
    return answer;
}
/* Who is held has his answer, which may be of before by then. In SQD (4) this device drains, and never ends. */
int ibv_query_qp(struct qp *qp, int *attr, int mask, void *init) {
    LOCKED;
    int state = qp->state;
    maybe_held("query_qp");
    alive(qp);
    memset(attr, 0, 144);
    attr[0] = state;
    ((char *) attr)[125] = state == 4;
    return 0;
}
int ibv_destroy_qp(struct qp *qp) {
    LOCKED;
    misuse += qp->posting;
    used(qp->pd, -1);
    used(qp->send_cq, -1);
    used(qp->recv_cq, -1);
    used(qp->srq, -1);
    return destroy(qp);
}
struct srq *ibv_create_srq(void **pd, void *attr) {
    LOCKED;
    struct srq *s = make(sizeof(*s));
    maybe_held("create_srq");
    alive(pd);
    s->context = *pd;
    return s;
}
/* Who is held has set it already. */
int ibv_modify_srq(struct srq *srq, int *attr, int mask) {
    LOCKED;
    alive(srq);
    if (state_errno) {
        return state_errno;
    }
    srq->limit = attr[2];
    maybe_held("modify_srq");
    return 0;
}
int ibv_query_srq(struct srq *srq, int *attr) { LOCKED; alive(srq); attr[2] = srq->limit; return 0; }
int ibv_destroy_srq(struct srq *srq) {
    LOCKED;
    int kept = events_head;
    for (int i = events_head; i != events_tail; i++) {
        if (events[i % ROOM].element == srq) {
            eventfd_t count;
            eventfd_read(srq->context->async_fd, &count);
        } else {
            events[kept++ % ROOM] = events[i % ROOM];
        }
    }
    events_tail = kept;
    return destroy(srq);
}
void *ibv_create_ah(void **pd, void *attr) {
    LOCKED;
    void **ah = make(24);
    used(pd, 1);
    ah[0] = *pd;
    ah[1] = pd;
    return ah;
}
int ibv_destroy_ah(void **ah) {
    LOCKED;
    used(ah[1], -1);
    return destroy(ah);
}
/* As the kernel does it: the file has an event more than was read, and may wait. */
int ibv_get_async_event(struct context *c, struct async_event *event) {
    eventfd_t count;
    lock();
    maybe_held("get_async_event");
    pthread_mutex_unlock(&mutex);
    if (eventfd_read(c->async_fd, &count) != 0) {
        return -1;
    }
    LOCKED;
    open_context(c);
    *event = events[events_head++ % ROOM];
    unacked++;
    return 0;
}
void ibv_ack_async_event(struct async_event *event) { LOCKED; unacked--; }
