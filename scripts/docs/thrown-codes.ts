import { causeOf } from '../../plugins/flows/errors.js';
import { type Source, sourcesIn } from '../check-imports.js';
import { Code } from '../read-code.js';

/** The argument with the code of each class of `core/errors.ts` that takes one, and the code without this argument. */
const BY_CLASS: Readonly<Record<string, { readonly index: number; readonly otherwise?: string }>> = {
  PlatformError: { index: 1 },
  Conflict: { index: 0 },
  NotFound: { index: 2 },
  NotReady: { index: 1, otherwise: 'not_running' },
  Unavailable: { index: 2, otherwise: 'unavailable' },
};

/** The files that compute the code of an error, with all codes that they compute. */
const COMPUTED: Readonly<Record<string, readonly string[]>> = {
  'core/admin/deliveries/many.ts': ['webhook_not_found', 'number_not_found'],
  'core/kernel/http/call-gate.ts': ['standby', 'taking_over'],
  'plugins/flows/errors.ts': Object.values(causeOf),
  'plugins/journeys/assets/assets.ts': ['ai_connection_not_found', 'code_skill_not_found', 'content_card_not_found'],
};

/** The classes of errors themselves, what only tests and examples throw, and the examples of responses in the OpenAPI document. */
const EXEMPT =
  /^(core\/(errors\.ts|testing\/|kernel\/http\/openapi\/errors\.ts)|sandbox\/(examples|recipes|starters)\/|plugins\/(cloud-api|email|sms|telegram)\/testing\/)/;

/** A code that an error of the platform may have; undefined if the source does not show it. */
export interface ThrownCode {
  readonly file: string;
  readonly code: string | undefined;
}

/** Every code that an error of the platform may have, by what its source shows. Not those of examples and tests. */
export const thrownCodes = (root: string): ThrownCode[] =>
  sourcesIn(root)
    .filter(({ path }) => /^(core|plugins|sandbox)\//.test(path) && !EXEMPT.test(path))
    .flatMap(codesIn);

/** The codes of the errors that a file makes, and of its classes of errors. */
export function codesIn({ path, text }: Source): ThrownCode[] {
  const code = new Code(text, { jsx: path.endsWith('x') });
  const found: (readonly (string | undefined)[])[] = [];
  let parent = '';
  for (let at = 0; at < code.length; at++) {
    if (code.word(at) === 'extends' && code.word(at - 2) === 'class') parent = code.word(at + 1);
    const made = code.word(at) === 'new' ? code.word(at + 1) : code.word(at) === 'super' ? parent : '';
    const bracket = code.word(at) === 'new' ? at + 2 : at + 1;
    if (Object.hasOwn(BY_CLASS, made) && code.has(bracket, '(')) found.push(codesOf(code, made, bracket));
    if (code.has(at, 'override', 'readonly', 'code', '=')) found.push([code.literal(at + 4)]);
  }
  return found
    .flat()
    .flatMap((one) => (one === undefined ? (COMPUTED[path] ?? [undefined]) : [one]).map((shown) => ({ file: path, code: shown })));
}

function codesOf(code: Code, made: string, bracket: number): readonly (string | undefined)[] {
  const { index, otherwise } = BY_CLASS[made]!;
  const args = code.argumentsOf(bracket);
  const given = args[index];
  if (given) return orUnknown(code.literals(...given));
  if (otherwise !== undefined) return [otherwise];
  // Without a code, `NotFound` makes it from the noun.
  return made === 'NotFound' && args[0] ? orUnknown(code.literals(...args[0])).map((noun) => noun && codeOfNoun(noun)) : [undefined];
}

const orUnknown = (literals: readonly string[]): readonly (string | undefined)[] => (literals.length > 0 ? literals : [undefined]);

const codeOfNoun = (noun: string): string => `${noun.replaceAll(' ', '_').toLowerCase()}_not_found`;
