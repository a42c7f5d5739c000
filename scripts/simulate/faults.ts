import { clusterFaults } from './cluster-faults.js';
import { usualLatency } from './disk.js';
import { type Begin, machineOf } from './fault-target.js';
import { goodLink, type Link } from './network.js';
import type { Run } from './run.js';
import type { Fault, FaultKind } from './scenario.js';

const receiverOf = ({ receivers }: Run, { target }: Fault) => receivers[target % Math.max(receivers.length, 1)];

/** Changes the connections between the machines and one receiver. */
const onLink =
  (changed: (strength: number) => Partial<Link>): Begin =>
  (run, fault) => {
    const receiver = receiverOf(run, fault);
    if (!receiver) return () => undefined;
    const links = run.machines.map(({ name }) => run.network.link(name, receiver.host));
    const changes = changed(fault.strength);
    for (const link of links) Object.assign(link, changes);
    return () => {
      for (const link of links) for (const name of Object.keys(changes)) Object.assign(link, { [name]: goodLink()[name as keyof Link] });
    };
  };

const onReceiver =
  (statuses: readonly number[]): Begin =>
  (run, fault) => {
    const receiver = receiverOf(run, fault);
    if (!receiver) return () => undefined;
    receiver.trouble = { probability: 0.2 + 0.8 * fault.strength, statuses };
    return () => {
      receiver.trouble = undefined;
    };
  };

/** Operations of a disk after which a crash happens. */
const MOST_OPERATIONS = 60;
/** Files that are removed before a crash: this happens when the journal was merged, which other crashes seldom hit. */
const MOST_REMOVALS = 4;
const OPERATIONS_OF_START = 40;

const crash =
  (how: 'power' | 'process'): Begin =>
  (run, fault) => {
    const machine = machineOf(run, fault);
    const strike = () => {
      run.disturbed(machine, fault.kind);
      machine.crash(how);
    };
    const isAtRemoval = fault.target % 4 === 1 && !run.cluster;
    // Most faults hit an operation of the disk, which an idle moment would seldom do.
    if (fault.target % 4 === 0) strike();
    else if (isAtRemoval) {
      const restart = () => {
        strike();
        run.world.schedule(run.world.outside, fault.ms, () => run.startWhenDown(machine));
      };
      machine.disk.strikeAfter(Math.floor(MOST_REMOVALS * fault.strength), restart, 'remove');
    } else machine.disk.strikeAfter(Math.floor(MOST_OPERATIONS * fault.strength ** 2), strike);
    return () => {
      // Merges are minutes apart.
      if (isAtRemoval) return;
      if (machine.process) strike();
      // Often the next start does not end, either.
      if (fault.target % 3 === 0) {
        machine.disk.strikeAfter(fault.target % OPERATIONS_OF_START, () => {
          strike();
          run.startWhenDown(machine);
        });
      }
      run.startWhenDown(machine);
    };
  };

const onDisk =
  (code: 'EIO' | 'ENOSPC'): Begin =>
  (run, fault) => {
    const machine = machineOf(run, fault);
    const { state } = machine.disk;
    run.disturbed(machine, fault.kind);
    state.failing = { probability: 0.01 + 0.99 * fault.strength ** 3, code };
    return () => {
      state.failing = undefined;
      run.recovered(machine);
    };
  };

/** Milliseconds of the largest jump of a clock. */
const LARGEST_JUMP_MS = 300_000;
const LARGEST_JUMP_OF_MEMBER_MS = 10_000;
const LARGEST_DRIFT = 0.02;
const LARGEST_DRIFT_OF_MEMBER = 0.005;
const SLOWEST_DISK_MS = 400;

const kinds: Readonly<Record<FaultKind, Begin>> = {
  'power failure': crash('power'),
  'process killed': crash('process'),
  'orderly restart': (run, fault) => {
    const machine = machineOf(run, fault);
    run.disturbed(machine, fault.kind);
    void machine.stop();
    return () => run.startWhenDown(machine);
  },
  'process paused': (run, fault) => {
    const machine = machineOf(run, fault);
    run.disturbed(machine, fault.kind);
    if (machine.process) machine.process.pausedUntil = run.world.now + fault.ms;
    return () => run.recovered(machine);
  },
  'disk slow': (run, fault) => {
    const machine = machineOf(run, fault);
    const { state } = machine.disk;
    run.disturbed(machine, fault.kind);
    state.latencyMs = { min: 1, max: 2 + SLOWEST_DISK_MS * fault.strength ** 2 };
    return () => {
      state.latencyMs = usualLatency;
      run.recovered(machine);
    };
  },
  'disk fails': onDisk('EIO'),
  'disk full': onDisk('ENOSPC'),
  'clock jumps': (run, fault) => {
    const machine = machineOf(run, fault);
    run.disturbed(machine, fault.kind);
    const direction = 2 * fault.strength - 1;
    // "Clocks of the machines that differ by less than a minute" are what a cluster needs.
    if (run.cluster) machine.clock.offsetMs = Math.round(direction * LARGEST_JUMP_OF_MEMBER_MS);
    else machine.clock.offsetMs += Math.round(direction * LARGEST_JUMP_MS);
    return () => run.recovered(machine);
  },
  'clock drifts': (run, fault) => {
    const machine = machineOf(run, fault);
    run.disturbed(machine, fault.kind);
    machine.clock.setRate(1 + (2 * fault.strength - 1) * (run.cluster ? LARGEST_DRIFT_OF_MEMBER : LARGEST_DRIFT), run.world.now);
    return () => {
      machine.clock.setRate(1, run.world.now);
      run.recovered(machine);
    };
  },
  'receiver refuses': onLink((strength) => ({ refused: 0.2 + 0.8 * strength })),
  'receiver fails': onReceiver([500, 503, 429, 302, 504]),
  'receiver rejects': onReceiver([400, 404, 410, 502]),
  'receiver slow': (run, fault) => {
    const receiver = receiverOf(run, fault);
    if (!receiver) return () => undefined;
    receiver.slownessMs = 8_000 * fault.strength;
    return () => {
      receiver.slownessMs = 0;
    };
  },
  'receiver unknown': onLink(() => ({ hasNoName: true })),
  'connections break before': onLink((strength) => ({ lostBefore: strength })),
  'connections break after': onLink((strength) => ({ lostAfter: strength })),
  'requests repeated': onLink((strength) => ({ repeated: strength })),
  'bodies slow': onLink((strength) => ({ slowBodies: strength })),
  'network cut': onLink(() => ({ isCut: true })),
  'callers cut off': (run, fault) => {
    const link = run.network.link('callers', machineOf(run, fault).name);
    const { strength } = fault;
    Object.assign(link, { lostBefore: strength / 2, lostAfter: strength / 2, repeated: strength / 4 });
    return () => void Object.assign(link, { lostBefore: 0, lostAfter: 0, repeated: 0 });
  },
  ...clusterFaults,
};

/** Makes the faults of the scenario of a run happen at their times. */
export function scheduleFaults(run: Run): void {
  const { world, scenario } = run;
  for (const fault of scenario.faults)
    world.schedule(world.outside, fault.at, () => {
      if (run.isHealing) return;
      world.trace('fault', `${fault.kind} for ${fault.ms} ms`);
      const end = kinds[fault.kind](run, fault);
      const ended = run.faults.begin();
      world.schedule(world.outside, fault.ms, () => {
        world.trace('fault over', fault.kind);
        end();
        ended();
      });
    });
}
