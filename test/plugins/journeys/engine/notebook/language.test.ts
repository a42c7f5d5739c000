import { readFileSync } from 'node:fs';
import t from 'tap';
import type { EffectResult } from '../../../../../plugins/journeys/engine/effect.js';
import { functions } from '../../../../../plugins/journeys/engine/expression/functions/index.js';
import type { Container } from '../../../../../plugins/journeys/engine/floip.js';
import { checkNotebook } from '../../../../../plugins/journeys/engine/notebook/check-notebook.js';
import { formatNotebook } from '../../../../../plugins/journeys/engine/notebook/format.js';
import { compileNotebook } from '../../../../../plugins/journeys/engine/notebook/notebook.js';
import { outlineOf } from '../../../../../plugins/journeys/engine/notebook/outline.js';
import { markdownInjection, stackGrammar } from '../../../../../plugins/journeys/engine/notebook/textmate.js';
import { reservedWords } from '../../../../../plugins/journeys/engine/notebook/tokens.js';
import { headOptions, words } from '../../../../../plugins/journeys/engine/notebook/words.js';
import { requestText } from '../../../../../plugins/journeys/running/http-request.js';
import { grammarFiles } from '../../../../../scripts/docs/notebook.js';
import { seen, Talk } from '../journey-under-test.js';

const PAGE = 'plugins/journeys/engine/notebook/README.md';
const page = readFileSync(PAGE, 'utf8');

t.test('the example of every item compiles, and every item has a block to become', async (t) => {
  for (const { name, example, inBody } of words.values()) {
    const item = inBody === 'only' ? `ask() do\n${example}\ntext("?")\nend` : example;
    const cards = ['Yes', 'No', 'Buy', 'NotNow', 'Adult'].map((card) => `card ${card} do\nlog("x")\nend`).join('\n');
    const { container, findings } = compileNotebook(`card A do\n${item}\nend\n${cards}`);
    t.strictSame(findings, [], name);
    t.ok((container?.flows[0]?.blocks.length ?? 0) > 5, name);
  }
});

/** The programs of the page, each with its name and the conversation that the page shows. */
function programs(): { name: string; text: string; conversation: string }[] {
  const found = [...page.matchAll(/^````markdown (notebook)\n([\s\S]*?)^````$|^```stack (\w+)\n([\s\S]*?)^```$/gm)];
  return found.map(([, notebook, markdown, name = notebook!, code]) => {
    const [, conversation] = new RegExp(`^\`\`\`conversation ${name}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page)!;
    return { name, text: markdown ?? code!, conversation: conversation!.trim() };
  });
}

/** Replays a conversation: `>` is a message of the contact, `=` with a status the response of a service. */
function replayed(container: Container, conversation: string): string {
  const talk = new Talk({ main: container });
  const lines: string[] = [];
  const answers = conversation.split('\n').filter((line) => /^(?:> |= \d)/.test(line));
  let result = talk.start({ contact: { name: 'Ann', town: 'Riverside' } });
  for (;;) {
    lines.push(...seen(result).map((line) => `< ${line}`));
    const { next } = result;
    if (next.kind === 'effect' && next.effect.kind === 'http') {
      const { method, url } = requestText(next.effect, () => '');
      lines.push(`= ${method} ${url}`);
    }
    const answer = answers.shift();
    if (answer === undefined) return lines.join('\n');
    lines.push(answer);
    const [, status, body] = /^= (\d+) (.*)$/.exec(answer) ?? [];
    const value = { kind: 'http', call: {}, answer: { status: Number(status), headers: {}, body } } as unknown as EffectResult;
    result = status === undefined ? talk.say(answer.slice(2)) : talk.send({ kind: 'result', value });
  }
}

t.test('every program of the page compiles and talks as the page shows', async (t) => {
  const all = programs();
  t.strictSame(
    all.map(({ name }) => name),
    ['notebook', 'questions', 'choices', 'conditions', 'services'],
  );
  for (const { name, text, conversation } of all) {
    const { container, findings } = checkNotebook(text);
    t.strictSame(findings, [], name);
    t.equal(replayed(container!, conversation), conversation, name);
    t.equal(formatNotebook(text).text, text, `${name} is formatted`);
  }
});

t.test('the parameters of the page are read, and its first program has documentation', async (t) => {
  const [, table] = /^```markdown\n([\s\S]*?)^```$/m.exec(page)!;
  t.strictSame(compileNotebook(`${table}\n\`\`\`stack\ncard A do\n  log("x")\nend\n\`\`\`\n`).config, { items: { street: 'Mill Lane 4' } });
  const { text } = programs()[0]!;
  t.match(compileNotebook(text).triggers, [{ on: 'MESSAGE RECEIVED', when: /has_any_phrase/ }]);
  t.match(outlineOf(text), {
    sections: [{ title: 'Café', level: 1, prose: /Guests ask/, cards: ['Menu', 'Hours', 'Table', 'Check'] }],
    cards: [
      { name: 'Menu', documentation: /Guests ask/ },
      { name: 'Hours', documentation: '' },
      { name: 'Table', documentation: /call us/ },
      {},
      {},
    ],
  });
});

t.test('the grammars for editors are made of the words of the language', async (t) => {
  for (const { file, make } of grammarFiles) t.equal(readFileSync(file, 'utf8'), make(), `${file}: npm run docs makes it anew`);
  const patterns: string[] = [];
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(collect);
    else if (typeof value === 'object' && value !== null)
      for (const [key, item] of Object.entries(value)) {
        if (['match', 'begin', 'end', 'while'].includes(key) && typeof item === 'string') patterns.push(item);
        else collect(item);
      }
  };
  collect([stackGrammar(), markdownInjection()]);
  // \G, the place where the last match ended, is of these grammars alone.
  const readable = patterns.map((pattern) => new RegExp(pattern.replaceAll('\\G', ''), 'm'));
  t.ok(readable.length > 20);
  const known = (text: string): boolean => readable.some((pattern) => pattern.exec(text)?.[0].includes(text.replace(/[(:].*$/, '')));
  for (const name of words.keys()) t.ok(known(`${name}(`), name);
  for (const name of functions.keys()) t.ok(known(`${name}(`), name);
  for (const name of reservedWords) t.ok(known(name), name);
  for (const name of headOptions) t.ok(known(`${name}: "x"`), name);
});
