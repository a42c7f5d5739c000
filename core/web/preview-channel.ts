/**
 * Messages between a preview of a flow and the page that frames it, in windows of the same origin. Both check the origin and the window of a
 * message before they read it, and read nothing else.
 */

/** The name in every message. */
export const PREVIEW_CHANNEL = 'posthorn.flow-preview';

/** A problem of a component, or of a part of it. */
export interface PreviewProblem {
  /** `screens[0].layout.children[1].label` */
  readonly path: string;
  readonly message: string;
  readonly isError: boolean;
}

/** From the page to the preview. */
export type ToPreview = { readonly channel: typeof PREVIEW_CHANNEL } & (
  | {
      /** Another text of the flow. The answers stay where they still fit. */
      readonly kind: 'text';
      readonly definition: string;
      readonly entries: readonly string[];
      readonly problems: readonly PreviewProblem[];
    }
  | { readonly kind: 'look'; readonly theme: 'light' | 'dark'; readonly device: 'ios' | 'android' }
  /** Opens the current screen again with this data. */
  | { readonly kind: 'open'; readonly data: Readonly<Record<string, unknown>> }
  /** Responds to the request as the endpoint would. */
  | { readonly kind: 'answer'; readonly screen: string; readonly data: Readonly<Record<string, unknown>> }
  /** Shows the screen of a part of the flow, and marks the component. */
  | { readonly kind: 'show'; readonly path: string }
  /** Whether the next click chooses a component, and does nothing else. */
  | { readonly kind: 'choose'; readonly on: boolean }
);

export interface PreviewLogEntry {
  readonly action: string;
  readonly screen: string;
  readonly detail: unknown;
}

/** A request to the endpoint, which the preview does not call. */
export interface PreviewRequest {
  readonly body: Readonly<Record<string, unknown>>;
  /** The screens that a response can show, with the data that is proposed for each. */
  readonly screens: readonly { readonly id: string; readonly data: Readonly<Record<string, unknown>> }[];
  /** The id of the screen that is proposed. */
  readonly screen: string;
}

/** From the preview to the page. */
export type FromPreview = { readonly channel: typeof PREVIEW_CHANNEL } & (
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'state';
      /** The id of the current screen; undefined when the flow has none. */
      readonly screen: string | undefined;
      readonly data: Readonly<Record<string, unknown>>;
      readonly form: Readonly<Record<string, unknown>>;
      readonly log: readonly PreviewLogEntry[];
      /** The response of a completed flow. */
      readonly response: Readonly<Record<string, unknown>> | undefined;
      /** The request that waits for a response; undefined if none does. */
      readonly request: PreviewRequest | undefined;
    }
  /** The user chose a component, or the problem of one. */
  | { readonly kind: 'chosen'; readonly path: string }
);
