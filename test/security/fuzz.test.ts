import t from 'tap';
import { definePlugin, fields, number, route, text, whole } from '#core';
import { fuzz } from '../../scripts/fuzz/fuzz.js';

t.test('whatever fits or nearly fits the schemas of a route, the answer is declared and no failure of ours', async (t) => {
  const { sent, routes, byStatus, complaints } = await fuzz(t, { requests: 1_500, seed: 20260105, limitMs: 60_000 });
  t.strictSame(complaints, []);
  t.ok(routes > 80, 'every route is asked');
  t.ok(sent >= routes * 5);
  t.ok((byStatus[200] ?? 0) + (byStatus[201] ?? 0) > sent / 5, `enough of them are taken: ${JSON.stringify(byStatus)}`);
  t.ok((byStatus[400] ?? 0) > sent / 20, 'and enough are refused');
});

t.test('a route that fails, answers what it does not declare, or logs a failure is found', async (t) => {
  const planted = definePlugin({
    name: 'planted',
    version: '1.0.0',
    register: ({ log }) => ({
      routes: [
        route({
          method: 'POST',
          path: '/v1/planted/{what}',
          summary: 'Goes wrong for some.',
          request: { params: fields({ what: text() }), payload: fields({ count: whole().min(0).max(9) }, { part: number() }) },
          responses: { 200: fields({ count: whole().max(8) }) },
          handler({ payload: { count, part } }) {
            if (count === 7) throw new Error('seven');
            if (part === 0) log.error('a part of nothing');
            return { count };
          },
        }),
      ],
    }),
  });
  const { complaints } = await fuzz(t, { requests: 4_000, seed: 1, limitMs: 60_000, also: [planted()] });
  const about = (what: RegExp): boolean => complaints.some((complaint) => what.test(complaint));
  t.ok(about(/status 500: .*internal/i) || about(/status 500: .*Something went wrong/), 'what is thrown');
  t.ok(about(/undeclared/), 'what is not declared');
  t.ok(complaints.every((complaint) => /planted|a part of nothing|seven|not as its route declares|a request failed/.test(complaint)));
});
