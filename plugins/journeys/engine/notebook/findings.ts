import { nearest } from '#core/basics';
import type { ProblemCode } from '../lint/codes.js';
import { type NotebookCode, notebookFixes } from './codes.js';
import { NOTEBOOK_LIMITS } from './limits.js';
import type { Lines, SourcePosition } from './lines.js';

/** An error or a warning about a notebook, with its position. */
export interface NotebookFinding extends SourcePosition {
  readonly severity: 'error' | 'warning';
  readonly code: NotebookCode | ProblemCode;
  /** Position after its last character. */
  readonly end: SourcePosition;
  readonly message: string;
  /** How to fix it. */
  readonly fix: string;
  /** The syntax that the parser expected there. */
  readonly expected?: string;
  /** The known word closest to the one found. */
  readonly nearest?: string;
  /** Lint findings only: JSON pointer into the container, and the name of the block. */
  readonly path?: string;
  readonly block?: string;
}

interface Noted {
  readonly severity: 'error' | 'warning';
  readonly code: NotebookCode;
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly expected: string | undefined;
  readonly nearest: string | undefined;
}

/** Optional details of a finding. */
export interface Hint {
  readonly expected?: string | undefined;
  readonly nearest?: string | undefined;
}

/** Collects findings in any order, up to the limit. */
export class Findings {
  private readonly noted: Noted[] = [];
  private errors = 0;

  get isFull(): boolean {
    return this.noted.length >= NOTEBOOK_LIMITS.findings;
  }

  get hasErrors(): boolean {
    return this.errors > 0;
  }

  /** As `nearest`, but skips the search when the finding would be dropped. */
  nearest(name: string, known: Iterable<string>): string | undefined {
    return this.isFull ? undefined : nearest(name, known);
  }

  error(code: NotebookCode, start: number, end: number, message: string, hint: Hint = {}): void {
    this.note('error', code, start, end, message, hint);
  }

  warning(code: NotebookCode, start: number, end: number, message: string, hint: Hint = {}): void {
    this.note('warning', code, start, end, message, hint);
  }

  private note(severity: Noted['severity'], code: NotebookCode, start: number, end: number, message: string, hint: Hint): void {
    if (severity === 'error') this.errors++;
    if (this.isFull) return;
    const meant = hint.nearest === undefined ? '' : `; did you mean '${hint.nearest}'?`;
    this.noted.push({
      severity,
      code,
      start,
      end,
      message: `${message}${meant}`,
      expected: hint.expected,
      nearest: hint.nearest,
    });
  }

  /** In source order. */
  list(lines: Lines): NotebookFinding[] {
    return this.noted
      .toSorted((a, b) => a.start - b.start)
      .map(({ severity, code, start, end, message, expected, nearest }) => ({
        severity,
        code,
        ...lines.at(start),
        end: lines.at(Math.max(start, end)),
        message,
        fix: notebookFixes[code],
        ...(expected !== undefined && { expected }),
        ...(nearest !== undefined && { nearest }),
      }));
  }
}
