import {
  anyText,
  anyTextUpTo,
  anything,
  collection,
  dictionary,
  fields,
  flag,
  type PluginContext,
  type Route,
  type TypeOf,
  text,
  textUpTo,
} from '#core';
import { SKILL_LIMITS } from '#core/areas';
import { assetRoutes } from './asset-routes.js';
import { type Assets, assetFields, assetIndexes, createAssets } from './assets.js';

const skillSchema = fields({
  ...assetFields,
  description: anyText(),
  /** JSON Schema of the arguments, for whoever calls it. */
  parameters: dictionary(anything()),
  /** A module whose default export is a function of the arguments. */
  source: text(),
  enabled: flag(),
});

/** Code that journeys call. */
export type SkillRecord = TypeOf<typeof skillSchema>;

export const skills = collection<SkillRecord>({ ...assetIndexes });
export type Skills = Assets<SkillRecord>;

export const createSkills = (context: PluginContext): Skills => createAssets(context, skills, 'code skill');

export const skillRoutes = (context: PluginContext, assets: Skills): Route[] =>
  assetRoutes(context, {
    path: 'code-skills',
    one: 'code_skill',
    many: 'code_skills',
    noun: 'code skill',
    assets,
    payload: fields(
      { number: text(), name: textUpTo(256), source: textUpTo(SKILL_LIMITS.source) },
      { description: anyTextUpTo(1024), parameters: dictionary(anything()), enabled: flag() },
    ),
    shown: skillSchema,
    view: (skill) => skill,
    put: (tx, uuid, { number, name, source, description = '', parameters = {}, enabled = true }) =>
      assets.put(tx, uuid, { number, name, source, description, parameters, enabled }),
  });
