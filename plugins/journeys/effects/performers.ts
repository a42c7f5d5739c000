import type { PluginContext } from '#core';
import type { Performers } from '#core/areas';
import type { AssetStores } from '../assets/known-assets.js';
import type { JourneySecrets } from '../secrets/secrets.js';
import { performContent } from './content.js';
import { performHttp } from './http.js';
import { createHttpCache } from './http-cache.js';
import { performJourney } from './journey.js';
import { performModel } from './model.js';
import { performSkill } from './skill.js';
import { performTemplate } from './template.js';

/** What only the world outside the engine can do for a journey, by the kind of effect. */
export const performers = (context: PluginContext, secrets: JourneySecrets, assets: AssetStores): Performers => ({
  http: performHttp(context, secrets, createHttpCache(context)),
  journey: performJourney(context),
  content: performContent(assets.cards),
  template: performTemplate(context),
  skill: performSkill(context, assets.skills),
  model: performModel(context, assets.connections),
});
