#!/bin/busybox sh
# First process of the inner guest: binds the device to vfio-pci, starts the stations, then evaluates lines that come
# through the second serial line. Lines that begin with "inner:" are for the harness.
/bin/busybox mkdir -p /proc /sys /dev /tmp /run /root /usr
/bin/busybox --install -s /bin
export PATH=/bin HOME=/root
say() { echo "inner: $*"; }
now() { cut -d' ' -f1 /proc/uptime; }
give_up() { say "FAILED $*"; poweroff -f; }

mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mkdir -p -m 1777 /dev/shm /tmp /run/inner
chmod 1777 /dev/shm /tmp /run/inner
# Name services are on loopback.
ip link set lo up

# Numbered in the order in which they load.
for module in /modules/*; do
    insmod "$module" || give_up "to load $module"
done

# to_vfio ADDRESS: binds a function to vfio-pci.
to_vfio() {
    echo vfio-pci > /sys/bus/pci/devices/$1/driver_override && echo $1 > /sys/bus/pci/drivers_probe
    [ -e /sys/bus/pci/drivers/vfio-pci/$1 ] || give_up "to bind $1 to vfio-pci"
}

network=0000:00:10.0
device=0000:00:10.1
without_iommu=/sys/module/vfio/parameters/enable_unsafe_noiommu_mode
if [ -e $without_iommu ]; then
    # Each function is a group of its own.
    echo 1 > $without_iommu
    echo 64 > /proc/sys/vm/nr_hugepages
else
    to_vfio $network
fi
to_vfio $device
# Both functions are in one group; its file is all that the user needs.
chown rdma /dev/vfio/*[0-9]
say "BOUND after $(now) s: $(uname -r), $(echo /dev/vfio/*)"

# await_ready STATION SECONDS
await_ready() {
    tries=0
    until [ -e /run/inner/$1.ready ]; do
        tries=$((tries + 1))
        [ $tries -lt $(($2 * 5)) ] || give_up "to start station $1"
        sleep 0.2
    done
    say "STARTED $1 after $(now) s"
}
. /etc/stations.sh

stty -F /dev/ttyS1 raw -echo
exec 3< /dev/ttyS1
# A shell for people, on the third serial line.
( while :; do setsid getty -n -L -l /bin/sh 115200 ttyS2 dumb; sleep 1; done ) >/dev/null 2>&1 &
say "READY after $(now) s"

# By a process without children: when a child ends, busybox' own "read" begins anew and forgets what it has.
# The next line comes only after this one's answer, so nothing is read too far.
while line=$(head -n 1 <&3) && [ -n "$line" ]; do
    eval "$line"
    say "DONE $?"
done
poweroff -f
