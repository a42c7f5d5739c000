// Bench: first results
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messages } from '../../core/messaging/message.js';
import { textOf } from '../../core/messaging/message.js';
import { settledDeliveries } from '../../core/delivery/settled-delivery.js';
import { openPlatform } from './history/platform.js';
const fold = (text: string): string => /^[\x00-\x7f]*$/.test(text) ? text.toLowerCase() : text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
const root = mkdtempSync(join(tmpdir(), 'posthorn-bench-'));
try {
  const N = 100000;
  execFileSync(process.execPath, ['--max-old-space-size=4000', join(import.meta.dirname, 'history', 'generate.js'), join(root, 'a'), String(N), String(N / 20)]);
  const opened = await openPlatform(join(root, 'a'));
  const { number } = await opened.create();
  const store = opened.platform.store;
  // cold walk through the index age
  for (const round of [1, 2]) {
    let before: string[] | undefined; let seen = 0; const t0 = performance.now(); let longest = 0;
    const texts: string[] = []; const ids: string[] = [];
    for (;;) {
      const s = performance.now();
      const page = await store.open(messages).find('age', { equals: [number.uuid], order: 'descending', limit: 100, ...(before && { before }) });
      for (const one of page) { seen++; ids.push(one.uuid); texts.push(fold(textOf(one as never))); }
      longest = Math.max(longest, performance.now() - s);
      if (page.length < 100 || performance.now() - t0 > 15000) break;
      before = [page.at(-1)!.recorded_at, page.at(-1)!.uuid];
    }
    const ms = performance.now() - t0;
    console.log('cold age walk', round, seen, ms.toFixed(0), 'ms', (ms / seen * 1000).toFixed(1), 'us each, longest', longest.toFixed(1));
    const t1 = performance.now();
    let hits = 0;
    for (const t of texts) if (t.includes('zebra')) hits++;
    console.log('column includes', (performance.now() - t1).toFixed(2), 'ms for', texts.length, hits);
  }
  {
    let after = ''; let seen = 0; const t0 = performance.now();
    for (;;) {
      const page = await store.open(messages).list({ after, limit: 500 });
      seen += page.length;
      if (page.length < 500 || performance.now() - t0 > 15000) break;
      after = page.at(-1)!.uuid;
    }
    const ms = performance.now() - t0;
    console.log('cold key list', seen, ms.toFixed(0), 'ms', (ms / seen * 1000).toFixed(1), 'us each');
  }
  {
    let before: number[] | undefined; let seen = 0; const t0 = performance.now();
    for (;;) {
      const page = await store.open(settledDeliveries).find('all', { order: 'descending', limit: 100, ...(before && { before }) });
      seen += page.length;
      if (page.length < 100 || performance.now() - t0 > 15000) break;
      before = [page.at(-1)!.seq];
    }
    const ms = performance.now() - t0;
    console.log('cold deliveries', seen, ms.toFixed(0), 'ms', (ms / seen * 1000).toFixed(1), 'us each');
  }
  // hot
  const inbound = (await store.open(messages).list({ limit: 1 }))[0]!;
  const hot = await openPlatform(join(root, 'b'));
  const created = await hot.create();
  await hot.receive(created.number, { id: 'x', from: 'y', text: 'hello there' });
  const at0 = Date.UTC(2025, 0, 1);
  for (let n = 0; n < N; n += 500) await hot.platform.store.transaction((tx) => {
    for (let i = n; i < n + 500; i++) tx.in(messages).put({ ...inbound, uuid: crypto.randomUUID(), external_id: String(i), number: created.number.uuid, recorded_at: new Date(at0 + i * 1000).toISOString(), position: i } as never);
  });
  let before: string[] | undefined; let seen = 0; const t0 = performance.now();
  for (;;) {
    const page = await hot.platform.store.open(messages).find('age', { equals: [created.number.uuid], order: 'descending', limit: 100, ...(before && { before }) });
    seen += page.length;
    if (page.length < 100) break;
    before = [page.at(-1)!.recorded_at, page.at(-1)!.uuid];
  }
  const ms = performance.now() - t0;
  console.log('hot age walk', seen, ms.toFixed(0), 'ms', (ms / seen * 1000).toFixed(1), 'us each');
  // inbound with a listener that keeps the text
  const rows: unknown[] = [];
  let spent = 0;
  const long = 'Thank you for your message, we are going to look at your order 4711 Ünd will answer soon';
  for (let n = 0; n < 3; n++) {
    const s = performance.now();
    for (let i = 0; i < 100000; i++) rows.push({ uuid: inbound.uuid + i, text: fold(textOf({ type: 'text', content: { text: { body: long + i } } } as never)) });
    spent = performance.now() - s; rows.length = 0;
  }
  console.log('keep text', (spent / 100).toFixed(2), 'us each');
} finally {
  rmSync(root, { recursive: true });
}
process.exit();
