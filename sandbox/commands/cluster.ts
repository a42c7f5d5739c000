import type { ClusterView } from '../../plugins/cluster/postgres/index.js';
import { adminGet, adminSend, SandboxRefused } from '../client/admin-client.js';
import { findRunFile, type RunFile } from '../client/run-file.js';
import { type Loss, printCluster, printLosses } from '../reports/cluster-report.js';
import { readFlags, toggle, UsageError } from '../terminal/flags.js';
import { exit } from '../terminal/terminal.js';
import { type Command, NoSandbox } from './command.js';

const flags = {
  back: toggle('drain: let the process have shards again'),
  json: toggle('print the result as one line of JSON'),
};

interface Shown {
  readonly cluster: ClusterView;
}

const NOT_FOUND = 404;
const LOSSES = '/store/losses';
const VERBS = ['status', 'move', 'drain', 'losses', 'confirm'];

export const cluster: Command = {
  summary: 'shows the processes of a cluster, and moves shards between them',
  usage: 'cluster [status] | move SHARD [PROCESS] | drain PROCESS | losses | confirm LOSS [flags]',
  examples: [
    'cluster',
    'cluster move shard-1 http://10.0.0.3:8080',
    'cluster drain http://10.0.0.3:8080',
    'cluster drain http://10.0.0.3:8080 --back',
    'cluster losses',
  ],
  notes: [
    'PROCESS is the id of a process, the beginning of its id, or its URL, as status prints them. A shard',
    'stays where it was moved; move without PROCESS lets it move by itself again. drain takes all shards',
    'away from a process, for example before an upgrade. The others take over within a second.',
    'losses lists transactions that the database has lost, in a fail-over or because a backup was',
    'restored; confirm says that you have seen one, so that its warning ends.',
    'Set POSTHORN_URL and POSTHORN_ADMIN_KEY to the URL of any process and the admin key.',
    'Exit codes: 0 done, 1 refused, 2 wrong usage or not found, 3 no platform.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const [verb = 'status', ...names] = positionals;
    checkUsage(verb, names, values.back ?? false);
    const run = findRunFile(terminal.cwd);
    if (!run) throw new NoSandbox();
    if (verb === 'losses' || verb === 'confirm') {
      const response =
        verb === 'losses'
          ? adminGet(run, LOSSES)
          : adminSend(run, 'PATCH', `${LOSSES}/${encodeURIComponent(names[0]!)}`, { confirmed: true });
      const { losses } = await found<{ losses: readonly Loss[] }>(response, `loss ${names[0]} not found`);
      if (values.json) terminal.out(JSON.stringify({ v: 1, losses }));
      else printLosses(losses, terminal);
      return exit.ok;
    }
    const before = await found(adminGet(run, '/cluster'), `${run.api} is not a process of a cluster`);
    const shown = verb === 'status' ? before : await change(run, before.cluster, verb, names, values.back ?? false);
    if (values.json) terminal.out(JSON.stringify({ v: 1, ...shown }));
    else printCluster(shown.cluster, terminal);
    return exit.ok;
  },
};

function checkUsage(verb: string, names: readonly string[], isBack: boolean): void {
  if (!VERBS.includes(verb)) throw new UsageError(`cluster takes ${VERBS.join(', ')}, not '${verb}'`);
  if ((verb === 'status' || verb === 'losses') && names.length > 0) throw new UsageError(`cluster ${verb} takes flags only`);
  if (verb === 'confirm' && names.length !== 1) throw new UsageError('cluster confirm takes one loss, as cluster losses prints it');
  if (verb === 'move' && (names.length === 0 || names.length > 2))
    throw new UsageError('cluster move takes a shard and a process, for example: npx posthorn cluster move shard-1 http://10.0.0.3:8080');
  if (verb === 'drain' && names.length !== 1)
    throw new UsageError('cluster drain takes one process, for example: npx posthorn cluster drain http://10.0.0.3:8080');
  if (isBack && verb !== 'drain') throw new UsageError('--back belongs to cluster drain');
}

async function change(run: RunFile, view: ClusterView, verb: string, names: readonly string[], isBack: boolean): Promise<Shown> {
  if (verb === 'drain') {
    const payload = { process: processIn(view, names[0]!), draining: !isBack };
    return found(adminSend(run, 'POST', '/cluster/drains', payload), `process ${names[0]} not found`);
  }
  const [shard, name] = names;
  if (!view.shards.some((one) => one.shard === shard)) throw new UsageError(`shard ${shard} not found`);
  const payload = { shard, ...(name !== undefined && { process: processIn(view, name) }) };
  return found(adminSend(run, 'POST', '/cluster/moves', payload), `process ${name} not found`);
}

/** @throws UsageError when no process, or several, have this name */
function processIn({ processes }: ClusterView, name: string): string {
  const url = name.replace(/\/+$/, '');
  const [match, ...others] = processes.filter((one) => one.id.startsWith(name) || one.url === url);
  if (!match) throw new UsageError(`process ${name} not found`);
  if (others.length > 0) throw new UsageError(`several processes have ids that begin with ${name}`);
  return match.id;
}

/** @throws UsageError with this message for a 404 */
async function found<T = Shown>(response: Promise<unknown>, message: string): Promise<T> {
  try {
    return (await response) as T;
  } catch (error) {
    throw error instanceof SandboxRefused && error.status === NOT_FOUND ? new UsageError(message) : error;
  }
}
