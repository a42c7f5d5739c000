import type { Container } from '../../plugins/journeys/engine/floip.js';

/** A name in the form of a uuid, which the public runner requires. */
const uuidOf = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

export const LANGUAGE = 'eng';
const MODES = ['RICH_MESSAGING'];
const MENU = uuidOf(1);
const options = ['a', 'b', 'c'] as const;
export const answers: readonly string[] = options;

const GREETING = 'Hello @(contact.name), what can I do for you?';
const reply = (option: string): string => `You chose ${option}, @(contact.name). You are contact number @(1 + 2 * 3).`;

const resource = (n: number, value: string) => ({
  uuid: uuidOf(n),
  values: [{ language_id: LANGUAGE, content_type: 'TEXT', mime_type: 'text/plain', modes: MODES, value }],
});
const resources = [
  resource(100, GREETING),
  ...options.flatMap((option, i) => [resource(110 + i, reply(option)), resource(120 + i, `Option ${option}`)]),
];

const flow = {
  uuid: uuidOf(9),
  name: 'main',
  label: 'main',
  last_modified: '2025-01-01T00:00:00Z',
  interaction_timeout: 300,
  supported_modes: MODES,
  languages: [{ id: LANGUAGE, iso_639_3: LANGUAGE }],
  first_block_id: MENU,
};

const replies = options.map((option, i) => ({
  uuid: uuidOf(20 + i),
  name: `say_${option}`,
  type: 'MobilePrimitives.Message',
  config: { prompt: uuidOf(110 + i) },
  exits: [{ uuid: uuidOf(30 + i), name: 'default', destination_block: MENU, default: true }],
}));

const exits = (test: (option: string) => string) =>
  options.map((option, i) => ({
    uuid: uuidOf(40 + i),
    name: option,
    destination_block: uuidOf(20 + i),
    ...(i < options.length - 1 ? { test: test(option) } : { default: true }),
  }));

const menu = { uuid: MENU, name: 'menu', type: 'MobilePrimitives.SelectOneResponse' };

/**
 * A menu of three options, each with a message that leads back to the menu, plus a number of unreachable blocks.
 * @param textLength characters of the text of each unreachable block; without it, they have the text of the first option
 */
export function menuJourney(more = 0, textLength = 0): Container {
  const choices = options.map((option, i) => ({ name: option, prompt: uuidOf(120 + i) }));
  const unused = Array.from({ length: more }, (_, i) => ({
    ...replies[0]!,
    uuid: uuidOf(1000 + i),
    name: `more_${i}`,
    ...(textLength > 0 && { config: { prompt: uuidOf(10_000 + i) } }),
  }));
  const texts = textLength > 0 ? unused.map((_, i) => resource(10_000 + i, 'x'.repeat(textLength))) : [];
  const blocks = [
    { ...menu, config: { prompt: uuidOf(100), choices }, exits: exits((option) => `block.value = '${option}'`) },
    ...replies,
    ...unused,
  ];
  const container = {
    specification_version: '1.0.0-rc4',
    uuid: uuidOf(8),
    name: 'Menu',
    flows: [{ ...flow, blocks, resources: [...resources, ...texts] }],
  };
  return container as unknown as Container;
}

export function menuForRunner() {
  const choices = Object.fromEntries(options.map((option, i) => [option, uuidOf(120 + i)]));
  const blocks = [
    { ...menu, config: { prompt: uuidOf(100), choices }, exits: exits((option) => `@(block.value = '${option}')`) },
    ...replies,
  ];
  return {
    flow: { ...flow, blocks: blocks.map((block) => ({ ...block, label: block.name, semantic_label: '' })) },
    resources,
    mode: MODES[0]!,
  };
}
