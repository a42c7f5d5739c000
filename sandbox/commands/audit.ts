import { adminGet } from '../client/admin-client.js';
import { findRunFile } from '../client/run-file.js';
import { readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { painter } from '../terminal/painter.js';
import { exit } from '../terminal/terminal.js';
import { type Command, NoSandbox } from './command.js';

const flags = {
  operator: text('ID', 'only what this operator has done'),
  action: text('PERMISSION', 'only calls with this permission, such as webhooks.write'),
  target: text('ID', 'only calls with this id in their path'),
  since: text('TIME', 'only from this time on (ISO 8601)'),
  all: toggle('every record, and not only the newest 100'),
  json: toggle('print each record as one line of JSON, for an export'),
};

interface AuditRecord {
  readonly id: string;
  readonly at: string;
  readonly operator: { readonly id: string };
  readonly call: string;
  readonly params: Readonly<Record<string, string>>;
  readonly status: number;
  readonly changes: readonly Change[];
}

interface Change {
  readonly records: string;
  readonly what: string;
  readonly count: number;
  readonly fields?: readonly { readonly field: string; readonly before?: unknown; readonly after?: unknown }[];
}

const PAGE = 1_000;

export const audit: Command = {
  summary: 'lists what operators have changed and read',
  usage: 'audit [flags]',
  examples: ['audit', 'audit --action contacts.erase', 'audit --all --json > audit.jsonl'],
  notes: ['The newest records come first. The platform deletes them by their age only, see its option audit.'],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    if (positionals.length > 0) throw new UsageError('audit takes flags only');
    const run = findRunFile(terminal.cwd);
    if (!run) throw new NoSandbox();
    const { all, json, ...filters } = values;
    const paint = painter(terminal.isColoured);
    for (let before: string | undefined; ; ) {
      const given = Object.entries({ ...filters, before, limit: String(all ? PAGE : 100) }).filter(([, value]) => value !== undefined);
      const { records } = (await adminGet(run, `/audit?${new URLSearchParams(given as [string, string][])}`)) as {
        records: readonly AuditRecord[];
      };
      for (const record of records) {
        if (json) {
          terminal.out(JSON.stringify({ v: 1, ...record }));
          continue;
        }
        const { at, operator, call, params, status, changes } = record;
        terminal.out(
          `${paint('dim', at)} ${operator.id}  ${call.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? name)}  ${status}`,
        );
        for (const change of changes) terminal.out(`    ${textOf(change)}`);
      }
      if (!all || records.length < PAGE) return exit.ok;
      before = records.at(-1)!.id;
    }
  },
};

function textOf({ records, what, count, fields = [] }: Change): string {
  const values = fields.map(({ field, before, after }) => `${field}: ${JSON.stringify(before) ?? '-'} -> ${JSON.stringify(after) ?? '-'}`);
  return [`${count} ${records} ${what}`, ...values].join(', ');
}
