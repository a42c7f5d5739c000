import type { Json } from '#core/basics';
import { type Block, type Definition, type Flow, isObject, listAt, objectAt } from '../compile.js';
import type { Problems } from '../problems.js';
import type { CodeOf } from './codes.js';

/** The kinds of assets that a journey can refer to. `form` is a flow of the Flows API. */
export type AssetKind = 'content_card' | 'code_skill' | 'ai_connection' | 'template' | 'journey' | 'form';

/** A template of a number in one language, with the number of parameters that each of its components needs. */
export interface KnownTemplate {
  readonly language: string;
  readonly header: number;
  readonly body: number;
}

/** Whether the number has an asset with this uuid or name, for a template in which languages; undefined when that is unknown. */
export type AssetLookup = (kind: AssetKind, id: string) => boolean | readonly KnownTemplate[] | undefined;

/** For lint without a platform, such as of a file on disk: the existence of every asset is unknown. */
export const unknownAssets: AssetLookup = () => undefined;

interface Reference {
  readonly kind: keyof typeof missing;
  readonly path: string;
  readonly id: Json | undefined;
}

/** Missing journeys and forms are only warnings: they can be created later, and a run can continue without them. */
const missing: Readonly<
  Record<
    Exclude<AssetKind, 'template'>,
    | { readonly severity: 'error'; readonly code: CodeOf<'error'>; readonly noun: string }
    | { readonly severity: 'warning'; readonly code: CodeOf<'warning'>; readonly noun: string }
  >
> = {
  content_card: { severity: 'error', code: 'missing_content_card', noun: 'content card' },
  code_skill: { severity: 'error', code: 'missing_code_skill', noun: 'code skill' },
  ai_connection: { severity: 'error', code: 'missing_ai_connection', noun: 'AI connection' },
  journey: { severity: 'warning', code: 'missing_journey', noun: 'flow or journey' },
  form: { severity: 'warning', code: 'missing_form', noun: 'form (flow of the Flows API)' },
};

/** The spellings of a uuid that routes accept: with or without dashes and brackets. */
const UUID = /^\W?[\da-f]{8}(?:\W?[\da-f]{4}){3}\W?[\da-f]{12}\W?$/i;

/** Reports assets, other than templates, that a block refers to and that do not exist. Skips references that are computed at run time. */
export function checkReferences(
  block: Block,
  flow: Flow,
  { flows }: Definition,
  path: string,
  hasAsset: AssetLookup,
  problems: Problems,
): void {
  for (const { kind, id, path: inside } of referencesOf(block)) {
    const { severity, code, noun } = missing[kind];
    const at = `${path}.config.${inside}`;
    if (id === undefined || id === null || id === '') {
      if (severity === 'error') problems.add(severity, code, at, `the ${noun} is missing`, block.name);
      continue;
    }
    if (typeof id !== 'string' || id.includes('@') || flow.resources.has(id)) continue;
    const isOwnFlow = kind === 'journey' && flows.has(id);
    const isThere = isOwnFlow ? block.type === 'Core.RunFlow' : hasAsset(kind, id);
    // Without a platform, an id that is not a uuid cannot be a journey of any number.
    if (isThere ?? (kind !== 'journey' || UUID.test(id))) continue;
    const named = `'${id.slice(0, 60)}'`;
    const message = isOwnFlow
      ? `${named} is a flow of this container; only journeys can be scheduled`
      : `the ${noun} ${named} does not exist`;
    problems.add(severity, code, at, message, block.name);
  }
}

function referencesOf({ type, config }: Block): readonly Reference[] {
  switch (type) {
    case 'Svc.ContentCard':
      return [{ kind: 'content_card', path: 'content_id', id: config.content_id }];
    case 'Svc.Skill':
      return [{ kind: 'code_skill', path: 'skill', id: config.skill }];
    case 'Svc.AiAgent':
      return [
        { kind: 'ai_connection', path: 'connection', id: config.connection },
        ...listAt(config, 'skills').flatMap((skill, i): Reference | readonly Reference[] =>
          isObject(skill) && skill.kind === 'code' ? { kind: 'code_skill', path: `skills[${i}].skill`, id: skill.skill } : [],
        ),
      ];
    case 'Svc.Schedule':
      return [{ kind: 'journey', path: 'journey', id: config.journey }];
    case 'Io.Turn.ScheduleFlow':
    case 'Core.RunFlow':
      return [{ kind: 'journey', path: 'flow_id', id: config.flow_id }];
    case 'Svc.FlowMessage':
      return [{ kind: 'form', path: 'flow.flow_id', id: objectAt(config, 'flow').flow_id }];
    default:
      return [];
  }
}
