// Bench: the time to publish a notebook, as a ratio to publishing the same journey as JSON; in the engine alone, and through a platform
import Hapi from '@hapi/hapi';
import { createPlatform, type JsonObject } from '#core';
import { compile } from '../../plugins/journeys/engine/compile.js';
import { checkContainer } from '../../plugins/journeys/engine/container.js';
import type { Container } from '../../plugins/journeys/engine/floip.js';
import { compileNotebook } from '../../plugins/journeys/engine/notebook/notebook.js';
import { journeys, journeysService } from '../../plugins/journeys/plugin.js';
import { admin } from './measuring/admin.js';
import { median, printTable } from './measuring/table.js';

const ROUNDS = 7;
const ROUND_MS = Number(process.env.BENCH_ROUND_MS ?? 400);

/** A question, its check, a lookup, choices, and what is done with them; n times, with names and texts of their own. */
const section = (n: number): string => `
card Ask${n}, "Question ${n}", then: Check${n} do
  # ages are whole numbers
  age${n} = ask("How old are you, @contact.name? Question ${n}")
end

card Check${n} when not has_pattern("@age${n}", "^\\d+$"), then: Ask${n} do
  log("no number: @age${n}")
end

card Check${n} when age${n} < 18 or age${n} > 99, then: Menu${n} do
  update_contact(group: "minor ${n}", asked: "@now()")
  text("Please come back with a parent.")
end

card Check${n}, then: Menu${n} do
  group${n} = if age${n} > 60, do: "senior", else: "adult"
  write_result("age_group_${n}", "@group${n}", label: "Group of @contact.name")
  found${n} = get("https://api.example/branches/${n}", query: [["near", "@contact.town"]], headers: [["accept", "application/json"]])
  names${n} = map(found${n}.body.items, &[&1.id, &1.name])
end

card Menu${n} do
  menu${n} = buttons(Ask${n}: "Again", Done${n}: "Continue") do
    image("https://img.example/${n}.png")
    text("""
    What now, @contact.name?
    You are @age${n} years old.
    """)
  end
end

card Done${n} do
  text("See you. This was number ${n} of all questions.")
  then(Ask${n + 1} when found${n}.status == 200)
end
`;

const notebookOf = (sections: number): string =>
  `# Bench\n\n\`\`\`stack${Array.from({ length: sections }, (_, i) => section(i)).join('')}\ncard Ask${sections} do\n  text("The end.")\nend\n\`\`\`\n`;

/** Milliseconds that each takes, the middle of some rounds taken in turns. */
function times(cases: Readonly<Record<string, () => unknown>>): Map<string, number> {
  const all = new Map(Object.keys(cases).map((name) => [name, [] as number[]]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, work] of Object.entries(cases)) {
      const began = performance.now();
      let count = 0;
      while (performance.now() - began < ROUND_MS) {
        work();
        count++;
      }
      // The first round warms up.
      if (round >= 0) all.get(name)!.push((performance.now() - began) / count);
    }
  }
  return new Map([...all].map(([name, values]) => [name, median(values)]));
}

/** Milliseconds per publication, and of these the milliseconds in which the main thread was busy. */
interface Publication {
  readonly ms: number;
  readonly busy: number;
}

/** Puts and publishes a journey through the service of a platform with worker threads, as the admin API does. */
async function publications(text: string, json: string): Promise<Map<string, Publication>> {
  const platform = createPlatform({ plugins: [journeys()], rateLimits: false, admin });
  const server = Hapi.server();
  await server.register(platform.hapiPlugin);
  await server.initialize();
  const number = await platform.store.transaction(
    (tx) => platform.numbers.create(tx, { kind: 'network', type: 'network', address: '+1', name: 'Bench' }).uuid,
  );
  const publish = (uuid: string, source: { notebook: string } | { definition: JsonObject; triggers: [] }) =>
    platform.store.transaction(async (tx) => {
      await platform.service(journeysService).put(tx, { uuid, number, name: 'Bench', ...source });
      await platform.service(journeysService).publish(tx, uuid, 'production');
    });
  const cases = {
    'publish JSON': (uuid: string) => publish(uuid, { definition: JSON.parse(json) as JsonObject, triggers: [] }),
    'publish notebook': (uuid: string) => publish(uuid, { notebook: text }),
  };
  const all = new Map(Object.keys(cases).map((name) => [name, [] as Publication[]]));
  const uuids = new Map(Object.keys(cases).map((name) => [name, platform.ids.uuid()]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, work] of Object.entries(cases)) {
      const began = performance.now();
      const idle = performance.eventLoopUtilization();
      let count = 0;
      for (; performance.now() - began < ROUND_MS; count++) await work(uuids.get(name)!);
      const busy = performance.eventLoopUtilization(idle).active / count;
      // The first round warms up.
      if (round >= 0) all.get(name)!.push({ ms: (performance.now() - began) / count, busy });
    }
  }
  await server.stop();
  const middle = (values: readonly Publication[], key: keyof Publication): number => median(values.map((value) => value[key]));
  return new Map([...all].map(([name, values]) => [name, { ms: middle(values, 'ms'), busy: middle(values, 'busy') }]));
}

for (const sections of [1, 20, 150]) {
  const text = notebookOf(sections);
  const { container, findings } = compileNotebook(text);
  if (!container) throw new Error(findings.map(({ message }) => message).join('; '));
  const json = JSON.stringify(container);
  const parsed = (): Container => JSON.parse(json) as Container;
  const checked = (value: Container): Container => {
    if (checkContainer(value).some(({ severity }) => severity === 'error')) throw new Error('the journey has errors');
    return value;
  };
  const measured = times({
    'JSON, read and made ready': () => compile(parsed()),
    'notebook, compiled and made ready': () => compile(compileNotebook(text).container!),
    'JSON, read, checked and made ready': () => compile(checked(parsed())),
    'notebook, compiled, checked and made ready': () => compile(checked(compileNotebook(text).container!)),
  });
  const [bare, notebook, full, whole] = [...measured.values()] as [number, number, number, number];
  const blocks = container.flows[0]!.blocks.length;
  console.log(`${text.split('\n').length} lines, ${blocks} blocks; ${text.length} characters as text, ${json.length} as JSON\n`);
  printTable(
    ['', 'ms', 'us/block', 'ratio'],
    [...measured].map(([name, ms], i) => [
      name,
      ms.toFixed(3),
      ((ms * 1000) / blocks).toFixed(1),
      i < 2 ? (i === 0 ? '1' : (notebook / bare).toFixed(2)) : i === 2 ? '1' : (whole / full).toFixed(2),
    ]),
  );
  const [asJson, asText] = [...(await publications(text, json)).values()] as [Publication, Publication];
  printTable(
    ['through the platform', 'ms', 'main thread ms', 'ratio'],
    [
      ['publish JSON', asJson.ms.toFixed(2), asJson.busy.toFixed(2), '1'],
      ['publish notebook', asText.ms.toFixed(2), asText.busy.toFixed(2), (asText.ms / asJson.ms).toFixed(2)],
    ],
  );
  console.log('');
}
