import type { JourneyUnderTest } from '../run/journey-under-test.js';

/** The choices of a question, by position. Those computed by an expression are not known before the journey runs. */
interface Choice {
  readonly name: string;
  readonly label: string;
}

export type Block = JourneyUnderTest['definition']['entry']['blocks'] extends ReadonlyMap<string, infer B> ? B : never;
export type Flow = JourneyUnderTest['definition']['entry'];

/** The choices of a block, with their labels in the first language of the flow. */
export function choicesOf({ config }: Block, flow: Flow): readonly Choice[] {
  const { choices } = config;
  const labelOf = (prompt: unknown, name: string): string =>
    (typeof prompt === 'string'
      ? flow.resources.get(prompt)?.values.find(({ content_type }) => content_type === 'TEXT')?.value
      : undefined) ?? name;
  if (Array.isArray(choices)) {
    return choices.flatMap((choice) => {
      if (typeof choice !== 'object' || choice === null || Array.isArray(choice) || typeof choice.name !== 'string') return [];
      return { name: choice.name, label: labelOf(choice.prompt, choice.name) };
    });
  }
  return typeof choices === 'object' && choices !== null
    ? Object.entries(choices).map(([name, prompt]) => ({ name, label: labelOf(prompt, name) }))
    : [];
}
