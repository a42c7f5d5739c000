import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { FuzzRequest } from './requests.js';
import type { World } from './world.js';

const notebook = readFileSync('sandbox/demo/library.md', 'utf8');
const PIECES = [
  ...['(', ')', '[', ']', '"', "'", '"""\n', '\n', ',', ':', '@(', '&', '#', '=', '-', '<!--', '-->', '```', '```stack\n', '~~~', '\\'],
  ...[
    'card ',
    ' do\n',
    'end\n',
    'if ',
    'else',
    'when ',
    'then(',
    'then: ',
    'text(',
    'buttons(',
    'trigger(',
    '&1',
    '\r\n',
    '\ufeff',
    '🌙',
    '\0',
  ],
] as const;
/** Nesting, open ends and long lines, each repeated. */
const floods = fc
  .tuple(fc.constantFrom(...PIECES, 'a', '(a', 'if a do ', 'card A do\n', ' and x', '"@(", '), fc.integer({ min: 1, max: 200_000 }))
  .map(([piece, times]) => `card A do\n  x = ${piece.repeat(Math.min(times, Math.floor(2_000_000 / piece.length)))}`);
const edits = fc
  .array(fc.record({ at: fc.nat(notebook.length), remove: fc.nat(40), insert: fc.constantFrom(...PIECES, '') }), { maxLength: 8 })
  .map((changes) => changes.reduce((text, { at, remove, insert }) => text.slice(0, at) + insert + text.slice(at + remove), notebook));

/** Requests with edited notebooks, as text and in JSON: new drafts, publications and completions. */
export function notebooks({ known, tokens, adminKey }: World): fc.Arbitrary<FuzzRequest> {
  const text = fc.oneof({ weight: 6, arbitrary: edits }, { weight: 1, arbitrary: floods });
  const [number = ''] = known('number');
  return fc.tuple(text, fc.uuid(), fc.nat(4), fc.nat(notebook.length)).map(([payload, uuid, way, offset]): FuzzRequest => {
    const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'text/markdown' };
    const json = { ...headers, 'content-type': 'application/json' };
    const path = `/admin/v1/journeys/${uuid}`;
    if (way === 0) return { method: 'PUT', url: `${path}?number=${number}`, headers, payload };
    if (way === 1) return { method: 'PUT', url: `${path}/notebook?number=${number}&revision=staging`, headers, payload };
    if (way === 2) return { method: 'PUT', url: path, headers: json, payload: JSON.stringify({ number, name: 'Fuzz', notebook: payload }) };
    if (way === 3)
      return {
        method: 'POST',
        url: '/admin/v1/notebooks/completions',
        headers: json,
        payload: JSON.stringify({ notebook: payload, offset }),
      };
    const stack = { name: 'Fuzz', notebook: payload, publish_latest_changes: true };
    return {
      method: 'POST',
      url: '/v1/stacks',
      headers: { ...json, authorization: `Bearer ${tokens.network}` },
      payload: JSON.stringify(stack),
    };
  });
}
