import { collection, fields, httpUrl, list, oneOf, type PluginContext, type Route, type TypeOf, text, textUpTo } from '#core';
import { assetRoutes } from './asset-routes.js';
import { type Assets, assetFields, assetIndexes, createAssets } from './assets.js';

const media = list(fields({ type: oneOf('image', 'video', 'audio', 'document'), link: httpUrl() }, { caption: textUpTo(1024) })).max(10);
const content = { text: textUpTo(10_000), media };

const cardSchema = fields({ ...assetFields, ...content });

/** A text with media that several journeys show. Texts are templates, evaluated where the card is shown. */
export type CardRecord = TypeOf<typeof cardSchema>;

export const cards = collection<CardRecord>({ ...assetIndexes });
export type Cards = Assets<CardRecord>;

export const createCards = (context: PluginContext): Cards => createAssets(context, cards, 'content card');

export const cardRoutes = (context: PluginContext, assets: Cards): Route[] =>
  assetRoutes(context, {
    path: 'content-cards',
    one: 'content_card',
    many: 'content_cards',
    noun: 'content card',
    assets,
    payload: fields({ number: text(), name: textUpTo(256), text: content.text }, { media }),
    shown: cardSchema,
    view: (card) => card,
    put: (tx, uuid, { number, name, text, media = [] }) => assets.put(tx, uuid, { number, name, text, media }),
  });
