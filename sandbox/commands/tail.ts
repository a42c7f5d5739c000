import { openEvents, SandboxUnreachable, type StreamEvent } from '../admin-client.js';
import { painter } from '../banner.js';
import { flagsOf } from '../config.js';
import { findRunFile } from '../run-file.js';
import { summaryOf } from '../summary.js';
import { type Command, exit, notRunning } from './command.js';

const flags = {
  json: { type: 'boolean', help: 'print every event as one line of JSON' },
  after: { type: 'string', help: 'begin after the event with this id' },
} as const;

const RECONNECT_MS = 500;

export const tail: Command = {
  summary: 'follows everything that happens in the running sandbox',
  usage: 'posthorn tail [NAME...] [flags]     NAME: only events whose name begins so, such as delivery',
  flags,
  async run(argv, terminal) {
    const { values, words } = flagsOf(argv, flags);
    const run = findRunFile(terminal.cwd);
    if (!run) {
      terminal.err(notRunning);
      return exit.notRunning;
    }
    const abort = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => abort.abort());
    const paint = painter(terminal.isColoured);
    const isWanted = ({ name }: StreamEvent): boolean =>
      name === 'gap' || words.length === 0 || words.some((word) => name.startsWith(word));
    const print = (event: StreamEvent): void => {
      if (values.json) terminal.out(JSON.stringify(event));
      else terminal.out(`${paint('dim', event.at.slice(11, 23))} ${paint('cyan', event.name.padEnd(22))} ${summaryOf(event)}`);
    };

    let after = values.after as string | undefined;
    while (!abort.signal.aborted) {
      try {
        for await (const event of await openEvents(run, { after, signal: abort.signal })) {
          if (event.id !== '') after = event.id;
          if (isWanted(event)) print(event);
        }
      } catch (error) {
        if (abort.signal.aborted) break;
        if (error instanceof SandboxUnreachable && !findRunFile(terminal.cwd)) {
          terminal.err('The sandbox has stopped.');
          return exit.notRunning;
        }
      }
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
    }
    return exit.ok;
  },
};
