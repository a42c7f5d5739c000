import { escapeControls } from '../terminal/escape.js';
import type { Paint } from '../terminal/painter.js';

export interface SignatureStepShown {
  readonly step: string;
  readonly about: string;
  readonly value?: string;
}

/** The explanation of a signature, as the admin API returns it. */
export interface SignatureExplained {
  readonly matches: boolean;
  readonly steps: readonly SignatureStepShown[];
  readonly diagnosis: { readonly mistakes: readonly string[]; readonly message: string; readonly fix: string } | null;
}

export const stepLines = (steps: readonly SignatureStepShown[], paint: Paint): string[] =>
  steps.flatMap(({ step, about, value }, at) => [
    `${at + 1} ${step.padEnd(7)} ${paint('dim', about)}`,
    ...(value === undefined ? [] : [`            ${escapeControls(value)}`]),
  ]);

export const explanationLines = ({ matches, steps, diagnosis }: SignatureExplained, paint: Paint): string[] => [
  ...stepLines(steps, paint),
  '',
  matches ? paint('green', 'The signature matches.') : paint('red', 'The signature does not match.'),
  ...(diagnosis ? [diagnosis.message, diagnosis.fix] : []),
  ...(matches || diagnosis
    ? []
    : ['No known mistake gives this value: the body or the secret is another one. Compare the SHA-256 of step 1 with that of your bytes.']),
];
