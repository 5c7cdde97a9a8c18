"""slurm.py RECIPE -- runs the recipe for Slurm with a slurmctld and a slurmd of its own, in
the current directory, whatever Slurm the machine has otherwise:

  id=$(sbatch --parsable --array=0-5 RECIPE hosts parts)
  sbatch --dependency=afterok:$id --wrap 'memprofdata merge parts -o fleet'

Whoever runs it owns all; no root, no munge.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import ctypes
import os
import pathlib
import pwd
import signal
import socket
import subprocess
import sys
import time

PATIENCE = 240
CONFIG = """
ClusterName=test
SlurmctldHost=localhost
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmctldPidFile={here}/slurmctld.pid
SlurmdPidFile={here}/slurmd.pid
StateSaveLocation={here}/state
SlurmdSpoolDir={here}/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
MessageTimeout=100
ReturnToService=2
SchedulerType=sched/builtin
SchedulerParameters=sched_min_interval=100000,batch_sched_delay=0
DependencyParameters=kill_invalid_depend
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=8192
PartitionName=all Nodes=ALL Default=YES State=UP
"""


daemons = []


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def start(name):
    """A daemon, which ends with us, even if we are killed."""
    log = open(name + ".log", "w")
    libc = ctypes.CDLL(None)
    daemons.append(subprocess.Popen(
        [name, "-D"], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
        preexec_fn=lambda: libc.prctl(1, signal.SIGKILL)))  # PR_SET_PDEATHSIG


def sbatch(*words):
    """The number of the job. slurmctld may not listen yet: sbatch then fails."""
    deadline = time.monotonic() + PATIENCE
    while True:
        done = subprocess.run(["sbatch", "--parsable", *words], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
        if done.returncode == 0:
            return done.stdout.strip()
        assert time.monotonic() < deadline, done.stderr
        for daemon in daemons:
            assert daemon.poll() is None, pathlib.Path(daemon.args[0] + ".log").read_text()
        time.sleep(0.2)


def is_queue_empty():
    queue = subprocess.run(["squeue", "--noheader"], stdout=subprocess.PIPE,
                           timeout=PATIENCE)
    return queue.returncode == 0 and queue.stdout == b""


def run(recipe):
    parts = sbatch("--array=0-5", recipe, "hosts", "parts")
    sbatch("--dependency=afterok:" + parts, "--wrap", "memprofdata merge parts -o fleet")
    deadline = time.monotonic() + PATIENCE
    while not is_queue_empty() and time.monotonic() < deadline:
        time.sleep(0.2)
    if os.path.exists("fleet"):
        return
    subprocess.run(["squeue", "--long"])
    for log in pathlib.Path(".").glob("slurm*"):
        print(log, log.read_text(errors="replace"), sep="\n")
    sys.exit("no result")


def end_all():
    """Daemons and tasks: what they left has become a child of ours."""
    while True:
        with open("/proc/self/task/%d/children" % os.getpid()) as children:
            for pid in children.read().split():
                os.kill(int(pid), signal.SIGKILL)
        try:
            os.wait()
        except ChildProcessError:
            return


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    here = os.getcwd()
    for name in "state", "spool":
        os.mkdir(name)
    with open("slurm.conf", "w") as config:
        config.write(CONFIG.format(user=pwd.getpwuid(os.geteuid()).pw_name, here=here,
                                   ports=free_ports(2), host=socket.gethostname().split(".")[0]))
    os.environ["SLURM_CONF"] = here + "/slurm.conf"
    os.environ["PATH"] += ":/usr/sbin"
    try:
        start("slurmctld")
        start("slurmd")
        run(sys.argv[1])
    finally:
        end_all()


main()
