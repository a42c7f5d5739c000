import { setTimeout as sleep } from 'node:timers/promises';
import { openEvents, SandboxUnreachable, type StreamEvent } from '../admin-client.js';
import { isOn, readFlags, text } from '../flags.js';
import { type Paint, painter } from '../painter.js';
import { findRunFile } from '../run-file.js';
import { summaryOf } from '../summary.js';
import { type Command, exit, NoSandbox } from './command.js';

const flags = {
  after: text('ID', 'begin after the event with this id, as --json shows it'),
  json: isOn('print every event as one line of JSON'),
};

const RECONNECT_MS = 500;
const RECONNECTS = 10;

export const tail: Command = {
  summary: 'shows everything that happens in the sandbox, until it stops',
  usage: 'tail [NAME...] [flags]',
  notes: ['With names only events whose name begins so: posthorn tail delivery journey.turn_taken'],
  flags,
  async run(argv, terminal) {
    const { values, words } = readFlags(argv, flags);
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
    const paint = painter(terminal.isColoured);
    const isWanted = ({ name }: StreamEvent): boolean =>
      name === 'gap' || words.length === 0 || words.some((word) => name.startsWith(word));

    let after = values.after;
    let isConnected = false;
    for (let failures = 0; !stop.signal.aborted; ) {
      // Looked up each time: a sandbox that was started again may be elsewhere.
      const run = findRunFile(terminal.cwd);
      if (!run && !isConnected) throw new NoSandbox();
      if (!run) {
        terminal.err('The sandbox has stopped.');
        return exit.ok;
      }
      try {
        const events = await openEvents(run, { after, signal: stop.signal });
        if (!isConnected && !values.json) terminal.err(paint('dim', `Following ${run.api} until Ctrl-C.`));
        isConnected = true;
        failures = 0;
        for await (const event of events) {
          if (event.id !== '') after = event.id;
          if (isWanted(event)) terminal.out(values.json ? JSON.stringify(event) : lineOf(event, paint));
        }
      } catch (error) {
        if (stop.signal.aborted) break;
        // A refusal will be one next time; a sandbox that does not answer may be ending.
        if (!isConnected || !(error instanceof SandboxUnreachable) || ++failures === RECONNECTS) throw error;
      }
      await sleep(RECONNECT_MS, undefined, { signal: stop.signal }).catch(() => undefined);
    }
    return exit.ok;
  },
};

const lineOf = (event: StreamEvent, paint: Paint): string =>
  `${paint('dim', event.at.slice(11))} ${paint('cyan', event.name.padEnd(23))} ${summaryOf(event)}`;
