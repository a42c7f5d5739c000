import type { Finding } from '../lint/finding.js';
import { lintJourney } from '../lint/lint.js';
import { type AssetLookup, unknownAssets } from '../lint/references.js';
import type { JourneyOptions } from './compile.js';
import type { NotebookFinding } from './findings.js';
import { type CompiledNotebook, compileNotebook } from './notebook.js';
import type { Sources } from './sources.js';

/**
 * Compiles a notebook and lints the container. Lint findings get the line and column of the text they come from. A notebook with
 * errors has no container, so it gets no lint findings.
 */
export function checkNotebook(text: string, options: JourneyOptions = {}, hasAsset: AssetLookup = unknownAssets): CompiledNotebook {
  const compiled = compileNotebook(text, options);
  const { container, sources, findings } = compiled;
  if (!container || !sources) return compiled;
  const linted = new Linted(sources).all(lintJourney(container, hasAsset));
  const byPlace = (a: NotebookFinding, b: NotebookFinding): number => a.line - b.line || a.column - b.column;
  return { ...compiled, findings: [...findings, ...linted].sort(byPlace) };
}

/** The compiler names route lists; authors cannot fix an `odd_name` finding about them. */
const ROUTING = /^Routing for /;

class Linted {
  private readonly sources: Sources;
  /** Unreachable cards are reported once, at their first block. */
  private readonly unreachable = new Set<string>();

  constructor(sources: Sources) {
    this.sources = sources;
  }

  all(findings: readonly Finding[]): NotebookFinding[] {
    return findings.flatMap((finding) => (this.isSaid(finding) ? [] : [this.placed(finding)]));
  }

  private isSaid({ code, block = '', path }: Finding): boolean {
    if (code === 'odd_name') return ROUTING.test(block);
    if (code !== 'unreachable_block') return false;
    const card = this.sources.cardAt(path) ?? path;
    if (this.unreachable.has(card)) return true;
    this.unreachable.add(card);
    return false;
  }

  private placed({ severity, code, path, message, fix, block }: Finding): NotebookFinding {
    const source = this.sources.at(path);
    const start = { line: source?.line ?? 1, column: source?.column ?? 1 };
    return { severity, code, ...start, end: source?.until ?? start, message, fix, path, ...(block !== undefined && { block }) };
  }
}
