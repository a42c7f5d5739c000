import { messageText } from '../../../plugins/simulation/response/transcript.js';
import type { TestStep } from '../format/index.js';
import { durationText } from '../format/index.js';
import type { TestTurn } from './conversation.js';

/** A line of a conversation: a message of the contact or of the journey, or what else happened. */
export interface TranscriptLine {
  readonly from: 'contact' | 'journey' | 'note';
  readonly text: string;
  /** Labels of buttons or list rows. */
  readonly options?: readonly string[];
  /** The card that sent it. */
  readonly card?: string;
}

/** An action of a test as a line; undefined for steps that the contact does not see. */
export function actionLine(step: TestStep): TranscriptLine | undefined {
  switch (step.kind) {
    case 'start':
      return { from: 'note', text: 'the journey starts' };
    case 'say':
      return { from: 'contact', text: step.text };
    case 'tap':
    case 'choose':
      return { from: 'contact', text: `[${step.label}]` };
    case 'send': {
      const { text, context, ...content } = step.message;
      const [kind, value] = Object.entries(content)[0] ?? [];
      const shown = kind === undefined ? (text ?? '') : `[${kind}: ${typeof value === 'string' ? value : JSON.stringify(value)}]`;
      return { from: 'contact', text: context === undefined ? shown : `${shown} (reply)` };
    }
    case 'wait':
      return { from: 'note', text: `${durationText(step.ms)} pass` };
    default:
      return undefined;
  }
}

/** The lines of a turn: its messages, its calls, and how it ended. */
export function turnLines({ events, state, failure }: TestTurn): TranscriptLine[] {
  const lines = events.flatMap((event): TranscriptLine | readonly TranscriptLine[] => {
    switch (event.type) {
      case 'message_out':
        return {
          from: 'journey',
          text: messageText(event.turn),
          card: event.at.card,
          ...(event.options.length > 0 && { options: event.options }),
        };
      case 'http_call': {
        const { method, url, status, failures } = event.call;
        const reason = failures.length > 0 ? `: ${failures.join('; ')}` : '';
        return { from: 'note', text: `request ${method} ${url}: ${status ?? 'no response'}${reason}` };
      }
      case 'skill_call':
        return { from: 'note', text: `skill ${event.name} ${JSON.stringify(event.arguments)}: ${JSON.stringify(event.output)}` };
      case 'action_routed':
        return { from: 'note', text: `action ${event.action}` };
      case 'handed_over':
        return { from: 'note', text: `handed over${event.note === '' ? '' : `: ${event.note}`}` };
      default:
        return [];
    }
  });
  if (failure) lines.push({ from: 'note', text: `the journey fails: ${failure.code}: ${failure.reason}` });
  else if (state === 'end') lines.push({ from: 'note', text: 'the journey ends' });
  else if (state === 'expired') lines.push({ from: 'note', text: 'the session expires' });
  return lines;
}

/** A transcript as text, as snapshots store it: `>` begins a message of the contact, `<` one of the journey, `#` a note. */
export function transcriptText(lines: readonly TranscriptLine[]): string {
  return lines
    .map(({ from, text, options }) => {
      const mark = { contact: '>', journey: '<', note: '#' }[from];
      const labels = options ? [options.map((label) => `[${label}]`).join(' ')] : [];
      return [...text.split('\n'), ...labels].map((line, i) => `${i === 0 ? mark : ' '} ${line}`.trimEnd()).join('\n');
    })
    .join('\n');
}
