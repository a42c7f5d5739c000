import { once } from 'node:events';
import type { Command } from '../commands/command.js';
import { CommandFailed } from './command-failed.js';
import { type Flag, numeric, readFlags, toggle, UsageError } from './flags.js';
import { painter } from './painter.js';
import { exit } from './terminal.js';

/** A stand-in of a network, which a command plays. */
interface PlayedNetwork {
  readonly url: string;
  stop(): Promise<void>;
}

/** A command that plays a network on a port until it is stopped: `posthorn NAME stand-in`. */
export interface StandInCommand<S extends PlayedNetwork> {
  readonly name: string;
  /** As in "plays the Cloud API". */
  readonly network: string;
  readonly summary: string;
  readonly port: number;
  readonly notes: readonly string[];
  readonly flags?: Readonly<Record<string, Flag<string>>>;
  /** Starts the stand-in, with the values of `flags` and the lines about its control routes. */
  start(
    port: number,
    values: Readonly<Record<string, string | undefined>>,
  ): Promise<{ readonly standIn: S; readonly controlSummary: readonly string[] }>;
  /** Runs after the start, with the values of `flags`. @throws CommandFailed */
  prepare?(standIn: S, values: Readonly<Record<string, string | undefined>>): Promise<void>;
  /** Credentials and ids for `--json`, and the same as lines for people. */
  shown(standIn: S): { readonly json: object; readonly lines: readonly string[] };
}

export function standInCommand<S extends PlayedNetwork>({
  name,
  network,
  summary,
  port: usual,
  notes,
  ...parts
}: StandInCommand<S>): Command {
  const flags = {
    port: numeric('N', `port on 127.0.0.1; 0 selects a free one (default ${usual})`, { from: 0, to: 65_535, integer: true }),
    ...parts.flags,
    json: toggle('print one line of JSON'),
  };
  return {
    summary,
    usage: `${name} stand-in [flags]`,
    examples: [`${name} stand-in --port 4200`],
    notes,
    flags,
    async run(argv, terminal) {
      const { values, positionals } = readFlags(argv, flags);
      if (positionals.join(' ') !== 'stand-in') throw new UsageError(`${name} takes one verb: npx posthorn ${name} stand-in`);
      const port = values.port ?? usual;
      const given = values as Readonly<Record<string, string | undefined>>;
      const { standIn, controlSummary } = await parts.start(port, given).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE') throw error;
        const next = `npx posthorn ${name} stand-in --port 0`;
        throw new CommandFailed(`port ${port} is in use`, { code: 'in_use', next, exit: exit.inUse });
      });
      try {
        await parts.prepare?.(standIn, given);
        const paint = painter(terminal.isColoured);
        const { json, lines } = parts.shown(standIn);
        if (values.json) terminal.out(JSON.stringify({ v: 1, url: standIn.url, ...json }));
        else {
          terminal.out(`${paint('bold', standIn.url)}  plays ${network} until Ctrl-C`);
          for (const line of [...lines, ...controlSummary.map((line) => paint('dim', line))]) terminal.out(`  ${line}`);
        }
        const stopping = new AbortController();
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
        await once(stopping.signal, 'abort');
        return exit.ok;
      } finally {
        await standIn.stop();
      }
    },
  };
}
