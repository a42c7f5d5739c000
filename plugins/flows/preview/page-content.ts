import type { FlowValidationError } from '../operator/flow-operator.js';

/** What the page is given with it, as JSON in its HTML. */
export interface PageContent {
  readonly name: string;
  readonly status: string;
  /** The text of the definition, whatever it holds. */
  readonly definition: string;
  readonly errors: readonly FlowValidationError[];
  readonly hints: readonly FlowValidationError[];
  readonly entries: readonly string[];
  /** The flow was opened from a conversation: how it begins, and where what is filled in goes. */
  readonly opened?: {
    readonly answers: string;
    readonly flow_token: string;
    readonly flow_action: string;
    readonly flow_action_payload?: { readonly screen?: string | undefined; readonly data?: Readonly<Record<string, unknown>> | undefined };
  };
}
