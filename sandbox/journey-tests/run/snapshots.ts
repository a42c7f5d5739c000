import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** `keep`: new snapshots are stored, others compared. `update`: all are stored. `ci`: none is stored. */
export type SnapshotMode = 'keep' | 'update' | 'ci';

type Outcome = { readonly status: 'same' | 'missing' } | { readonly status: 'differs'; readonly stored: string };

/** The snapshots of one test file: transcripts in a Markdown file, one below the name of each test. */
export class TestSnapshots {
  readonly file: string;
  readonly #mode: SnapshotMode;
  readonly #stored: ReadonlyMap<string, string>;
  readonly #taken = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  constructor(testFile: string, mode: SnapshotMode) {
    this.file = join(dirname(testFile), '__snapshots__', `${basename(testFile)}.md`);
    this.#mode = mode;
    this.#stored = existsSync(this.file) ? snapshotsIn(readFileSync(this.file, 'utf8')) : new Map();
  }

  /** Compares a transcript with the next snapshot of this test. */
  compare(test: string, text: string): Outcome & { readonly stored?: string } {
    const count = (this.#counts.get(test) ?? 0) + 1;
    this.#counts.set(test, count);
    const title = titleOf(count === 1 ? test : `${test} (${count})`);
    const stored = this.#stored.get(title);
    this.#taken.set(title, this.#mode === 'update' || stored === undefined ? text : stored);
    if (stored === undefined && this.#mode === 'ci') {
      this.#taken.delete(title);
      return { status: 'missing' };
    }
    if (stored === undefined || stored === text || this.#mode === 'update') return { status: 'same' };
    return { status: 'differs', stored };
  }

  /** Titles of stored snapshots that no test of a complete run compared. */
  obsolete(): string[] {
    return [...this.#stored.keys()].filter((title) => !this.#taken.has(title));
  }

  /**
   * Writes new and updated snapshots. After a complete run, `update` removes obsolete ones.
   * @returns how many were added, changed and removed
   */
  save(isComplete: boolean): { readonly added: number; readonly changed: number; readonly removed: number } {
    const removed = isComplete && this.#mode === 'update' ? this.obsolete() : [];
    const all = new Map([...this.#stored, ...this.#taken].filter(([title]) => !removed.includes(title)));
    const added = [...all.keys()].filter((title) => !this.#stored.has(title)).length;
    const changed = [...all].filter(([title, text]) => this.#stored.has(title) && this.#stored.get(title) !== text).length;
    if (this.#mode !== 'ci' && added + changed + removed.length > 0) {
      if (all.size === 0) rmSync(this.file);
      else {
        mkdirSync(dirname(this.file), { recursive: true });
        writeFileSync(this.file, snapshotText(basename(this.file, '.md'), all));
      }
    }
    return { added, changed, removed: removed.length };
  }
}

/** A name as a heading: one line. */
const titleOf = (name: string): string => name.replace(/\s+/g, ' ').trim();

function snapshotText(name: string, snapshots: ReadonlyMap<string, string>): string {
  const parts = [...snapshots]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([title, text]) => {
      const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
      return `## ${title}\n\n${fence}text\n${text}\n${fence}\n`;
    });
  return [`# Transcripts of ${name}\n`, 'Stored by `posthorn test --update`.\n', ...parts].join('\n');
}

function snapshotsIn(file: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, title, , text] of file.replaceAll('\r\n', '\n').matchAll(/^## (.*)\n\n(`{3,})text\n([\s\S]*?)\n\2$/gm))
    found.set(title!, text!);
  return found;
}
