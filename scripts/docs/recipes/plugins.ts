import { readFileSync } from 'node:fs';
import * as core from '#core';
import { type Answer, startPlatform, type Tap } from '#core/testing';
import { renewals } from '../../../sandbox/recipes/renewals.js';
import { sourcesIn } from '../../check-imports.js';
import { code, table } from '../table.js';

/** Runs the plugin of the recipe, and prints the response for each error that it throws. */
export async function thrownTable(): Promise<string> {
  const source = readFileSync('sandbox/recipes/renewals.ts', 'utf8');
  const thrown = [...source.matchAll(/if \(book === '(\w+)'\) throw (new .*);/g)];
  const ends: (() => unknown)[] = [];
  const t = { teardown: (run: () => unknown) => ends.push(run) } as unknown as Tap;
  const { call, number } = await startPlatform(t, { plugins: [renewals()] });
  try {
    const { token } = await number('network');
    const rows: string[][] = [];
    for (const [, book, expression] of thrown) {
      const { status, body, headers }: Answer = await call('POST', `/v1/renewals/${book}`, { token });
      const retry = headers['retry-after'] === undefined ? '' : `, \`Retry-After: ${headers['retry-after']}\``;
      rows.push([code(expression!), `${status}${retry}`, code(JSON.stringify(body).replace(/request [^"]*/, 'request …'))]);
    }
    return table(['Thrown', 'Status', 'Body'], rows);
  } finally {
    for (const end of ends) await end();
  }
}

/** Every event that code imports from `posthorn`, with the type of its payload. */
export function eventTypeTable(): string {
  const names = new Set(Object.keys(core));
  const declared = sourcesIn(process.cwd())
    .filter(({ path }) => path.startsWith('core/'))
    .flatMap(({ text }) => [...text.matchAll(/^export const (\w+) = event<([\s\S]*?)>\(\s*'([^']+)',\s*'([^']+)'/gm)])
    .filter(([, name]) => names.has(name!))
    .map(([, name, type, event, description]) => [code(name!), code(event!), code(type!.replaceAll(/\s+/g, ' ')), description!]);
  return table(
    ['Import', 'Event', 'Payload', 'What happened'],
    declared.sort(([a], [b]) => (a! < b! ? -1 : 1)),
  );
}
