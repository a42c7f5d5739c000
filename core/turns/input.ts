import type { Json, JsonObject } from '../json.js';

/** What the contact sent, however it came. */
export interface Input {
  /** The text, the title of a chosen reply, the caption of a medium; empty when there is none. */
  readonly text: string;
  readonly type: string;
  /** The id of a tapped button or list row. */
  readonly reply?: { readonly id: string; readonly title: string };
  /** The message in the shape in which webhooks carry it; visible to the journey as `event.message`. */
  readonly message?: JsonObject;
}

/** What a message of the step was made from, as a connector is given it. */
export interface StepDetails {
  readonly block: JsonObject;
  readonly context: JsonObject;
  readonly resources: readonly Json[];
  readonly evaluated_resources: readonly Json[];
}
