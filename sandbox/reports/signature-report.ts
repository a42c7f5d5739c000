import { escapeControls } from '../terminal/escape.js';
import type { Paint } from '../terminal/painter.js';

export interface SignatureStepShown {
  readonly step: string;
  readonly about: string;
  readonly value?: string | undefined;
  readonly bytes?: number | undefined;
  readonly content_type?: string | undefined;
  readonly start_hex?: string | undefined;
  readonly end_hex?: string | undefined;
  readonly ends_with?: string | undefined;
}

interface FrameworkFix {
  readonly framework: string;
  readonly title: string;
  readonly changes: readonly { readonly wrong: string; readonly right: string }[];
  readonly code: string;
}

/** The explanation of a signature, as the admin API returns it. */
export interface SignatureExplained {
  readonly matches: boolean;
  readonly steps: readonly SignatureStepShown[];
  readonly diagnosis: {
    readonly mistakes: readonly string[];
    readonly message: string;
    readonly fix: string;
    readonly fixes: readonly FrameworkFix[];
  } | null;
}

/** Two characters per byte. */
const SHOWN_HEX = 32;

export const stepLines = (steps: readonly SignatureStepShown[], paint: Paint): string[] =>
  steps.flatMap((step, at) => [
    `${at + 1} ${step.step.padEnd(7)} ${paint('dim', step.about)}`,
    ...[step.value, ...detailsOf(step)]
      .filter((line) => line !== undefined && line !== '')
      .map((line) => `            ${escapeControls(line!)}`),
  ]);

/** Lines about the ends of the body, or of the key. */
function detailsOf({ step, bytes, content_type: type, start_hex: start, end_hex: end, ends_with: ending }: SignatureStepShown): string[] {
  if (step === 'key' && bytes !== undefined) return [`${bytes} bytes${ending === undefined ? '' : `, the last characters are ${ending}`}`];
  if (start === undefined) return [];
  const last = end ?? start.slice(-SHOWN_HEX);
  const whole = start.length <= SHOWN_HEX;
  return [...(type === undefined ? [] : [type]), whole ? start : `${start.slice(0, SHOWN_HEX)} … ${last}`];
}

/** The lines to change in a receiver, and a complete receiver of the framework. */
export const fixLines = ({ title, changes, code }: FrameworkFix, paint: Paint): string[] => [
  '',
  paint('bold', `${title}:`),
  ...changes.flatMap(({ wrong, right }) => [
    ...(wrong === '' ? [] : wrong.split('\n').map((line) => paint('red', `- ${line}`))),
    ...right.split('\n').map((line) => paint('green', `+ ${line}`)),
  ]),
  '',
  ...code.trimEnd().split('\n'),
];

export const explanationLines = ({ matches, steps, diagnosis }: SignatureExplained, paint: Paint): string[] => [
  ...stepLines(steps, paint),
  '',
  matches ? paint('green', 'The signature matches.') : paint('red', 'The signature does not match.'),
  ...(diagnosis ? [diagnosis.message, diagnosis.fix] : []),
  ...(matches || diagnosis
    ? []
    : ['No known mistake gives this value: the body or the secret is another one. Compare the SHA-256 of step 1 with that of your bytes.']),
];
