import { checkContainer } from './container.js';
import { expressionFaults } from './expression/check.js';
import { type WithModules, withModules } from './language.js';
import type { CheckedChannel } from './lint/channel.js';
import { codes } from './lint/codes.js';
import type { Finding } from './lint/finding.js';
import { lintJourney } from './lint/lint.js';
import type { AssetKind, AssetLookup, KnownTemplate } from './lint/references.js';
import { checkNotebook } from './notebook/check-notebook.js';
import type { JourneyOptions } from './notebook/compile.js';
import type { NotebookFinding } from './notebook/findings.js';
import type { NotebookTrigger } from './notebook/notebook.js';

/** A journey as its author wrote it: the text of a notebook, or a container as JSON text. */
export type JourneySource = { readonly notebook: string; readonly options: JourneyOptions } | { readonly json: string };

export interface CheckInput {
  readonly source: JourneySource;
  /** The conditions of triggers that the source does not contain. */
  readonly guards: readonly (string | undefined)[];
  /** Assets as `AssetLookup` knows them, by `kind id`. Those that are not listed count as unknown. */
  readonly assets: Readonly<Record<string, boolean | readonly KnownTemplate[]>>;
  readonly channel: CheckedChannel;
}

export interface CheckOutput {
  readonly findings: readonly Finding[];
  /** Whether it can run: without errors, apart from missing assets. */
  readonly canRun: boolean;
  /** The assets that it refers to and that `assets` does not list. */
  readonly unknown: readonly (readonly [kind: AssetKind, id: string])[];
  readonly compiled?: CompiledSource;
}

/** The parts of a compiled notebook. */
export interface CompiledSource {
  /** The container as JSON text; undefined when the notebook has errors. */
  readonly container: string | undefined;
  readonly triggers: readonly NotebookTrigger[];
  readonly title: string | undefined;
}

/** Lints a journey, and compiles it first if it is a notebook. Off the main thread, because both take time in proportion to its size. */
export default function checkTask(input: CheckInput & WithModules): CheckOutput | Promise<CheckOutput> {
  return withModules(input, () => check(input));
}

function check({ source, guards, assets, channel }: CheckInput): CheckOutput {
  const unknown: [AssetKind, string][] = [];
  const hasAsset: AssetLookup = (kind, id) => {
    const known = assets[`${kind} ${id}`];
    if (known === undefined) unknown.push([kind, id]);
    return known;
  };
  if ('json' in source) {
    const definition: unknown = JSON.parse(source.json);
    const aboutGuards = guards.flatMap(guardFindings);
    const findings = [...lintJourney(definition, hasAsset, channel), ...aboutGuards];
    const canRun = !hasErrors(findings) || !hasErrors([...checkContainer(definition), ...aboutGuards]);
    return { findings, canRun, unknown };
  }
  const { container, triggers, title, findings } = checkNotebook(source.notebook, source.options, hasAsset, channel);
  // The compiler has checked the conditions in the notebook itself.
  const ownGuards = new Set(triggers.map(({ when }) => when));
  const aboutGuards = guards.flatMap((guard, i) => (ownGuards.has(guard) ? [] : guardFindings(guard, i)));
  const canRun = container !== undefined && (!hasErrors(findings) || !hasErrors(checkContainer(container))) && !hasErrors(aboutGuards);
  const compiled = { container: container && JSON.stringify(container), triggers, title };
  return { findings: [...findings.map(findingOf), ...aboutGuards], canRun, unknown, compiled };
}

const hasErrors = (found: readonly { readonly severity: string }[]): boolean => found.some(({ severity }) => severity === 'error');

const guardFindings = (guard: string | undefined, i: number): Finding[] =>
  guard === undefined
    ? []
    : expressionFaults(guard).map(({ severity, code, message }) => ({
        severity,
        code,
        path: '',
        message: `trigger ${i + 1}: ${message}`,
        fix: codes[code].fix,
      }));

/** Texts have no path; `line` and `column` say where the finding is. */
const findingOf = ({ path = '', ...finding }: NotebookFinding): Finding => ({ ...finding, path });
