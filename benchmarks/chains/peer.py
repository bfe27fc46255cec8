"""One schedule by checkpoint-schedules: prints its processor seconds and its cost.

usage: peer.py revolve|disk_revolve|h_revolve LENGTH SLOTS DISK_SLOTS UF UB WD RD

The schedule is made and walked to its end, as by a program that uses it. Its cost is counted from
its actions, in the synchronous model of planner/chains/sync_steps.hpp: a chain of LENGTH has
LENGTH + 1 backward steps, and the forward step that records the tape of each is not charged.
"""
import sys
import time

from checkpoint_schedules import Copy, DiskRevolve, Forward, HRevolve, Move, Revolve, StorageType


def make(kind, length, slots, disk_slots, costs):
    if kind == "revolve":
        return Revolve(length + 1, slots, **costs)
    if kind == "disk_revolve":
        return DiskRevolve(length + 1, slots, **costs)
    return HRevolve(length + 1, slots, disk_slots, **costs)


def cost(actions, length, uf, ub, wd, rd):
    total = (length + 1) * (ub - uf)
    for action in actions:
        if isinstance(action, Forward):
            total += (action.n1 - action.n0) * uf
            if action.write_ics and action.storage == StorageType.DISK:
                total += wd
        elif isinstance(action, (Copy, Move)) and action.from_storage == StorageType.DISK:
            total += rd
    return total


def main():
    kind = sys.argv[1]
    length, slots, disk_slots, uf, ub, wd, rd = map(int, sys.argv[2:])
    sys.setrecursionlimit(100000)
    start = time.process_time()
    actions = list(make(kind, length, slots, disk_slots, dict(uf=uf, ub=ub, wd=wd, rd=rd)))
    seconds = time.process_time() - start
    print(seconds, cost(actions, length, uf, ub, wd, rd))


main()
