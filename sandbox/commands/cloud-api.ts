import { once } from 'node:events';
import { CommandFailed } from '../terminal/command-failed.js';
import { numeric, readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { painter } from '../terminal/painter.js';
import { exit } from '../terminal/terminal.js';
import type { Command } from './command.js';

const DEFAULT_PORT = 4020;

const flags = {
  port: numeric('N', `port on 127.0.0.1; 0 selects a free one (default ${DEFAULT_PORT})`, { from: 0, to: 65_535, integer: true }),
  callback: text('URL', 'subscribe this webhook'),
  json: toggle('print one line of JSON'),
};

const cloudApi: Command = {
  summary: 'plays the WhatsApp Business Cloud API on this machine',
  usage: 'cloud-api stand-in [flags]',
  examples: ['cloud-api stand-in --port 4200'],
  notes: [
    'Point the plugin cloud-api at it with graphUrl, or any other client of the Cloud API. Nothing leaves this machine.',
    'Its routes below /control let contacts write, report statuses, and set fault rules.',
    'Exit codes: 0 stopped, 1 the webhook did not answer with the challenge, 4 the port is in use.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    if (positionals.join(' ') !== 'stand-in') throw new UsageError('cloud-api takes one verb: npx posthorn cloud-api stand-in');
    const { cloudApiStandIn, controlSummary } = await import('../../plugins/cloud-api/testing/index.js');
    const port = values.port ?? DEFAULT_PORT;
    const standIn = await cloudApiStandIn({ port, switches: { closedWindow: 'open', approvesTemplates: true } }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE') throw error;
        throw new CommandFailed(`port ${port} is in use`, {
          code: 'in_use',
          next: 'npx posthorn cloud-api stand-in --port 0',
          exit: exit.inUse,
        });
      },
    );
    const { url, accessToken, appSecret, verifyToken, numbers } = standIn;
    try {
      if (values.callback !== undefined && !(await standIn.subscribe(values.callback)))
        throw new CommandFailed(`${values.callback} did not answer with the challenge`);
      const paint = painter(terminal.isColoured);
      const [{ address, phoneNumberId, wabaId }] = numbers as [(typeof numbers)[number]];
      if (values.json) terminal.out(JSON.stringify({ v: 1, url, accessToken, appSecret, verifyToken, numbers }));
      else {
        for (const line of [
          `${paint('bold', url)}  plays the Cloud API until Ctrl-C`,
          `  number ${address}  phoneNumberId ${phoneNumberId}  wabaId ${wabaId}`,
          `  accessToken ${accessToken}  appSecret ${appSecret}  verifyToken ${verifyToken}`,
          ...controlSummary.map((line) => paint('dim', `  ${line}`)),
        ])
          terminal.out(line);
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

// Commands are found by the names of their files.
export { cloudApi as 'cloud-api' };
