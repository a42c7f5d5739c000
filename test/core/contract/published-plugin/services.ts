// The types that helpers of a plugin return if the compiler infers them: each service of the context, what its methods return, and each contribution.
import type { Contributions, PluginContext } from 'posthorn';

declare const context: PluginContext;
export const services = { ...context };

type Returned<T> = { [K in keyof T]: T[K] extends (...input: never) => infer R ? Awaited<R> : T[K] };
declare const returned: { [K in keyof PluginContext]: Returned<PluginContext[K]> };
export const fromNumbers = { ...returned.numbers };
export const fromTokens = { ...returned.tokens };
export const fromContacts = { ...returned.contacts };
export const fromConversations = { ...returned.conversations };
export const fromMessages = { ...returned.messages };
export const fromMedia = { ...returned.media };
export const fromTemplates = { ...returned.templates };
export const fromChannels = { ...returned.channels };
export const fromWebhooks = { ...returned.webhooks };
export const fromDeliveries = { ...returned.deliveries };
export const fromChunks = { ...returned.chunks };
export const fromModels = { ...returned.models };
export const fromStore = { ...returned.store };
export const fromClock = { ...returned.clock };
export const fromHttp = { ...returned.http };
export const fromSecrets = { ...returned.secrets };

declare const contributions: { [K in keyof Contributions]-?: NonNullable<Contributions[K]> };
export const contributed = { ...contributions };
