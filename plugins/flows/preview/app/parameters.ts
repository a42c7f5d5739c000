import type { PageContent } from '../page-content.js';
import { type Fields, type FlowModel, fieldsOf, isFields, shownText } from './definition.js';
import type { Start } from './session.js';
import { texts } from './texts.js';

export interface Parameters {
  readonly interactive: boolean;
  /** Shows the log of actions; only in an interactive preview. */
  readonly debug: boolean;
  readonly start: Start;
  /** A notice for the viewer if the parameters are invalid. */
  readonly problem: string | undefined;
}

export function parameters(search: string, { opened }: Pick<PageContent, 'opened'>, { screens }: Pick<FlowModel, 'screens'>): Parameters {
  const query = new URLSearchParams(search);
  const isTrue = (name: string): boolean => query.get(name)?.toLowerCase() === 'true';
  const given = opened ? opened.flow_action_payload : payloadIn(query.get('flow_action_payload'));
  const payload: Fields = fieldsOf(given);
  const action = opened?.flow_action ?? query.get('flow_action');
  const start: Start = {
    flowToken: opened?.flow_token ?? query.get('flow_token') ?? 'unused',
    action: action === 'data_exchange' ? 'data_exchange' : 'navigate',
    screen: shownText(payload.screen) || undefined,
    data: isFields(payload.data) ? payload.data : undefined,
  };
  const interactive = opened !== undefined || isTrue('interactive');
  const isUnknown = start.screen !== undefined && !screens.has(start.screen);
  const fallback = start.action === 'data_exchange' ? ENDPOINT_DECIDES : FIRST_SCREEN;
  const problems = [
    ...(action && action !== 'navigate' && action !== 'data_exchange' ? [texts.flowActionIsNotNavigate(shown(action))] : []),
    ...(given === undefined ? [texts.flowActionPayloadIsNot(fallback)] : []),
    ...(isUnknown ? [texts.flowActionPayloadScreen(shown(start.screen), fallback)] : []),
  ];
  const problem = problems.length > 0 ? problems.join(' ') : undefined;
  return { interactive, debug: interactive && isTrue('debug'), start, problem };
}

const FIRST_SCREEN = texts.theFlowStartsAtIts;
const ENDPOINT_DECIDES = texts.itIsIgnoredTheEndpoint;

const shown = (text = ''): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

/** Undefined if the text is not a JSON object. */
function payloadIn(text: string | null): Fields | undefined {
  if (text === null || text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
