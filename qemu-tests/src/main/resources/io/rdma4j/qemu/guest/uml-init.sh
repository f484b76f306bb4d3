# First process of the fabric guest as User Mode Linux: the host's root, read-only below a layer of memory, with the
# writable share at /run/guest-share. Before this line stands where the share is. Not busybox, which starts itself by
# /proc/self/exe: that is the host's until /proc is mounted.
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export PATH

give_up() {
    echo "rdma4j-guest: FAILED $*"
    exit 1
}

layer=/mnt
mount -t tmpfs tmpfs $layer && mkdir $layer/upper $layer/work $layer/root || give_up "to mount memory at $layer"
root=$layer/root
mount -t overlay -o "lowerdir=/,upperdir=$layer/upper,workdir=$layer/work" overlay $root \
    || give_up "to lay memory over the host's root"
mount -t proc proc $root/proc && mount -t sysfs sysfs $root/sys && mount -t devtmpfs devtmpfs $root/dev \
    || give_up "to mount /proc, /sys and /dev"
mkdir -p $root/dev/shm $root/dev/pts
mount -t tmpfs tmpfs $root/dev/shm
mount -t devpts devpts $root/dev/pts
mount -t tmpfs tmpfs $root/run
mkdir $root/run/guest-share
mount -t hostfs -o "$share" none $root/run/guest-share || give_up "to mount the share"
# Programs take the time from a library: it is what they ask the kernel for most. Each user reads it here.
cp $root/run/guest-share/clock.so $root/run/clock.so || give_up "to copy the clock"
exec chroot $root /usr/bin/env LD_PRELOAD=/run/clock.so /bin/sh /run/guest-share/guest.sh
