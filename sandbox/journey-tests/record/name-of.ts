import type { RecordedInput } from './record-test.js';

const MAX_NAME = 80;

/** The messages of the contact, as a name that a reader recognises. */
export function nameOf(inputs: readonly Pick<RecordedInput, 'say'>[]): string {
  const texts = inputs.flatMap(({ say }) =>
    typeof say === 'string' ? say.replace(/\s+/g, ' ').trim() : say ? `[${Object.keys(say)[0]}]` : [],
  );
  const name = texts.join(' > ');
  if (name === '') return 'the beginning';
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
}
