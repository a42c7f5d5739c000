/** The kinds of subjects that `posthorn conform` checks. */
export const conformanceKinds = ['connector', 'webhook', 'integration', 'api'] as const;
/** The kind of a subject of `posthorn conform`. */
export type ConformanceKind = (typeof conformanceKinds)[number];

/**
 * A check that a plugin adds to `posthorn conform`. `S` is the type of its subject, from `posthorn/conform`: `ConnectorSubject`, `WebhookSubject`,
 * `IntegrationSubject` or `ApiSubject`.
 */
export interface ConformanceCheck<S> {
  /** The kind of the subject. */
  readonly kind: ConformanceKind;
  /** `<plugin>-NN`, such as `ratings-01`. It never changes, and is never used for another check. */
  readonly id: string;
  /** Only a failed MUST fails the run. */
  readonly level: 'MUST' | 'SHOULD';
  /** The section of your documentation that states the rule. */
  readonly section: string;
  /** The rule, as a sentence about the subject: `accepts ratings`. */
  readonly title: string;
  /** The requests that the check makes, for `--dry-run`. */
  readonly sends: string;
  /** Ids of checks that must pass first, such as `W-01`; otherwise the check is skipped. */
  readonly needs?: readonly string[];
  /** One or two sentences for the developer of a subject that fails. */
  readonly fix: string;
  /** Throws `CheckFailed` or `CheckSkipped`, both of `posthorn/conform`. */
  run(subject: S): Promise<void>;
}

/** The cycle in which checks need each other, as `a-01 -> a-02 -> a-01`: each would wait for the other. Undefined if there is none. */
export function cycleOf(checks: readonly Pick<ConformanceCheck<never>, 'id' | 'needs'>[]): string | undefined {
  const byId = new Map(checks.map((check) => [check.id, check]));
  const free = new Set<string>();
  const visit = (id: string, path: readonly string[]): string | undefined => {
    if (path.includes(id)) return [...path.slice(path.indexOf(id)), id].join(' -> ');
    if (free.has(id)) return undefined;
    for (const need of byId.get(id)?.needs ?? []) {
      const cycle = visit(need, [...path, id]);
      if (cycle !== undefined) return cycle;
    }
    free.add(id);
    return undefined;
  };
  for (const { id } of checks) {
    const cycle = visit(id, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

/** The problem of a check of a plugin: the predicate of a sentence. Undefined if there is none. */
export function faultOfConformanceCheck(value: unknown, plugin: string): string | undefined {
  const check = (value ?? {}) as Partial<Record<keyof ConformanceCheck<never>, unknown>>;
  if (typeof check.id !== 'string' || !check.id.startsWith(`${plugin}-`) || !/^\d\d$/.test(check.id.slice(plugin.length + 1)))
    return `must have an id such as '${plugin}-01', not '${check.id}'`;
  if (!(conformanceKinds as readonly unknown[]).includes(check.kind))
    return `${check.id} has an unknown kind; kinds are ${conformanceKinds.join(', ')}`;
  if (check.level !== 'MUST' && check.level !== 'SHOULD') return `${check.id} has an unknown level; levels are MUST, SHOULD`;
  const missing = (['section', 'title', 'sends', 'fix'] as const).find((key) => typeof check[key] !== 'string' || check[key] === '');
  if (missing) return `${check.id} has no ${missing}`;
  const { needs = [] } = check;
  if (!Array.isArray(needs) || !needs.every((need) => typeof need === 'string')) return `${check.id} must list its needs as ids of checks`;
  return typeof check.run === 'function' ? undefined : `${check.id} has no run`;
}
