import { journeyRecipes, numberRecipes, operationRecipes, seedRecipe } from './admin.js';
import { contextRecipes, inboundRecipes, networkRecipes, outboundRecipes, statusRecipes } from './messages.js';
import type { Printed } from './print.js';
import { channelEventRecipes, inboundEventRecipes, sentEventRecipes, statusEventRecipes, subscribeRecipes } from './webhooks.js';

/** A part of a recipe page: bodies that a run on a platform sent and received. */
export interface RecipePart {
  readonly file: string;
  readonly name: string;
  /** Runs the bodies on the first call; later calls return the same result. */
  readonly print: () => Promise<Printed>;
}

const part = (page: string, name: string, run: () => Promise<Printed>): RecipePart => {
  let printed: Promise<Printed> | undefined;
  return { file: `sandbox/recipes/${page}.md`, name, print: () => (printed ??= run()) };
};

/** Every part of the recipe pages that sends its bodies to a platform. */
export const recipeParts: readonly RecipePart[] = [
  part('messages', 'outbound', outboundRecipes),
  part('messages', 'network', networkRecipes),
  part('messages', 'inbound', inboundRecipes),
  part('messages', 'context', contextRecipes),
  part('messages', 'statuses', statusRecipes),
  part('webhooks', 'subscribe', subscribeRecipes),
  part('webhooks', 'inbound events', inboundEventRecipes),
  part('webhooks', 'status events', statusEventRecipes),
  part('webhooks', 'sent events', sentEventRecipes),
  part('webhooks', 'channel events', channelEventRecipes),
  part('admin', 'numbers', numberRecipes),
  part('admin', 'journeys', journeyRecipes),
  part('admin', 'operations', operationRecipes),
  part('admin', 'seed', seedRecipe),
];
