import type { Json } from '#core/basics';
import { choicesOf } from '../blocks/choices.js';
import { type Block, type Flow, objectAt, textAt } from '../compile.js';
import { EXPRESSION_LIMITS } from '../expression/budget.js';
import { parseTemplate } from '../expression/parse.js';
import type { Node } from '../expression/syntax.js';
import { wordFor } from './to-text/say-context.js';

const LONGEST = 60;

/** The first words of the first text among blocks, in the first language of the flow; empty if they say nothing. */
export function saidBy(blocks: readonly Block[], flow: Flow): string {
  for (const { config } of blocks) {
    for (const source of [config.prompt, config.question_prompt, config.body, config.caption]) {
      const words = firstWords(resourceText(source, flow));
      if (words !== '') return words;
    }
    const template = textAt(objectAt(config, 'template'), 'name');
    if (template !== '') return `template ${template}`;
  }
  return '';
}

/** The labels of the choices that blocks offer, and of the button of a form. */
export const offeredBy = (blocks: readonly Block[], flow: Flow): readonly string[] =>
  blocks.flatMap(({ config }) => {
    const cta = textAt(objectAt(config, 'flow'), 'cta');
    return [...choicesOf(config).map(({ name, prompt }) => firstWords(resourceText(prompt, flow)) || name), ...(cta === '' ? [] : [cta])];
  });

/** The kinds of files that blocks send, such as `image`, in the first language of the flow. */
export function mediaOf(blocks: readonly Block[], flow: Flow): readonly string[] {
  const values = blocks.flatMap(({ config }) =>
    [config.prompt, config.question_prompt, config.body, config.header, config.media].flatMap((uuid) => valuesOf(uuid, flow)),
  );
  return [...new Set(values.map(wordFor))].filter((word) => word !== 'text');
}

function valuesOf(uuid: Json | undefined, { resources, languages }: Flow) {
  const values = typeof uuid === 'string' ? (resources.get(uuid)?.values ?? []) : [];
  const own = values.filter(({ language_id }) => language_id === languages[0]?.id);
  return own.length > 0 ? own : values;
}

function resourceText(uuid: Json | undefined, flow: Flow): string {
  const text = valuesOf(uuid, flow).find(({ content_type, value }) => content_type === 'TEXT' && value.trim() !== '');
  return text ? spoken(text.value) : '';
}

/** A template with the first text that an `if` chooses from in its place; other expressions stay as they are written. */
function spoken(template: string): string {
  if (!/\bif\s*\(/i.test(template) || template.length > EXPRESSION_LIMITS.source) return template;
  return parseTemplate(template)
    .tree.map((part) => (typeof part === 'string' ? part : 'node' in part ? (chosenBy(part.node) ?? part.source) : part.source))
    .join('');
}

function chosenBy(node: Node): string | undefined {
  if (node.kind === 'constant') return typeof node.value === 'string' ? node.value : undefined;
  if (node.kind === 'text') return spoken(node.source);
  const [, ...choices] = node.kind === 'call' && node.name === 'if' ? node.args : [];
  return choices.map(chosenBy).find((choice) => choice !== undefined && choice.trim() !== '');
}

/** A text on one line, ending after a whole word. */
export function firstWords(text: string): string {
  const line = text
    .slice(0, 10 * LONGEST)
    .replace(/\s+/g, ' ')
    .trim();
  const characters = Array.from(line);
  if (characters.length <= LONGEST) return line;
  const cut = characters.slice(0, LONGEST - 1).join('');
  const gap = cut.lastIndexOf(' ');
  return `${gap > LONGEST / 2 ? cut.slice(0, gap) : cut}…`;
}
