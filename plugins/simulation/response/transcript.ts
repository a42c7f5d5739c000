import type { JsonObject, Turn } from '#core';
import type { JourneyEvent } from '../../journeys/plugin.js';

/** The messages of a turn as text from which a person or an AI agent can choose the next input. */
export function transcriptOf(events: readonly JourneyEvent[]): string {
  const parts = events.flatMap((event) => {
    if (event.type === 'message_out') return turnText(event.turn, event.options);
    if (event.type === 'wait') return REQUESTS[event.at.type] ?? [];
    return event.type === 'handed_over' ? `[handover${event.note === '' ? '' : `: ${event.note}`}]` : [];
  });
  const failures = events.flatMap((event) => (event.type === 'failure' ? [`[journey error: ${event.code}]`] : []));
  return [...parts, ...failures].join('\n\n');
}

/** Labels of the buttons or list rows, in order. */
export const optionsOf = (events: readonly JourneyEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'message_out' ? event.options : []));

export const skillCallsOf = (events: readonly JourneyEvent[]) =>
  events.flatMap((event) => (event.type === 'skill_call' ? [{ name: event.name, arguments: event.arguments, output: event.output }] : []));

export const actionsOf = (events: readonly JourneyEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'action_routed' ? [event.action] : []));

/** How to write the awaited answer in `input`, for blocks that wait for something other than text. */
const REQUESTS: Readonly<Record<string, string>> = {
  'SmartDevices.LocationResponse': '[asks for a location; reply with latitude and longitude, such as "-33.92, 18.42"]',
  'SmartDevices.PhotoResponse': '[asks for a picture; reply with [image: https://…]]',
};

const LABELS = '(reply with the exact label of one option):';

function turnText(turn: Turn, options: readonly string[]): string {
  const text = messageText(turn);
  if ('type' in turn) return turn.type === 'interactive' ? `${text}\n\n${choices(turn.interactive)}` : text;
  return options.length === 0 ? text : `${text}\n\n${[`Options ${LABELS}`, ...options.map((label) => `- ${label}`)].join('\n')}`;
}

/** A message as text, without its options: header, body and footer; media and templates in brackets. */
export function messageText(turn: Turn): string {
  if (!('type' in turn)) return templateText(turn.template);
  switch (turn.type) {
    case 'text':
      return turn.text.body;
    case 'image':
      return medium('image', turn.image.caption, turn.image.link);
    case 'video':
      return medium('video', turn.video.caption, turn.video.link);
    case 'audio':
      return medium('audio', undefined, turn.audio.link);
    case 'document':
      return medium('document', turn.document.caption ?? turn.document.filename, turn.document.link);
    case 'interactive':
      return framedText(turn.interactive);
  }
}

const medium = (kind: string, about: string | undefined, link: string): string => `[${kind}: ${[about, link].filter(Boolean).join(' ')}]`;

/** Shows a template by its name and its parameters, one per line, because only the network knows the template's text. */
function templateText({ name, language, components = [] }: Extract<Turn, { template: unknown }>['template']): string {
  const parameters = components
    .filter(({ type }) => type.toLowerCase() !== 'button')
    .flatMap(({ parameters }) => parameters as readonly JsonObject[])
    .flatMap((parameter) => shownParameter(parameter) ?? []);
  return [`[template: ${name} (${language.code})]`, ...parameters].join('\n');
}

function shownParameter(parameter: JsonObject): string | undefined {
  const { type, text } = parameter;
  if (typeof text === 'string') return text;
  const part = parameter[String(type)];
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return undefined;
  const { link, caption, filename, fallback_value } = part as JsonObject;
  if (typeof fallback_value === 'string') return fallback_value;
  return typeof link === 'string' ? medium(String(type), textIn(caption) ?? textIn(filename), link) : undefined;
}

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** A header has a text, or a media file under the key of its type. */
function headerText(header: JsonObject | undefined): string | undefined {
  return header && (textIn(header.text) ?? shownParameter(header));
}

function framedText(interactive: Extract<Turn, { type: 'interactive' }>['interactive']): string {
  const { header, body, footer } = interactive as { header?: JsonObject; body: { text: string }; footer?: { text: string } };
  return [headerText(header), body.text, footer?.text].filter((part) => part !== undefined && part !== '').join('\n');
}

function choices(interactive: Extract<Turn, { type: 'interactive' }>['interactive']): string {
  if (interactive.type === 'flow') {
    const { flow_cta, flow_id, flow_action_payload } = interactive.action.parameters;
    const screen = flow_action_payload ? ` screen ${flow_action_payload.screen}` : '';
    return `[form: ${flow_cta} flow ${flow_id}${screen}; reply with a JSON object of the answers]`;
  }
  if (interactive.type === 'button') {
    return [`Options ${LABELS}`, ...interactive.action.buttons.map(({ reply }) => `- ${reply.title}`)].join('\n');
  }
  const rows = interactive.action.sections.flatMap((section) => section.rows);
  const lines = rows.map(({ title, description }) => (description ? `- ${title}: ${description}` : `- ${title}`));
  return [`Options of "${interactive.action.button}" ${LABELS}`, ...lines].join('\n');
}
