import type { JourneyEvent, Turn } from '#core';

/** What a turn says as text that a person or an AI agent can go on from. */
export function transcriptOf(events: readonly JourneyEvent[]): string {
  const said = events.flatMap((event) => {
    if (event.type === 'message_out') return textOf(event.turn);
    return event.type === 'handed_over' ? `[handover${event.note === '' ? '' : `: ${event.note}`}]` : [];
  });
  const failures = events.flatMap((event) => (event.type === 'failure' ? [`[journey error: ${event.code}]`] : []));
  return [...said, ...failures].join('\n\n');
}

/** Labels of the buttons or rows offered, in order. */
export const optionsOf = (events: readonly JourneyEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'message_out' ? event.options : []));

/** What AI agents used, in order. */
export const skillCallsOf = (events: readonly JourneyEvent[]) =>
  events.flatMap((event) => (event.type === 'skill_call' ? [{ name: event.name, arguments: event.arguments, output: event.output }] : []));

/** Where AI agents routed to. */
export const actionsOf = (events: readonly JourneyEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'action_routed' ? [event.action] : []));

function textOf(turn: Turn): string {
  if (!('type' in turn)) return `[template: ${turn.template.name} (${turn.template.language.code})]`;
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
      return interactiveText(turn.interactive);
  }
}

const medium = (kind: string, about: string | undefined, link: string): string => `[${kind}: ${[about, link].filter(Boolean).join(' ')}]`;

function interactiveText(interactive: Extract<Turn, { type: 'interactive' }>['interactive']): string {
  const { header, body, footer } = interactive as { header?: { text?: string }; body: { text: string }; footer?: { text: string } };
  const framed = [header?.text, body.text, footer?.text].filter((part) => part !== undefined && part !== '').join('\n');
  return `${framed}\n\n${choices(interactive)}`;
}

function choices(interactive: Extract<Turn, { type: 'interactive' }>['interactive']): string {
  if (interactive.type === 'flow') {
    const { flow_cta, flow_id, flow_action_payload } = interactive.action.parameters;
    const screen = flow_action_payload ? ` screen ${flow_action_payload.screen}` : '';
    return `[form: ${flow_cta} flow ${flow_id}${screen}; reply with a JSON object of the answers]`;
  }
  if (interactive.type === 'button') {
    return [
      'Options (reply with the exact label of one option):',
      ...interactive.action.buttons.map(({ reply }) => `- ${reply.title}`),
    ].join('\n');
  }
  const rows = interactive.action.sections.flatMap((section) => section.rows);
  const lines = rows.map(({ title, description }) => (description ? `- ${title}: ${description}` : `- ${title}`));
  return [`Options of "${interactive.action.button}" (reply with the exact label of one option):`, ...lines].join('\n');
}
