import fc from 'fast-check';
import t from 'tap';
import { errorCodes, hintCodes } from '../../../../plugins/flows/validate/codes.js';
import { scan } from '../../../../plugins/flows/validate/scan.js';
import { validateFlow } from '../../../../plugins/flows/validate/validate-flow.js';
import { runs } from '../../../forms.js';
import { validFlows } from './flow-cases.js';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Parent = Json[] | { [key: string]: Json };

const SEED = 7_003;
const flows = validFlows.map(({ text }) => text);
const codes = new Set<string>([...errorCodes, ...hintCodes]);

/** Every value in a document, as its parent and key. */
function placesIn(document: Json): [parent: Parent, key: string][] {
  if (typeof document !== 'object' || document === null) return [];
  const parent: Parent = document;
  return Object.entries(document).flatMap(([key, value]) => [[parent, key] as [Parent, string], ...placesIn(value)]);
}

const values: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    null,
    true,
    0,
    -1,
    1e300,
    '',
    ' ',
    'x',
    `\${data.x}`,
    `\${form.x}`,
    `\${screen.ONE.data.x}`,
    `\${`,
    '``',
    "`'a`",
    '`(`',
  ),
  fc.constantFrom<Json>([], {}, [[]], [null], { type: 'Footer' }, [{ type: 'If' }], { id: 'a', title: 'b' }, { name: 'navigate' }),
);
const names = fc.oneof(
  fc.constantFrom('type', 'name', 'text', 'children', 'data', '__proto__', '', 'a b', 'init-value', 'constructor'),
  fc.string(),
);
const mutation = fc.record({
  place: fc.nat(),
  kind: fc.constantFrom('drop', 'rename', 'retype', 'duplicate'),
  value: values,
  name: names,
});
type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

function mutate(document: Json, { place, kind, value, name }: Mutation): void {
  const places = placesIn(document);
  const [parent, key] = places[place % Math.max(1, places.length)] ?? [];
  if (!parent || key === undefined) return;
  if (Array.isArray(parent)) {
    const at = Number(key);
    if (kind === 'drop') parent.splice(at, 1);
    else if (kind === 'duplicate' || kind === 'rename') parent.splice(at, 0, structuredClone(parent[at]!));
    else parent[at] = value;
  } else if (kind === 'retype') parent[key] = value;
  else {
    const old = parent[key]!;
    if (kind !== 'duplicate') delete parent[key];
    if (kind !== 'drop') Object.defineProperty(parent, name, { value: old, enumerable: true, writable: true, configurable: true });
  }
}

/** Checks the invariants of a result: sorted by position, inside the text, one entry per code and path. */
function faultsOf(text: string): string[] {
  const { errors, hints } = validateFlow(text);
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n?|\n/);
  const faults: string[] = [];
  for (const list of [errors, hints]) {
    const places = list.map(({ error, pointers }) => `${error} ${pointers[0]!.path}`);
    if (new Set(places).size < places.length) faults.push('one code and path twice');
    list.forEach(({ error, message, pointers, line_start, column_start, line_end, column_end }, i) => {
      const before = list[i - 1];
      const isSorted =
        !before || before.line_start < line_start || (before.line_start === line_start && before.column_start <= column_start);
      if (!isSorted) faults.push(`${error} is not sorted`);
      if (!codes.has(error) || message === '') faults.push(`${error} says nothing`);
      for (const each of [...pointers, { line_start, column_start, line_end, column_end }]) {
        const isInside = each.line_start >= 1 && each.line_end <= lines.length && each.column_start >= 1;
        const isForward = each.line_start < each.line_end || (each.line_start === each.line_end && each.column_start <= each.column_end);
        const last = lines[each.line_end - 1]?.length ?? 0;
        // The wrong character may be the end of a line.
        if (!isInside || !isForward || each.column_end > last + (error === 'INVALID_FLOW_JSON' ? 1 : 0))
          faults.push(`${error} is outside: ${JSON.stringify(each)}`);
      }
    });
  }
  return faults;
}

t.test('a valid flow with random changes gets sorted errors with positions inside its text, and never throws', async (t) => {
  const changes = fc.tuple(fc.nat(flows.length - 1), fc.array(mutation, { minLength: 1, maxLength: 6 }), fc.constantFrom(0, 2, '\t'));
  fc.assert(
    fc.property(changes, ([index, mutations, indent]) => {
      const document = JSON.parse(flows[index]!) as Json;
      for (const each of mutations) mutate(document, each);
      const faults = faultsOf(JSON.stringify(document, null, indent));
      if (faults.length > 0) throw new Error(faults.join('\n'));
    }),
    { seed: SEED, numRuns: runs(1500) },
  );
  t.pass();
});

t.test('a flow whose text is cut, repeated or overwritten at random gets the same', async (t) => {
  const cut = fc.record({
    from: fc.nat(),
    length: fc.nat(40),
    by: fc.oneof(fc.constant(''), fc.constantFrom('"', '{', ']', ',', '\\', '\r\n', '\uD800'), fc.string()),
  });
  fc.assert(
    fc.property(fc.nat(flows.length - 1), fc.array(cut, { minLength: 1, maxLength: 3 }), (index, cuts) => {
      let text = flows[index]!;
      for (const { from, length, by } of cuts) text = text.slice(0, from % text.length) + by + text.slice((from % text.length) + length);
      const faults = faultsOf(text);
      if (faults.length > 0) throw new Error(faults.join('\n'));
      if (!/\p{Surrogate}/u.test(text)) agreesWithJsonParse(text);
    }),
    { seed: SEED, numRuns: runs(800) },
  );
  t.pass();
});

t.test('the scanner accepts exactly the texts that JSON.parse accepts, with the same values', async (t) => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), (text) => agreesWithJsonParse(text)),
    { seed: SEED, numRuns: runs(1000) },
  );
  t.pass();
});

function agreesWithJsonParse(text: string): void {
  const parsed = attempt(() => JSON.parse(text) as Json);
  const scanned = scan(text);
  if ('problem' in scanned) {
    if (parsed) throw new Error(`refused: ${scanned.problem} at ${scanned.offset}`);
  } else if (!parsed) throw new Error('accepted, but not JSON');
  else {
    const [read, expected] = [jsonOf(scanned.root), parsed.value].map((value) => JSON.stringify(value));
    if (read !== expected) throw new Error(`${read} instead of ${expected}`);
  }
}

function attempt<T>(make: () => T): { value: T } | undefined {
  try {
    return { value: make() };
  } catch {
    return undefined;
  }
}

type Node = Extract<ReturnType<typeof scan>, { root: unknown }>['root'];

function jsonOf(node: Node): Json {
  if (node.kind === 'array') return node.items.map(jsonOf);
  if (node.kind === 'object') return Object.fromEntries(node.items.map((item) => [item.key, jsonOf(item)]));
  return node.value;
}
