import { type Block, type Definition, isObject, listAt, objectAt } from '../compile.js';
import type { Json } from '../json.js';
import type { Problems } from '../problems.js';
import type { ProblemCode } from './codes.js';

/** What a journey uses that is kept beside it. */
export type AssetKind = 'content_card' | 'code_skill' | 'ai_connection' | 'template' | 'journey';

/** Whether there is such a thing for the number, by uuid or name; undefined when that cannot be known. */
export type Known = (kind: AssetKind, id: string) => boolean | undefined;

/** Nothing is known: as when a file is looked at without a platform. */
export const nothingKnown: Known = () => undefined;

interface Reference {
  readonly kind: AssetKind;
  readonly path: string;
  readonly id: Json | undefined;
}

const missing: Readonly<Record<AssetKind, readonly [code: ProblemCode, noun: string]>> = {
  content_card: ['missing_content_card', 'content card'],
  code_skill: ['missing_code_skill', 'code skill'],
  ai_connection: ['missing_ai_connection', 'AI connection'],
  template: ['missing_template', 'template'],
  journey: ['missing_journey', 'flow or journey'],
};

/** Reports what a block refers to and is not there. What is only known when it runs is not looked at. */
export function checkReferences(block: Block, definition: Definition, path: string, known: Known, problems: Problems): void {
  for (const reference of referencesOf(block, definition)) {
    const { kind, id } = reference;
    const [code, noun] = missing[kind];
    const at = `${path}.config.${reference.path}`;
    if (id === undefined || id === null || id === '') problems.add('error', code, at, `no ${noun} is named`, block.name);
    else if (typeof id !== 'string' || id.includes('@') || known(kind, id) !== false) continue;
    // A journey can be made later, and its absence is something a run can go on from.
    else problems.add(kind === 'journey' ? 'warning' : 'error', code, at, `there is no ${noun} '${id.slice(0, 60)}'`, block.name);
  }
}

function referencesOf({ type, config }: Block, { flows }: Definition): readonly Reference[] {
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
    case 'Svc.Template':
      return [{ kind: 'template', path: 'template.name', id: objectAt(config, 'template').name }];
    case 'Svc.Schedule':
      return typeof config.journey === 'string' ? [{ kind: 'journey', path: 'journey', id: config.journey }] : [];
    case 'Core.RunFlow':
      return typeof config.flow_id !== 'string' || config.flow_id === '' || flows.has(config.flow_id)
        ? []
        : [{ kind: 'journey', path: 'flow_id', id: config.flow_id }];
    default:
      return [];
  }
}
