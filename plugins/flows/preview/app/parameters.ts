import type { PageContent } from '../page-content.js';
import { type Fields, fieldsOf, isFields, textOf } from './definition.js';
import type { Start } from './session.js';

/** The query parameters of the network's previews. */
export interface Parameters {
  readonly interactive: boolean;
  /** A panel lists the actions; only of an interactive preview. */
  readonly debug: boolean;
  readonly start: Start;
  /** What is wrong with them, for people. */
  readonly problem: string | undefined;
}

export function parameters(search: string, { opened }: Pick<PageContent, 'opened'>): Parameters {
  const query = new URLSearchParams(search);
  const isOn = (name: string): boolean => query.get(name)?.toLowerCase() === 'true';
  const given = opened ? opened.flow_action_payload : payloadIn(query.get('flow_action_payload'));
  const payload: Fields = fieldsOf(given);
  const action = opened?.flow_action ?? query.get('flow_action');
  const start: Start = {
    flowToken: opened?.flow_token ?? query.get('flow_token') ?? 'unused',
    action: action === 'data_exchange' ? 'data_exchange' : 'navigate',
    screen: textOf(payload.screen) || undefined,
    data: isFields(payload.data) ? payload.data : undefined,
  };
  const interactive = opened !== undefined || isOn('interactive');
  const problem = given === undefined ? 'flow_action_payload is not a JSON object; the flow starts at its first screen.' : undefined;
  return { interactive, debug: interactive && isOn('debug'), start, problem };
}

/** Undefined for what is no JSON object. */
function payloadIn(text: string | null): Fields | undefined {
  if (text === null || text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
