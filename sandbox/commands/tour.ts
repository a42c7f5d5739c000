import { createInterface } from 'node:readline';
import { isInCi } from '../terminal/ci.js';
import { readFlags, toggle, UsageError } from '../terminal/flags.js';
import { exit } from '../terminal/terminal.js';
import type { Command } from './command.js';

const flags = { json: toggle('print the titles of the steps as one line of JSON, and start nothing') };

export const tour: Command = {
  summary: 'shows the sandbox in eight steps, in about five minutes',
  usage: 'tour [flags]',
  examples: ['tour'],
  notes: [
    'The tour starts a sandbox of its own in memory. Each step waits until it has really happened: do it in a',
    'second terminal in this folder, or press Enter and the tour does it. At the end, and on Ctrl-C, the tour',
    'stops its sandbox and removes the folder posthorn-tour, so that nothing is left.',
    'Exit codes: 0 completed, 1 a step failed, 2 wrong usage or no terminal, 130 ended with Ctrl-C.',
  ],
  flags,
  async run(argv, terminal, commands = {}) {
    const { values, positionals } = readFlags(argv, flags);
    if (positionals.length > 0) throw new UsageError(`tour takes flags only, not '${positionals[0]}'`);
    if (values.json) {
      const { steps } = await import('../tour/steps.js');
      terminal.out(JSON.stringify({ v: 1, steps: steps.map(({ title }) => title) }));
      return exit.ok;
    }
    if (process.stdin.isTTY !== true || process.stdout.isTTY !== true || isInCi())
      throw new UsageError('the tour needs a terminal and a person; in a script: npx posthorn exec -- COMMAND');
    const { runTour } = await import('../tour/tour.js');
    const stop = new AbortController();
    const lines = createInterface({ input: process.stdin });
    const abort = (): void => stop.abort();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, abort);
    lines.on('close', abort);
    const enter = (signal: AbortSignal): Promise<void> =>
      new Promise((resolve, reject) => {
        const end = (): void => reject(signal.reason);
        if (signal.aborted) return end();
        const press = (): void => {
          signal.removeEventListener('abort', end);
          resolve();
        };
        lines.once('line', press);
        signal.addEventListener('abort', () => lines.off('line', press), { once: true });
        signal.addEventListener('abort', end, { once: true });
      });
    try {
      return await runTour({ terminal, commands, input: { enter }, signal: stop.signal });
    } finally {
      lines.off('close', abort);
      lines.close();
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, abort);
    }
  },
};
