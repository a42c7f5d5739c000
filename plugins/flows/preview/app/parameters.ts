import type { PageContent } from '../page-content.js';
import { type Fields, type FlowModel, fieldsOf, isFields, textOf } from './definition.js';
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

export function parameters(search: string, { opened }: Pick<PageContent, 'opened'>, { screens }: Pick<FlowModel, 'screens'>): Parameters {
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
  const isUnknown = start.screen !== undefined && !screens.has(start.screen);
  const begins = start.action === 'data_exchange' ? ASKS_FIRST : AT_FIRST;
  const problems = [
    ...(action && action !== 'navigate' && action !== 'data_exchange'
      ? [`flow_action is '${shown(action)}', and neither navigate nor data_exchange; it counts as navigate.`]
      : []),
    ...(given === undefined ? [`flow_action_payload is not a JSON object; ${begins}`] : []),
    ...(isUnknown ? [`flow_action_payload.screen is '${shown(start.screen)}', and the flow has no such screen; ${begins}`] : []),
  ];
  const problem = problems.length > 0 ? problems.join(' ') : undefined;
  return { interactive, debug: interactive && isOn('debug'), start, problem };
}

const AT_FIRST = 'the flow starts at its first screen.';
const ASKS_FIRST = 'it counts for nothing: the endpoint says which screen is first.';

const shown = (text = ''): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

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
