import type { PluginContext, Route } from '#core';
import { type CardRecord, cards } from '../records.js';
import { cardPayload, cardSchema } from '../schemas.js';
import { assetRoutes } from './admin-routes.js';
import { type Assets, createAssets } from './assets.js';

export type Cards = Assets<CardRecord>;

export const createCards = (context: PluginContext): Cards => createAssets(context, cards, 'content card');

export const cardRoutes = (context: PluginContext, assets: Cards): Route[] =>
  assetRoutes(context, {
    path: 'content-cards',
    one: 'content_card',
    many: 'content_cards',
    noun: 'content card',
    assets,
    requestSchema: cardPayload,
    responseSchema: cardSchema,
    view: (card) => card,
    put: (tx, uuid, { number, name, text, media = [] }) => assets.put(tx, uuid, { number, name, text, media }),
  });
