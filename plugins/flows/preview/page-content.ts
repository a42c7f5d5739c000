import type { FlowValidationError } from '../operator/flow-operator.js';

/** The data of the page, embedded in its HTML as JSON. */
export interface PageContent {
  readonly name: string;
  readonly status: string;
  /** The text of the definition; it may be invalid, or not JSON at all. */
  readonly definition: string;
  readonly errors: readonly FlowValidationError[];
  readonly hints: readonly FlowValidationError[];
  readonly entries: readonly string[];
  /** Present when the flow was opened from a conversation: where the response is posted, and how the flow starts. */
  readonly opened?: {
    /** URL for the response, relative to the page. */
    readonly answers: string;
    readonly flow_token: string;
    readonly flow_action: string;
    readonly flow_action_payload?: { readonly screen?: string | undefined; readonly data?: Readonly<Record<string, unknown>> | undefined };
  };
}
