#!/usr/bin/env bash
# A SLURM with one node on this computer, for the tests: `slurm.sh start` and `slurm.sh stop`.
# It needs root, installs Debian's packages slurm-wlm and munge, writes /etc/slurm/slurm.conf, and
# keeps all other files in $SLURM_TEST_FOLDER.
set -euo pipefail

folder=${SLURM_TEST_FOLDER:-/tmp/ggexp-slurm}
host=$(hostname -s)

# Wait up to 15 s until a command succeeds.
until_works() {
  for _ in $(seq 60); do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 0.25
  done
  echo "slurm.sh: failed for 15 s: $*" >&2
  tail -n 20 "$folder"/*.log >&2 || true
  return 1
}

munge_works() { munge --no-input | unmunge; }
node_is_up() { sinfo --noheader --nodes="$host" --format=%t | grep -qE 'idle|mix|alloc'; }
has_ended() { ! kill -0 "$1"; }

start() {
  if ! command -v slurmctld slurmd munged >/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends slurm-wlm slurm-client munge >/dev/null
  fi
  mkdir -p "$folder"/{controller,node} /etc/slurm
  # the controller looks up its own node by name
  getent hosts "$host" >/dev/null || echo "127.0.0.1 $host" >>/etc/hosts

  install -d -o munge -g munge -m 0755 /run/munge
  install -d -o munge -g munge -m 0700 /etc/munge /var/lib/munge /var/log/munge
  if [ ! -s /etc/munge/munge.key ]; then
    head -c 1024 /dev/urandom >/etc/munge/munge.key
    chown munge:munge /etc/munge/munge.key
    chmod 0400 /etc/munge/munge.key
  fi
  if ! munge_works >/dev/null 2>&1; then
    setpriv --reuid=munge --regid=munge --clear-groups munged --force \
      --pid-file="/run/munge/ggexp.pid"
  fi
  until_works munge_works

  # Accounting is off. Ended jobs stay in the controller's memory, so that `squeue` lists them.
  cat >/etc/slurm/slurm.conf <<END
ClusterName=ggexp
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
StateSaveLocation=$folder/controller
SlurmdSpoolDir=$folder/node
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
MinJobAge=3600
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=$(awk '/MemTotal/ {print int($2 / 1100)}' /proc/meminfo)
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
  slurmctld
  until_works scontrol ping
  slurmd
  until_works node_is_up
}

stop() {
  for pid in "$folder"/slurmd.pid "$folder"/slurmctld.pid /run/munge/ggexp.pid; do
    if [ -s "$pid" ]; then
      number=$(cat "$pid")
      kill "$number" 2>/dev/null || true
      until_works has_ended "$number"
      rm -f "$pid"
    fi
  done
  rm -rf "$folder"
}

case ${1:-} in
  start | stop) "$1" ;;
  *)
    echo "usage: $0 start|stop" >&2
    exit 2
    ;;
esac
