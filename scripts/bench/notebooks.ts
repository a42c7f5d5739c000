// Bench: what a notebook costs until a journey can run from it, beside the same journey as JSON
import { compile } from '../../core/engine/compile.js';
import { checkContainer } from '../../core/engine/container.js';
import type { Container } from '../../core/engine/floip.js';
import { compileNotebook } from '../../core/engine/notebook/notebook.js';
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
  console.log('');
}
