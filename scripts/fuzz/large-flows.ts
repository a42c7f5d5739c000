import fc from 'fast-check';
import type { FuzzRequest } from './requests.js';
import type { World } from './world.js';

/** The dimensions of a large flow. */
export interface Crowd {
  readonly screens: number;
  readonly routes: number;
  /** Writes routes as actions of the screens instead of a routing model. */
  readonly areActions?: boolean;
  readonly hasEndpoint?: boolean;
  /** Routes lead to later screens only. */
  readonly isForward?: boolean;
  /** Characters before the number in the id of each screen. */
  readonly idLength?: number;
}

/** The limit of uploads: larger flows are refused before validation. */
const MAX_BYTES = 10 * 1024 * 1024;

/** A flow of these dimensions, as JSON. */
export function crowdedFlow({ screens, routes, areActions, hasEndpoint, isForward, idLength = 1 }: Crowd): string {
  const ids = Array.from({ length: screens }, (_, i) => 'S'.repeat(idLength) + inLetters(i));
  const targets = (from: number): string[] =>
    Array.from({ length: routes }, (_, i) => ids[isForward ? Math.min(screens - 1, from + i + 1) : (from + i + 1) % screens]!);
  const links = (from: number): object[] =>
    targets(from).map((name) => ({
      type: 'EmbeddedLink',
      text: 'On',
      'on-click-action': { name: 'navigate', next: { type: 'screen', name }, payload: {} },
    }));
  const footer = { type: 'Footer', label: 'Done', 'on-click-action': { name: 'complete', payload: {} } };
  return JSON.stringify({
    version: '7.3',
    ...(hasEndpoint && { data_api_version: '3.0' }),
    ...(!areActions && { routing_model: Object.fromEntries(ids.map((id, from) => [id, targets(from)])) }),
    screens: ids.map((id, from) => ({
      id,
      title: 'Screen',
      terminal: true,
      layout: { type: 'SingleColumnLayout', children: [...(areActions ? links(from) : []), footer] },
    })),
  });
}

/** A number in letters, as ids of screens allow no digits. */
function inLetters(number: number): string {
  const letter = String.fromCharCode(97 + (number % 26));
  return number < 26 ? letter : inLetters(Math.floor(number / 26) - 1) + letter;
}

const crowds: fc.Arbitrary<Crowd> = fc
  .record({
    screens: fc.oneof(fc.constantFrom(1, 2, 100, 101, 1_200), fc.integer({ min: 1, max: 1_500 })),
    routes: fc.oneof(fc.constantFrom(0, 10, 11, 600), fc.integer({ min: 0, max: 1_000 })),
    areActions: fc.boolean(),
    hasEndpoint: fc.boolean(),
    isForward: fc.boolean(),
    idLength: fc.constantFrom(1, 1, 1, 60, 10_000),
  })
  .map((crowd) => {
    // A route is a name in the model, or an action of about 130 bytes.
    const each = crowd.idLength + (crowd.areActions ? 130 : 8);
    const screens = Math.min(crowd.screens, Math.max(1, Math.floor(MAX_BYTES / 2 / (crowd.idLength + 200))));
    return { ...crowd, screens, routes: Math.min(crowd.routes, Math.floor(MAX_BYTES / 3 / each / screens)) };
  });

/** Requests with large flows: uploads to an existing flow, and new flows. */
export function largeFlows({ known, tokens }: World): fc.Arbitrary<FuzzRequest> {
  const authorization = `Bearer ${tokens.network}`;
  return fc.tuple(crowds, fc.boolean(), fc.nat()).map(([crowd, isFile, n]) => {
    const flow = crowdedFlow(crowd);
    if (!isFile) {
      const headers = { authorization, 'content-type': 'application/json' };
      return { method: 'POST', url: '/v1/flows', headers, payload: JSON.stringify({ name: `Large ${n}`, flow_json: flow }) };
    }
    const [id] = known('flow');
    const headers = { authorization, 'content-type': 'multipart/form-data; boundary=fuzz' };
    const head = '--fuzz\r\ncontent-disposition: form-data; name="file"; filename="flow.json"\r\ncontent-type: application/json\r\n\r\n';
    return { method: 'POST', url: `/v1/flows/${id}/assets`, headers, payload: `${head}${flow}\r\n--fuzz--\r\n` };
  });
}
