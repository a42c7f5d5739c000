import { adminSend, SandboxRefused } from '../client/admin-client.js';
import { type KeptAdvice, listAdvice } from '../client/advice.js';
import { findRunFile } from '../client/run-file.js';
import { printAdvice } from '../reports/advice-report.js';
import { readFlags, toggle, UsageError } from '../terminal/flags.js';
import { painter } from '../terminal/painter.js';
import { exit } from '../terminal/terminal.js';
import { type Command, NoSandbox } from './command.js';

const flags = { json: toggle('print the result as one line of JSON') };

export const advice: Command = {
  summary: 'lists probable mistakes and their fixes',
  usage: 'advice [list] | dismiss ID',
  examples: ['advice', 'advice dismiss ID'],
  notes: ['Advice is kept until its cause is fixed or it is dismissed. It is issued again if the cause recurs.'],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const [verb = 'list', id, ...more] = positionals;
    const isDismissal = verb === 'dismiss';
    if (!isDismissal && verb !== 'list' && verb !== 'ls') throw new UsageError(`advice takes list, dismiss, not '${verb}'`);
    if (isDismissal ? id === undefined || more.length > 0 : id !== undefined)
      throw new UsageError(isDismissal ? 'advice dismiss takes one id; to list them: npx posthorn advice' : 'advice list takes flags only');
    const run = findRunFile(terminal.cwd);
    if (!run) throw new NoSandbox();
    if (isDismissal) {
      const dismissed = (await adminSend(run, 'DELETE', `/advice/${encodeURIComponent(id!)}`).catch((error: unknown) => {
        throw error instanceof SandboxRefused && error.status === 404 ? new UsageError(`advice ${id} not found`) : error;
      })) as { advice: KeptAdvice };
      terminal.out(values.json ? JSON.stringify({ v: 1, ...dismissed }) : `Dismissed ${dismissed.advice.id}.`);
      return exit.ok;
    }
    const kept = await listAdvice(run);
    if (values.json) terminal.out(JSON.stringify({ v: 1, advice: kept }));
    else if (kept.length === 0) terminal.err('No advice.');
    const paint = painter(terminal.isColoured);
    for (const one of values.json ? [] : kept) {
      terminal.out(`${paint('dim', one.at)} ${paint('dim', one.id)}`);
      printAdvice(one, terminal);
    }
    return exit.ok;
  },
};
