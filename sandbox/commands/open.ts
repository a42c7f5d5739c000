import { SandboxRefused } from '../client/admin-client.js';
import { signInUrl } from '../client/console.js';
import { requireRun } from '../client/run-file.js';
import { readFlags, toggle, UsageError } from '../terminal/flags.js';
import { openInBrowser } from '../terminal/open-in-browser.js';
import { exit } from '../terminal/terminal.js';
import type { Command } from './command.js';

const flags = { json: toggle('print the URL as one line of JSON, and open no browser') };

export const open: Command = {
  summary: 'opens the console in a browser that is signed in',
  usage: 'open [flags]',
  examples: ['open', 'open --json'],
  notes: [
    'The printed URL works once, within 10 minutes.',
    'Exit codes: 0 opened, 1 the platform has no console, 2 wrong usage, 3 no sandbox.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    if (positionals.length > 0) throw new UsageError(`open takes flags only, not '${positionals[0]}'`);
    const url = await signInUrl(requireRun(terminal.cwd)).catch((error: unknown) => {
      if (!(error instanceof SandboxRefused) || error.status !== 404) throw error;
      throw new Error('this platform has no console; a sandbox started with --no-console does not serve it');
    });
    if (values.json) terminal.out(JSON.stringify({ v: 1, url }));
    else openInBrowser(url, terminal);
    return exit.ok;
  },
};
