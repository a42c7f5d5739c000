import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readFlags, text, toggle, UsageError } from '../terminal/flags.js';
import { exit } from '../terminal/terminal.js';
import type { Command } from './command.js';

const flags = {
  admin: toggle('describe the admin API instead'),
  json: toggle('print it as one line of JSON'),
  out: text('FILE', 'write to this file (default: standard output)'),
  url: text('URL', 'the base URL of the API (default http://127.0.0.1:4100)'),
};

export const openapi: Command = {
  summary: 'prints the OpenAPI 3.1 description of the API',
  usage: 'openapi [flags]',
  examples: ['openapi', 'openapi --admin --out admin.json'],
  notes: [
    'A running platform serves this description at /openapi.json, and the description of its',
    'admin API at /admin/v1/openapi.json.',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    if (positionals.length > 0) throw new UsageError(`openapi takes flags only, not '${positionals[0]}'`);
    const { admin = false, json, out, url = 'http://127.0.0.1:4100' } = values;
    if (!/^https?:\/\/[^/]/.test(url)) throw new UsageError(`--url takes an http or https URL, not '${url}'`);
    const [{ createPlatform }, { everyPlugin }] = await Promise.all([import('#core'), import('../server/every-plugin.js')]);
    const platform = createPlatform({ plugins: everyPlugin(), publicUrl: url, admin: { key: 'put-together-and-never-called' } });
    const document = JSON.stringify(await platform.openApi(admin ? 'admin' : 'api'), null, json ? undefined : 2);
    if (out === undefined) {
      terminal.out(document);
      return exit.ok;
    }
    try {
      writeFileSync(resolve(terminal.cwd, out), `${document}\n`);
    } catch (error) {
      throw new UsageError(`--out: ${out} cannot be written: ${error instanceof Error ? error.message : error}`);
    }
    return exit.ok;
  },
};
