import { anyString, integer, object, oneOf, type Route, route, stringUpTo } from '#core';
import { segmentsOf } from './sending/segments.js';
import { smsTexts } from './sending/text.js';

const MAX_TEXT = 20_000;

/** Counts the segments of a text, for the person who writes it. */
export const segmentsRoute: Route = route({
  method: 'POST',
  path: '/sms/segments',
  summary: 'Counts the segments of a text, as an SMS gateway charges for them.',
  permission: 'any',
  accounts: 'none',
  shards: 'process',
  keepsNothing: true,
  needsNoStore: true,
  request: { payload: object({ text: stringUpTo(MAX_TEXT) }) },
  responses: {
    200: object({ text: anyString(), encoding: oneOf('GSM-7', 'UCS-2'), units: integer(), segments: integer(), left: integer() }),
  },
  handler({ payload: { text } }) {
    const parts = smsTexts(text, { plain_text: true });
    const counted = parts.map((one) => segmentsOf(one.text));
    return {
      text: parts.map((one) => one.text).join('\n'),
      encoding: counted.find((one) => one.encoding === 'UCS-2')?.encoding ?? 'GSM-7',
      units: counted.reduce((sum, { units }) => sum + units, 0),
      segments: counted.reduce((sum, { segments }) => sum + segments, 0),
      left: counted.at(-1)!.left,
    };
  },
});
