// Bench: an encrypted data folder beside a plain one: durable inbound messages, start, merge, and the conversion
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Encryption } from '../../core/adapters/encryption/file-cipher.js';
import { openPlatform } from './history/platform.js';
import { alternate, inParallel, ratioOf, type Side, type Spread, spreadOf } from './measuring/rounds.js';
import { printTable } from './measuring/table.js';
import { bytesOf, openJsonStore, recordOf } from './store/engines.js';

const ROUNDS = 7;
const MESSAGES = 1_500;
const CALLERS = [1, 16, 64];
const RECORDS = 100_000;
const TEXT = 'One of the messages that a clinic receives. '.repeat(12).slice(0, 550);
const root = mkdtempSync(join(tmpdir(), 'posthorn-bench-'));

/** A platform that receives messages; each is durable before its response. */
async function inbound(name: 'encrypted' | 'plain', callers: number): Promise<Side<number>> {
  const { platform, create, receive } = await openPlatform(
    join(root, `${name}-${callers}`),
    name === 'encrypted' ? { encryptData: true } : {},
  );
  const { number } = await create();
  let received = 0;
  return {
    name,
    async round() {
      const [began, first] = [performance.now(), received];
      received += MESSAGES;
      await inParallel(MESSAGES, callers, (n) => receive(number, { id: `in-${first + n}`, from: `web-${n % 300}`, text: TEXT }));
      return MESSAGES / ((performance.now() - began) / 1_000);
    },
    stop: () => platform.stop(),
  };
}

const keys = [Buffer.alloc(32, 7)];
const sides: Readonly<Record<'encrypted' | 'plain', Encryption | undefined>> = { encrypted: { keys, isOn: true }, plain: undefined };

/** Milliseconds. */
interface Opened {
  readonly start: number;
  readonly merge: number;
}

/** A store whose start reads all records, and which then merges changes of a tenth of them. */
async function opened(name: 'encrypted' | 'plain'): Promise<Side<Opened>> {
  const folder = join(root, `records-${name}`);
  const open = () => openJsonStore(folder, sides[name]);
  const engine = await open();
  await inParallel(RECORDS, 1_000, (n) => engine.put(recordOf(n)));
  await engine.store.compact();
  await engine.close();
  let version = 0;
  return {
    name,
    async round() {
      const began = performance.now();
      const again = await open();
      const start = performance.now() - began;
      version++;
      await inParallel(RECORDS / 10, 1_000, (n) => again.put(recordOf(n * 10, version)));
      const mergeBegan = performance.now();
      await again.store.compact();
      const merge = performance.now() - mergeBegan;
      await again.close();
      return { start, merge };
    },
    stop: async () => undefined,
  };
}

const rows: string[][] = [];
const shown = ({ median, min, max }: Spread, digits: number): string =>
  `${median.toFixed(digits)} (${min.toFixed(digits)} to ${max.toFixed(digits)})`;
const row = (what: string, encrypted: readonly number[], plain: readonly number[]): void =>
  void rows.push([
    what,
    shown(spreadOf(encrypted), 0),
    shown(spreadOf(plain), 0),
    shown(
      ratioOf(encrypted, plain, (value) => value),
      2,
    ),
  ]);

for (const callers of CALLERS) {
  const rounds = await alternate([await inbound('encrypted', callers), await inbound('plain', callers)], ROUNDS);
  row(`inbound messages a second, ${callers} ${callers === 1 ? 'caller' : 'callers'}`, rounds.get('encrypted')!, rounds.get('plain')!);
}
const stores = await alternate([await opened('encrypted'), await opened('plain')], ROUNDS);
for (const what of ['start', 'merge'] as const) {
  const of = (name: string): number[] => stores.get(name)!.map((round) => round[what]);
  row(
    what === 'start' ? `start with ${RECORDS} records of 1 KB, ms` : `merge of ${RECORDS / 10} of them, ms`,
    of('encrypted'),
    of('plain'),
  );
}
const plain = join(root, 'records-plain');
const mebibytes = bytesOf(plain, '.json') / (1 << 20);
const began = performance.now();
const converted = await openJsonStore(plain, sides.encrypted);
const ms = performance.now() - began;
await converted.close();
printTable([`${MESSAGES} messages of ${TEXT.length} characters, ${ROUNDS} rounds`, 'encrypted', 'plain', 'ratio'], rows);
console.log(`the first start with the encryption of ${mebibytes.toFixed(0)} MiB: ${ms.toFixed(0)} ms`);
rmSync(root, { recursive: true });
