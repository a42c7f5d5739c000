import { nearest } from '#core/basics';
import { functions } from '../expression/functions/index.js';
import type { Container } from '../floip.js';
import { RESERVED_NAMES } from '../limits.js';
import { unknownChannel } from '../lint/channel.js';
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
export function checkNotebook(
  text: string,
  options: JourneyOptions = {},
  hasAsset: AssetLookup = unknownAssets,
  channel = unknownChannel,
): CompiledNotebook {
  const compiled = compileNotebook(text, options);
  const { container, sources, findings } = compiled;
  if (!container || !sources) return compiled;
  const linted = new Linted(sources, namesOf(container)).all(lintJourney(container, hasAsset, channel));
  const byPlace = (a: NotebookFinding, b: NotebookFinding): number => a.line - b.line || a.column - b.column;
  return { ...compiled, findings: [...findings, ...linted].sort(byPlace) };
}

/** The names that expressions of a notebook can use. */
const namesOf = ({ flows }: Container): readonly string[] => [
  ...RESERVED_NAMES,
  ...new Set(flows.flatMap(({ blocks }) => blocks.map(({ name }) => name))),
];

/** Messages of these codes contain the name in quotes. */
const NAMED: ReadonlySet<Finding['code']> = new Set(['unknown_function', 'missing_function', 'unknown_name']);
const QUOTED = /'([^']+)'/;

/** The compiler names route lists; authors cannot fix an `odd_name` finding about them. */
const ROUTING = /^Routing for /;

class Linted {
  private readonly sources: Sources;
  private readonly names: readonly string[];
  /** Unreachable cards are reported once, at their first block. */
  private readonly unreachable = new Set<string>();

  constructor(sources: Sources, names: readonly string[]) {
    this.sources = sources;
    this.names = names;
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

  /** A text may have many lines, so a finding about a name is at the name. */
  private placed({ severity, code, path, message, fix, block }: Finding): NotebookFinding {
    const name = NAMED.has(code) ? QUOTED.exec(message)?.[1] : undefined;
    const source = (name === undefined ? undefined : this.sources.ofName(path, name)) ?? this.sources.at(path);
    const start = { line: source?.line ?? 1, column: source?.column ?? 1 };
    const meant = name === undefined ? undefined : nearest(name, code === 'unknown_name' ? this.names : functions.keys());
    return {
      severity,
      code,
      ...start,
      end: source?.until ?? start,
      message: meant === undefined ? message : `${message}; did you mean '${meant}'?`,
      fix,
      ...(meant !== undefined && { nearest: meant }),
      path,
      ...(block !== undefined && { block }),
    };
  }
}
