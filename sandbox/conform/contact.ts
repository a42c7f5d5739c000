import { CheckFailed, CheckSkipped } from './check.js';
import { type Exchange, gotOf, isLate, isSuccess, type Wire } from './exchange.js';

const DRIVER_MS = 10_000;
/** Statuses of a driver that has no such action. */
const NOT_OFFERED = [404, 405, 501];
/** Characters of a driver's error. */
const SHOWN_LENGTH = 300;

/** Something that a contact does in the messaging service of a connector. */
export type ContactAction =
  | { readonly from: string; readonly text: string; readonly quote?: string }
  | { readonly from: string; readonly tap: string }
  | { readonly from: string; readonly message: { readonly type: string } }
  | { readonly from: string; readonly status: 'read' | 'failed'; readonly id: string };

/** The contact of a run. */
export interface ContactSide {
  /** Whether a person acts, who has a contact id of its own. */
  readonly isPerson: boolean;
  /** How long to wait for the message that follows an action. */
  readonly waitMs: number;
  /** @returns what went wrong, if the connector failed to do this. @throws CheckSkipped when it cannot do this, CheckFailed when it cannot be asked */
  act(action: ContactAction): Promise<string | undefined>;
  /** Call when the message that follows has arrived, or the time is over. */
  done(): void;
}

/** Posts each action to a URL of the connector. */
export function driver(url: string, log: Wire, waitMs: number): ContactSide {
  return {
    isPerson: false,
    waitMs,
    done: () => undefined,
    async act(action) {
      const exchange: Exchange = await log.send({
        url,
        headers: [['Content-Type', 'application/json']],
        body: JSON.stringify(action),
        timeoutMs: DRIVER_MS,
      });
      if (isSuccess(exchange)) return undefined;
      const { response, error } = exchange;
      // A driver that is only late may have done it.
      if (!response && !isLate(exchange)) {
        throw new CheckFailed(
          `a response of the driver at ${url}`,
          error ?? 'none',
          'Start the driver of the connector, or correct the URL of --drive.',
        );
      }
      const kind = 'status' in action ? `"status":"${action.status}"` : Object.keys(action)[1];
      if (response && NOT_OFFERED.includes(response.status)) throw new CheckSkipped(`the driver does not offer ${kind}`);
      const body = response?.body.toString().slice(0, SHOWN_LENGTH);
      return `${gotOf(exchange)} of the driver to ${kind}${body ? `: ${body}` : ''}`;
    },
  };
}

/** Shows a task, and a countdown, until the function that it returns is called. */
export type Prompt = (task: string, waitMs: number) => () => void;

const PERSON_MS = 60_000;

/** Asks a person at the terminal to act as the contact. */
export function person(prompt: Prompt): ContactSide {
  let stop: () => void = () => undefined;
  return {
    isPerson: true,
    waitMs: PERSON_MS,
    async act(action) {
      stop = prompt(taskOf(action), PERSON_MS);
      return undefined;
    },
    done: () => stop(),
  };
}

function taskOf(action: ContactAction): string {
  if ('tap' in action) return `tap '${action.tap}'`;
  if ('quote' in action) return `reply to the last message, quoting it, with '${action.text}'`;
  if ('text' in action) return `write '${action.text}' to your bot`;
  if ('message' in action) return `send a message of type ${action.message.type} to your bot`;
  if (action.status === 'read') return 'open the conversation, so that the last message is read';
  throw new CheckSkipped('a person cannot make a message fail');
}
