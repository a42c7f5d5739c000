import {
  anyOf,
  anyString,
  anyStringUpTo,
  anyValue,
  array,
  integer,
  named,
  nullable,
  object,
  oneOf,
  record,
  string,
  stringUpTo,
  type TypeOf,
} from '#core';

/** Requests and responses of the data export. */

const MAX_RULES = 20;

const rule = object({ type: oneOf('regex', 'hash') }, { search: stringUpTo(200), replace: anyStringUpTo(200) });
const rulesByPath = record(rule).max(MAX_RULES);

/** Replaces or hashes texts of exported messages, by the path of a field. */
export const scrubbingRules = named('ScrubbingRules', object({}, { inbound: rulesByPath, outbound: rulesByPath }));
export type ScrubbingRules = TypeOf<typeof scrubbingRules>;
export type ScrubbingRule = TypeOf<typeof rule>;

const range = {
  from: stringUpTo(64).description('A date-time, inclusive; UTC without a zone.'),
  until: stringUpTo(64).description('A date-time, exclusive; at most the present.'),
};
const paging = {
  ordering: oneOf('asc', 'desc'),
  page_size: anyOf(integer(), string().pattern(/^\d{1,9}$/, 'digits')).description('100 if not given, at most 1000.'),
};

export const newStatusCursor = named(
  'NewStatusCursor',
  object(range, { ...paging, scrubbing_rules: anyValue() }).example({
    from: '2026-01-05T00:00:00.000Z',
    until: '2026-01-06T00:00:00.000Z',
  }),
);
export const newMessageCursor = named(
  'NewMessageCursor',
  object(range, { ...paging, scrubbing_rules: scrubbingRules }).example({
    from: '2026-01-05T00:00:00.000Z',
    until: '2026-01-06T00:00:00.000Z',
    page_size: 500,
    scrubbing_rules: { inbound: { 'messages.from': { type: 'hash' } } },
  }),
);
export const createdCursor = object({ cursor: string(), expires_at: string() });

export const cursorParams = object({ cursor: stringUpTo(8192) });
export const exportedPage = named(
  'ExportedPage',
  object({ data: array(record(anyValue())), paging: nullable(object({ next: anyString() })) }),
);
