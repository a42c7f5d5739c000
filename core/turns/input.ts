import type { Json, JsonObject } from '../json.js';

/** Input of a contact, independent of the channel. */
export interface Input {
  /** The text, the title of a chosen reply, or the caption of a media file; empty when there is none. */
  readonly text: string;
  readonly type: string;
  /** The id of a tapped button or list row. */
  readonly reply?: { readonly id: string; readonly title: string };
  /** The message in the format of webhooks; journeys read it as `event.message`. */
  readonly message?: JsonObject;
}

/** The block and resources that produced a message; connectors receive them with the message. */
export interface StepDetails {
  readonly block: JsonObject;
  readonly context: JsonObject;
  readonly resources: readonly Json[];
  readonly evaluated_resources: readonly Json[];
}
