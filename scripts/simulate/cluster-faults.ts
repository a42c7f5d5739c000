import type { SimulatedCluster } from './cluster.js';
import { DATABASE, LONGEST_LAG_MS } from './database/server.js';
import { type Begin, machineOf } from './fault-target.js';
import { ADMIN_KEY } from './machine.js';
import { urlOf } from './members.js';
import { goodLink, type Link } from './network.js';
import type { Run } from './run.js';
import type { clusterFaultKinds, Fault } from './scenario.js';

const SLOWEST_DATABASE_MS = 1_500;
/** The share of moves that an operator takes back. */
const TAKEN_BACK = 0.6;

/** Changes the connections of a cluster. */
const onMembers =
  (linksOf: (run: Run, fault: Fault) => readonly Link[], changed: (strength: number) => Partial<Link>): Begin =>
  (run, fault) => {
    const { cluster } = run;
    if (!cluster) return () => undefined;
    const links = linksOf(run, fault);
    const changes = changed(fault.strength);
    run.disturbed(links);
    for (const link of links) Object.assign(link, changes);
    return () => {
      for (const link of links) for (const name of Object.keys(changes)) Object.assign(link, { [name]: goodLink()[name as keyof Link] });
      run.recovered(links);
    };
  };

const toDatabase = (run: Run, fault: Fault) => [run.network.link(machineOf(run, fault).name, DATABASE)];
const allToDatabase = ({ network, machines }: Run) => machines.map(({ name }) => network.link(name, DATABASE));
const toOthers = (run: Run, fault: Fault) => {
  const cut = machineOf(run, fault);
  return run.machines.filter((other) => other !== cut).map(({ name }) => run.network.between(cut.name, name));
};

const withDatabase =
  (begin: (cluster: SimulatedCluster, fault: Fault) => () => void): Begin =>
  (run, fault) => {
    const { cluster } = run;
    if (!cluster) return () => undefined;
    run.disturbed(fault);
    const end = begin(cluster, fault);
    return () => {
      end();
      run.recovered(fault);
    };
  };

/** A call of an operator, who repeats it: a member that cannot reach its database responds with 503. */
const MOST_CALLS = 300;
const CALL_EVERY_MS = 2_000;

// biome-ignore lint/suspicious/noExplicitAny: an operator reads any field of the cluster
type View = any;

/**
 * Looks at the cluster by one member and makes a call of an operator there, until it succeeds. A member without a shard passes the calls on, so its id
 * is not that of the response.
 */
function operate(
  { run, fault, path, isPatient }: { run: Run; fault: Fault; path: string; isPatient: boolean },
  body: (process: string, view: View) => object,
) {
  const machine = machineOf(run, fault);
  run.actor(async () => {
    for (let i = 0; i < MOST_CALLS; i++, await run.world.sleep(CALL_EVERY_MS)) {
      const view = (await machine.serve({ method: 'GET', path: '/admin/v1/cluster', token: ADMIN_KEY }))?.body.cluster;
      const process = view?.processes.find(({ url }: View) => url === urlOf(machine.name));
      const call = { method: 'POST', path: `/admin/v1/cluster/${path}`, token: ADMIN_KEY };
      const response = process && (await machine.serve({ ...call, body: body(process.id, view) }));
      if (!isPatient || (response && response.status < 300)) return;
    }
  });
}

/** The faults of a cluster. Nothing happens when one platform runs. */
export const clusterFaults: Readonly<Record<(typeof clusterFaultKinds)[number], Begin>> = {
  'member drained': (run, fault) => {
    if (!run.cluster) return () => undefined;
    const drain = (draining: boolean) =>
      operate({ run, fault, path: 'drains', isPatient: !draining }, (process) => ({ process, draining }));
    run.disturbed(fault);
    drain(true);
    return () => {
      drain(false);
      run.recovered(fault);
    };
  },
  'shard moved': (run, fault) => {
    if (!run.cluster) return () => undefined;
    const shardIn = ({ shards }: View): string => shards[fault.target % shards.length].shard;
    run.disturbed(fault);
    operate({ run, fault, path: 'moves', isPatient: false }, (process, view) => ({ shard: shardIn(view), process }));
    return () => {
      // Some shards stay where they are until the next move.
      if (fault.strength < TAKEN_BACK) operate({ run, fault, path: 'moves', isPatient: true }, (_, view) => ({ shard: shardIn(view) }));
      run.recovered(fault);
    };
  },
  'members cut off': onMembers(toOthers, () => ({ isCut: true })),
  'database cut off': onMembers(toDatabase, () => ({ isCut: true })),
  'database connections break': onMembers(allToDatabase, (strength) => ({
    lostBefore: strength / 4,
    lostAfter: strength / 4,
    refused: strength / 2,
  })),
  'database slow': onMembers(allToDatabase, (strength) => ({ latencyMs: { min: 1, max: SLOWEST_DATABASE_MS * strength ** 2 } })),
  'database restarts': withDatabase(({ database }) => {
    database.stop();
    return () => database.start();
  }),
  'database fails over': withDatabase((cluster, { strength }) => {
    cluster.lost(cluster.database.failOver(strength ** 2 * LONGEST_LAG_MS));
    return () => cluster.database.start();
  }),
  'replica cut off': withDatabase(({ database }, { strength }) => {
    database.holdReplica();
    return () => {
      if (strength > 0.5) database.endWaitingSessions();
      database.releaseReplica();
    };
  }),
};
