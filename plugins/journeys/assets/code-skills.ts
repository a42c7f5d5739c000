import type { PluginContext, Route } from '#core';
import { type SkillRecord, skills } from '../records.js';
import { skillPayload, skillSchema } from '../schemas.js';
import { assetRoutes } from './admin-routes.js';
import { type Assets, createAssets } from './assets.js';

export type Skills = Assets<SkillRecord>;

export const createSkills = (context: PluginContext): Skills => createAssets(context, skills, 'code skill');

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
