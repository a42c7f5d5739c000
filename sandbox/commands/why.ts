import { adminGet, SandboxRefused } from '../client/admin-client.js';
import { clockView } from '../client/clock.js';
import { findRunFile, type RunFile } from '../client/run-file.js';
import { type AskedMessage, type Chain, chainLines } from '../reports/why-report.js';
import { dateTime, readFlags, toggle, UsageError } from '../terminal/flags.js';
import { exit } from '../terminal/terminal.js';
import { type Command, NoSandbox } from './command.js';

const RECENT_MS = 5 * 60_000;

const flags = {
  since: dateTime('only calls and messages since this time (default: the last five minutes)'),
  json: toggle('print the response as one line of JSON'),
};

export const why: Command = {
  summary: 'explains why nothing happened: each step of a message, and the first broken one',
  usage: 'why [MESSAGE|CONTACT] [flags]',
  examples: ['why', 'why +27611111111 --since 2027-03-01'],
  notes: [
    'MESSAGE is a uuid, or the id of the network or connector. CONTACT is a uuid, id or address, and means',
    'its newest message. Without either, the newest message and the calls refused since the time.',
    'Exit codes: 0 every step happened or waits, 1 a step is broken, 2 wrong usage, 3 no sandbox.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const [id, ...others] = positionals;
    if (others.length > 0) throw new UsageError(`why takes one message or contact, so '${others[0]}' is too many`);
    const run = findRunFile(terminal.cwd);
    if (!run) throw new NoSandbox();
    const chain = await (id === undefined ? ask(run, { since: values.since ?? (await recently(run)) }) : chainOf(run, id, values.since));
    if (values.json) terminal.out(JSON.stringify({ v: 1, ...chain }));
    else for (const line of chainLines(chain, await messageOf(run, chain), terminal.isColoured)) terminal.out(line);
    return chain.links.some(({ state }) => state === 'broken') ? exit.failed : exit.ok;
  },
};

/** The message of a chain; undefined for a chain without one, and on a platform without the plugin of messages. */
async function messageOf(run: RunFile, { about: { message } }: Chain): Promise<AskedMessage | undefined> {
  if (message === null) return undefined;
  const shown = adminGet(run, `/messages/${message}`) as Promise<{ message: AskedMessage }>;
  return shown.then(
    (found) => found.message,
    (error: unknown) => {
      if (error instanceof SandboxRefused && error.status === 404) return undefined;
      throw error;
    },
  );
}

/** Five minutes ago, by the clock of the sandbox. */
const recently = async (run: RunFile): Promise<string> => new Date(Date.parse((await clockView(run, 1)).now) - RECENT_MS).toISOString();

const ask = async (run: RunFile, query: Record<string, string>): Promise<Chain> =>
  (await adminGet(run, `/why?${new URLSearchParams(query)}`)) as Chain;

/** A message with this id, or else a contact. Only contacts have several messages, of which `since` selects. */
async function chainOf(run: RunFile, id: string, since: string | undefined): Promise<Chain> {
  const ofContact = { contact: id, ...(since !== undefined && { since }) };
  const isNotFound = (error: unknown): boolean => error instanceof SandboxRefused && error.status === 404;
  try {
    return await (since === undefined
      ? ask(run, { message: id }).catch((error: unknown) => {
          if (isNotFound(error)) return ask(run, ofContact);
          throw error;
        })
      : ask(run, ofContact));
  } catch (error) {
    if (isNotFound(error)) throw new UsageError(`${since === undefined ? 'message or contact' : 'contact'} ${id} not found`);
    throw error;
  }
}
