/** The panels of integrations beside a conversation, as the admin API shows them. */
export type PanelsView =
  | { readonly state: 'loaded'; readonly data: { readonly panels: readonly Panel[]; readonly suggested_responses: readonly Suggestion[] } }
  | { readonly state: 'failed'; readonly reason: string };

export interface Panel {
  readonly integration: string;
  readonly name: string;
  readonly state: 'loaded' | 'stale' | 'failed';
  readonly loaded_at?: string;
  readonly trouble?: { readonly reason: string };
  readonly context_objects: readonly ContextObject[];
  readonly actions: readonly PanelAction[];
  readonly warnings: readonly { readonly code: string; readonly path: string; readonly message: string }[];
}

export interface ContextObject {
  readonly code: string;
  readonly title: string;
  readonly rows?: readonly { readonly key: string; readonly value: readonly Span[] }[];
  readonly items?: readonly { readonly number?: number; readonly value: readonly Span[] }[];
}

export interface Span {
  readonly type: 'text' | 'strong' | 'emphasis' | 'strike' | 'code' | 'link';
  readonly text?: string;
  readonly url?: string;
  readonly children?: readonly Span[];
}

export interface PanelAction {
  readonly integration: string;
  readonly action: string;
  readonly description: string;
  readonly options: readonly { readonly option: string; readonly label: string }[];
}

export interface Suggestion {
  readonly integration: string;
  readonly title: string;
  readonly body: string;
  readonly confidence: number;
}
