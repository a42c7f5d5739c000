import type { PluginContext, Route } from '#core';
import { type SkillRecord, skills } from '../records.js';
import type { PluginSkill } from '../running/extensions.js';
import { skillPayload, skillSchema } from '../schemas.js';
import { assetRoutes } from './admin-routes.js';
import { type Assets, createAssets } from './assets.js';

export interface Skills extends Assets<SkillRecord> {
  /** A skill that the journeys of a number can call: the number's own, or one of a plugin. */
  callable(number: string, id: string): Promise<Pick<SkillRecord, 'name' | 'source' | 'enabled'> | undefined>;
  /** The names of the skills of plugins. */
  readonly ofPlugins: readonly string[];
}

/** @param added the skills of plugins */
export function createSkills(context: PluginContext, added: ReadonlyMap<string, PluginSkill>): Skills {
  const assets = createAssets(context, skills, 'code skill');
  return {
    ...assets,
    async callable(number, id) {
      const ofPlugin = added.get(id);
      return (await assets.find(number, id)) ?? (ofPlugin && { ...ofPlugin, enabled: true });
    },
    get ofPlugins() {
      return [...added.keys()];
    },
  };
}

export const skillRoutes = (context: PluginContext, assets: Skills): Route[] =>
  assetRoutes(context, {
    path: 'code-skills',
    one: 'code_skill',
    many: 'code_skills',
    noun: 'code skill',
    assets,
    requestSchema: skillPayload,
    responseSchema: skillSchema,
    view: (skill) => skill,
    put: (tx, uuid, { number, name, source, description = '', parameters = {}, enabled = true }) =>
      assets.put(tx, uuid, { number, name, source, description, parameters, enabled }),
  });
