import { adminGet } from '../client/admin-client.js';
import { findRunFile } from '../client/run-file.js';
import { type CallShown, callLines, callRow, shortCallId } from '../reports/call-report.js';
import { numeric, readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { painter } from '../terminal/painter.js';
import { printTable } from '../terminal/table.js';
import { exit } from '../terminal/terminal.js';
import { type Command, NoSandbox } from './command.js';

const DEFAULT_LIMIT = 20;

const flags = {
  refused: toggle('only calls with an error status'),
  number: text('UUID', 'only calls of this number'),
  limit: numeric('N', `maximum number of calls (default ${DEFAULT_LIMIT})`, { from: 1, to: 500, integer: true }),
  long: toggle('print headers and bodies too'),
  json: toggle('print the response as one line of JSON'),
};

export const calls: Command = {
  summary: 'lists the newest calls of the API, also those that were refused',
  usage: 'calls [ID] [flags]',
  examples: ['calls --refused', 'calls --limit 5 --long'],
  notes: [
    'With the ID of a call (the X-Request-Id of its response) or its last part, as listed, prints that call with',
    'its headers and bodies. Calls are kept in memory: the newest 500, up to 16 MiB. Credentials are masked.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const [id, ...others] = positionals;
    if (others.length > 0) throw new UsageError(`calls takes one id, so '${others[0]}' is too many`);
    const run = findRunFile(terminal.cwd);
    if (!run) throw new NoSandbox();
    const query = new URLSearchParams({ limit: String(id === undefined ? (values.limit ?? DEFAULT_LIMIT) : 500) });
    if (values.refused) query.set('refused', 'true');
    if (values.number !== undefined) query.set('number', values.number);
    const response = (await adminGet(run, `/calls?${query}`)) as { calls: CallShown[] };
    const found = response.calls.filter((call) => id === undefined || call.id === id || shortCallId(call.id) === id);
    if (id !== undefined && found.length === 0) throw new UsageError(`call ${id} not found; only the newest calls are kept`);
    if (values.json) terminal.out(JSON.stringify({ v: 1, calls: found }));
    else if (found.length === 0) terminal.err('No calls.');
    else if (values.long || id !== undefined) {
      for (const line of found.flatMap((call) => callLines(call, painter(terminal.isColoured)))) terminal.out(line);
    } else {
      printTable(
        found.map((call) => callRow(call, run)),
        terminal,
      );
    }
    return exit.ok;
  },
};
