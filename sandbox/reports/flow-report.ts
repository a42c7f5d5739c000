import type { FlowValidation, ValidationError } from '../../plugins/flows/validate/result.js';
import { type Paint, painter } from '../terminal/painter.js';
import { codeFrame, linesOf } from './code-frame.js';

export interface CheckedFile {
  /** The path from the command line. */
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly validation: FlowValidation;
}

export const reportFormats = ['pretty', 'json', 'github'] as const;
export type ReportFormat = (typeof reportFormats)[number];

export function flowReport(checked: CheckedFile, format: ReportFormat, isColoured: boolean): string[] {
  if (format === 'json') return [asJson(checked)];
  return format === 'github' ? annotations(checked) : pretty(checked, painter(isColoured));
}

function asJson({ file, validation: { errors, hints, unlistedErrors } }: CheckedFile): string {
  return JSON.stringify({ file, valid: errors.length === 0, errors, hints, unlisted_errors: unlistedErrors });
}

function pretty({ file, bytes, validation }: CheckedFile, paint: Paint): string[] {
  const { errors, hints, unlistedErrors, outline } = validation;
  const lines = errors.length + hints.length > 0 ? linesOf(new TextDecoder().decode(bytes)) : [];
  const shown = (list: readonly ValidationError[], style: 'red' | 'yellow') =>
    list.flatMap(({ error, message, pointers, ...range }) => [
      `${paint('bold', `${file}:${range.line_start}:${range.column_start}`)}  ${paint(style, error)}  ${paint('dim', pointers[0]?.path ?? '')}`.trimEnd(),
      `  ${message}`,
      ...codeFrame(lines, range, paint),
      '',
    ]);
  const more = unlistedErrors > 0 ? [`${unlistedErrors} more errors are not shown.`] : [];
  const mark = errors.length > 0 ? paint('red', '✗') : paint('green', '✓');
  const counts = [
    count(errors.length + unlistedErrors, 'error'),
    ...(hints.length > 0 ? [count(hints.length, 'hint')] : []),
    count(outline.screens.length, 'screen'),
  ];
  return [
    ...shown(errors, 'red'),
    ...(hints.length > 0 ? [paint('bold', 'Hints, which do not prevent publishing:'), ''] : []),
    ...shown(hints, 'yellow'),
    ...more,
    `${mark} ${file}: ${counts.join(', ')}`,
  ];
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

/** Workflow commands that GitHub Actions shows as annotations of the lines. */
function annotations({ file, validation: { errors, hints } }: CheckedFile): string[] {
  const lines = (list: readonly ValidationError[], level: string) =>
    list.map(({ error, message, line_start, line_end, column_start, column_end }) => {
      const columns = line_start === line_end ? `,col=${column_start},endColumn=${column_end}` : '';
      const place = `file=${property(file)},line=${line_start},endLine=${line_end}${columns}`;
      return `::${level} ${place},title=${property(error)}::${escaped(message)}`;
    });
  return [...lines(errors, 'error'), ...lines(hints, 'notice')];
}

const escaped = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string): string => escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
