/** Kinds of records that evidence, advice and events refer to by id. A channel is a `number`. */
export const recordKinds = [
  'call',
  'message',
  'conversation',
  'contact',
  'number',
  'journey',
  'session',
  'webhook',
  'delivery',
  'flow',
  'advice',
  'integration',
] as const;
export type RecordKind = (typeof recordKinds)[number];

/** Such as `webhook`, `other_journey` and `webhook_2`. */
const ID_KEY = new RegExp(`^(?:[a-z]+_)?(${recordKinds.join('|')})(?:_[0-9]+)?$`);

/** The kind of the record whose id is under a key such as `webhook`, `other_journey` or `webhook_2`; undefined for other values. */
export const recordKindOf = (key: string): RecordKind | undefined => ID_KEY.exec(key)?.[1] as RecordKind | undefined;
