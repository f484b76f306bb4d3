# Copyright 2026 the rdma4j authors.
# SPDX-License-Identifier: Apache-2.0
#
# Second act of the guest: makes its RDMA devices, then runs the commands that the host lays into the
# share, one after the other, until the host asks for the end. Lines that begin with "rdma4j-guest:" are for people;
# what the host acts on are files of the share: ready, N/exit.
share=/run/guest-share
. $share/settings.sh
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LC_ALL=C.UTF-8

say() { echo "rdma4j-guest: $*"; }
uptime() { cut -d' ' -f1 /proc/uptime; }
end() { sync; busybox poweroff -f; }
give_up() { say "FAILED $*"; end; }

# Whoever started this machine may be gone: it ends by itself.
[ "$lifetime" -gt 0 ] && ( sleep "$lifetime"; say "FAILED: lifetime of $lifetime s is over"; end ) &

# A shell for people, on the second terminal. What the host has at its other end, User Mode Linux says when it is opened.
( while :; do busybox setsid busybox getty -n -L -l /bin/sh 115200 "$terminal" dumb; sleep 1; done ) >/dev/null 2>&1 &
[ -e $share/shell.txt ] || ( sleep 1; dmesg | sed -n "s/.*console 1 assigned device '\(.*\)'.*/\1/p" > $share/shell.txt ) &

# By its path: BusyBox' shell, which runs this where QEMU emulates the machine, takes its own ip, which knows no netns.
ip() { /sbin/ip "$@"; }
ip link set lo up

# await_gid DEVICE: GID 1 follows the IP address; nothing can be sent until it is there.
await_gid() {
    gid=/sys/class/infiniband/$1/ports/1/gids/1
    tries=0
    while ! grep -q '[1-9a-f]' "$gid" 2>/dev/null; do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || give_up "to see GID 1 of $1"
        sleep 0.1
    done
}

. $share/setup.sh

say "READY after $(uptime) s: $(uname -sr), $devices"
echo ready > $share/ready

n=1
# Without its share it belongs to a run that died: the next one has deleted what that one left.
while [ -e $share/settings.sh ] && [ ! -e $share/poweroff ]; do
    if [ -e $share/$n/command.sh ]; then
        . $share/$n/limits.sh
        say "RUN $n"
        # Shortly before the host loses patience: what are the Java threads doing?
        ( sleep "$dump_after"; busybox killall -QUIT java ) 2>/dev/null &
        watcher=$!
        { RDMA4J_FOLDER=$share/$n sh $share/$n/command.sh; echo $? > $share/$n/exit.part; } 2>&1 | tee $share/$n/output.log
        kill $watcher 2>/dev/null
        say "EXIT $n with $(cat $share/$n/exit.part) at $(uptime) s"
        mv $share/$n/exit.part $share/$n/exit
        n=$((n + 1))
    else
        sleep 0.1
    fi
done
say "END"
end
