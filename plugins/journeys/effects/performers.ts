import type { AssetStores } from '../assets/known-assets.js';
import type { Performers } from '../running/performers.js';
import type { JourneySecrets } from '../secrets/secrets.js';
import type { JourneysContext } from '../service.js';
import { performContent } from './content.js';
import { performHttp } from './http.js';
import { createHttpCache } from './http-cache.js';
import { performJourney } from './journey.js';
import { performModel } from './model.js';
import { performSkill } from './skill.js';
import { performTemplate } from './template.js';

/** The performers of effects, by kind. The engine itself has no network and no store. */
export const performers = (context: JourneysContext, secrets: JourneySecrets, assets: AssetStores): Performers => ({
  http: performHttp(context, secrets, createHttpCache(context)),
  journey: performJourney(context),
  content: performContent(assets.cards),
  template: performTemplate(context),
  skill: performSkill(context, { find: assets.skills.callable }),
  model: performModel(context, assets.connections),
});
